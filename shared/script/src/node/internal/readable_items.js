// Readables that are made of items, and what they do with their chunks as a list does.
import { coded, needsFunction, wrongType } from "node:internal/errors";
import { Readable } from "node:internal/readable";

Readable.from = (source, options) => {
  if (typeof source === "string" || source instanceof Uint8Array) {
    return new Readable({
      objectMode: true, ...options,
      read() {
        this.push(source);
        this.push(null);
      },
    });
  }
  const isSync = typeof source?.[Symbol.asyncIterator] !== "function";
  if (isSync && typeof source?.[Symbol.iterator] !== "function") throw wrongType("iterable", "Iterable", source);
  const items = isSync ? source[Symbol.iterator]() : source[Symbol.asyncIterator]();
  let busy = false;
  const pump = async (stream) => {
    try {
      while (true) {
        const { value, done } = await items.next();
        if (done) {
          stream.push(null);
          return;
        }
        const chunk = await value;
        if (chunk === null) throw coded(TypeError, "ERR_STREAM_NULL_VALUES", "May not write null values to stream");
        if (!stream.push(chunk)) break;
      }
    } catch (error) {
      stream.destroy(error);
    } finally {
      busy = false;
    }
  };
  return new Readable({
    objectMode: true, highWaterMark: 1, ...options,
    read() {
      if (busy) return;
      busy = true;
      pump(this);
    },
    destroy(error, callback) {
      Promise.resolve(items.return?.()).then(() => callback(error), callback);
    },
  });
};

// --- What a stream does with its chunks as a list does.
const helpers = {
  async *map(fn, options) {
    needsFunction("fn", fn);
    for await (const chunk of this) yield await fn(chunk, { signal: options?.signal });
  },
  async *filter(fn, options) {
    needsFunction("fn", fn);
    for await (const chunk of this) if (await fn(chunk, { signal: options?.signal })) yield chunk;
  },
  async *flatMap(fn, options) {
    for await (const chunk of this) yield* await fn(chunk, { signal: options?.signal });
  },
  async *take(count) {
    let left = count;
    if (left > 0) {
      for await (const chunk of this) {
        yield chunk;
        if (--left <= 0) return;
      }
    }
  },
  async *drop(count) {
    let left = count;
    for await (const chunk of this) if (left-- <= 0) yield chunk;
  },
  async *asIndexedPairs() {
    let at = 0;
    for await (const chunk of this) yield [at++, chunk];
  },
};
for (const [name, make] of Object.entries(helpers)) {
  Readable.prototype[name] = function (...args) {
    return Readable.from(make.apply(this, args));
  };
}
Object.assign(Readable.prototype, {
  async toArray() {
    const made = [];
    for await (const chunk of this) made.push(chunk);
    return made;
  },
  async forEach(fn) {
    for await (const chunk of this) await fn(chunk);
  },
  async reduce(fn, ...first) {
    let [held] = first;
    let isEmpty = first.length === 0;
    for await (const chunk of this) {
      held = isEmpty ? chunk : await fn(held, chunk);
      isEmpty = false;
    }
    if (isEmpty) throw new TypeError("Reduce of an empty stream requires an initial value");
    return held;
  },
  async some(fn) {
    for await (const chunk of this) if (await fn(chunk)) return true;
    return false;
  },
  async every(fn) {
    for await (const chunk of this) if (!(await fn(chunk))) return false;
    return true;
  },
  async find(fn) {
    for await (const chunk of this) if (await fn(chunk)) return chunk;
    return undefined;
  },
});

export { Readable };
