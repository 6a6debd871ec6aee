// node:stream.
import { coded, needsFunction, wrongType } from "node:internal/errors";
import { abortOn, readableFields } from "node:internal/readable";
import { Readable } from "node:internal/readable_items";
import { constructed, destroyer, eos, isReadableSide, isWritableSide, prematureClose } from "node:internal/stream_end";
import { readableFromWeb, readableToWeb, writableFromWeb, writableToWeb } from "node:internal/web_streams";
import { addFields, HIGH_WATER, Stream, takeWritable, Writable, writableFields, writableState } from "node:internal/writable";

// --- Duplex: a Readable that has a Writable's methods too.
function Duplex(options) {
  if (!(this instanceof Duplex)) return new Duplex(options);
  Stream.call(this, options);
  Readable.call(this, options, true);
  this._writableState = writableState(options, true);
  takeWritable(this, options);
  this.allowHalfOpen = options?.allowHalfOpen !== false;
  if (options?.readable === false) Object.assign(this._readableState, { ignored: true, ended: true, endEmitted: true });
  if (options?.writable === false) Object.assign(this._writableState, { ignored: true, ending: true, ended: true, finished: true });
  constructed(this, () => {
    this.uncork();
    this.read(0);
  });
}
Object.setPrototypeOf(Duplex.prototype, Readable.prototype);
Object.setPrototypeOf(Duplex, Readable);
for (const name of ["write", "end", "cork", "uncork", "setDefaultEncoding", "_write", "_writev"]) Duplex.prototype[name] = Writable.prototype[name];
Duplex.prototype.destroy = Writable.prototype.destroy;
addFields(Duplex.prototype, {
  ...writableFields,
  closed: (stream) => Boolean(stream._readableState?.closed && stream._writableState?.closed),
  destroyed: (stream) => Boolean(stream._readableState?.destroyed && stream._writableState?.destroyed),
  errored: (stream) => readableFields.errored(stream) ?? writableFields.errored(stream),
});

// --- Transform.
function Transform(options) {
  if (!(this instanceof Transform)) return new Transform(options);
  if (typeof options?.transform === "function") this._transform = options.transform;
  if (typeof options?.flush === "function") this._flush = options.flush;
  this._held = null;
  Duplex.call(this, options);
  this._readableState.sync = false;
}
Object.setPrototypeOf(Transform.prototype, Duplex.prototype);
Object.setPrototypeOf(Transform, Duplex);
Object.assign(Transform.prototype, {
  _transform() {
    throw coded(Error, "ERR_METHOD_NOT_IMPLEMENTED", "The _transform() method is not implemented");
  },
  _write(chunk, encoding, callback) {
    const state = this._readableState;
    const before = state.length;
    this._transform(chunk, encoding, (error, value) => {
      if (error) {
        callback(error);
        return;
      }
      if (value !== null && value !== undefined) this.push(value);
      if (this._writableState.ending || before === state.length || state.length < state.highWaterMark) callback();
      else this._held = callback;
    });
  },
  _read() {
    const held = this._held;
    this._held = null;
    held?.();
  },
  _final(callback) {
    if (typeof this._flush !== "function" || this.destroyed) {
      this.push(null);
      callback();
      return;
    }
    this._flush((error, value) => {
      if (error) {
        callback(error);
        return;
      }
      if (value !== null && value !== undefined) this.push(value);
      this.push(null);
      callback();
    });
  },
});
function PassThrough(options) {
  if (!(this instanceof PassThrough)) return new PassThrough(options);
  Transform.call(this, options);
}
Object.setPrototypeOf(PassThrough.prototype, Transform.prototype);
Object.setPrototypeOf(PassThrough, Transform);
PassThrough.prototype._transform = (chunk, _, callback) => callback(null, chunk);

// --- Of other things.
Duplex.from = (body) => {
  if (body instanceof Duplex) return body;
  if (typeof body === "function") {
    const input = new PassThrough({ objectMode: true });
    const output = body(input);
    return typeof output?.[Symbol.asyncIterator] === "function" ? joined(input, Readable.from(output)) : joined(input, Readable.from((async function* () {
      const value = await output;
      if (value !== undefined) yield value;
    })()));
  }
  if (isReadableSide(body?.readable) || isWritableSide(body?.writable)) return joined(body.writable, body.readable);
  return joined(undefined, body instanceof Readable ? body : Readable.from(typeof body?.then === "function" ? (async function* () {
    yield await body;
  })() : body));
};
// One stream that writes to the first and reads from the last.
const joined = (input, output) => {
  const made = new Duplex({
    objectMode: true, readable: output !== undefined, writable: input !== undefined,
    write(chunk, encoding, callback) {
      if (input.write(chunk, encoding)) callback();
      else input.once("drain", callback);
    },
    final(callback) {
      input.end();
      callback();
    },
    read() {
      output.resume();
    },
    destroy(error, callback) {
      for (const stream of [input, output]) if (stream) destroyer(stream, error);
      callback(error);
    },
  });
  output?.on("data", (chunk) => {
    if (!made.push(chunk)) output.pause();
  });
  output?.on("end", () => made.push(null));
  for (const stream of [input, output]) stream?.on("error", (error) => made.destroy(error));
  return made;
};
Readable.toWeb = (stream) => readableToWeb(stream);
Readable.fromWeb = (source, options) => readableFromWeb(Readable, source, options);
Writable.toWeb = (stream) => writableToWeb(stream);
Writable.fromWeb = (target, options) => writableFromWeb(Writable, target, options);
Duplex.toWeb = (stream) => ({ readable: readableToWeb(stream), writable: writableToWeb(stream) });
Duplex.fromWeb = (pair, options) => joined(writableFromWeb(Writable, pair.writable, options), readableFromWeb(Readable, pair.readable, options));
Readable.wrap = (old, options) => new Readable({ objectMode: old.readableObjectMode ?? true, ...options }).wrap(old);

// --- Pipelines.
const finished = (stream, options, callback) => eos(stream, options, callback);
const isStream = (value) => typeof value?.on === "function" && (isReadableSide(value) || isWritableSide(value) || typeof value.pipe === "function");
const isWeb = (value, Kind) => typeof globalThis[Kind] === "function" && value instanceof globalThis[Kind];
const part = (value, before, isLast) => {
  if (isWeb(value, "ReadableStream")) return Readable.fromWeb(value);
  if (isWeb(value, "WritableStream")) return Writable.fromWeb(value);
  if (isStream(value)) return value;
  if (typeof value === "function") {
    const made = before === undefined ? value() : value(before);
    if (isLast && typeof made?.then === "function") return made;
    if (typeof made?.[Symbol.asyncIterator] === "function" || typeof made?.[Symbol.iterator] === "function") return isLast && before !== undefined && !isStream(made) ? Readable.from(made) : isStream(made) ? made : Readable.from(made);
    throw coded(TypeError, "ERR_INVALID_RETURN_VALUE", "Expected AsyncIterable to be returned from the function");
  }
  if (typeof value?.[Symbol.asyncIterator] === "function" || typeof value?.[Symbol.iterator] === "function") return Readable.from(value);
  throw wrongType("source", ["Stream", "Iterable", "AsyncIterable", "function"], value);
};
const run = (parts, options, done) => {
  const streams = [];
  let over = false;
  let value;
  const finish = (error) => {
    if (over) return;
    over = true;
    for (const stream of streams) if (error && typeof stream.destroy === "function") stream.destroy(error);
    done(error ?? undefined, value);
  };
  let left = 0;
  const settle = (error) => {
    left -= 1;
    if (error && !(error.code === "ERR_STREAM_PREMATURE_CLOSE" && over)) finish(error);
    else if (left === 0) finish();
  };
  let before;
  for (const [at, one] of parts.entries()) {
    const isLast = at === parts.length - 1;
    const made = part(one, before, isLast);
    if (typeof made?.then === "function" && !isStream(made)) {
      left += 1;
      made.then((result) => {
        value = result;
        settle();
      }, settle);
      break;
    }
    streams.push(made);
    left += 1;
    const isFed = before !== undefined && typeof one !== "function";
    const ends = isLast && options.end === false ? { writable: false } : {};
    eos(made, { readable: !isLast || (!isWritableSide(made) && isReadableSide(made)), writable: at > 0 && isWritableSide(made) && typeof one !== "function", ...ends }, settle);
    if (isFed) before.pipe(made, { end: !(isLast && options.end === false) });
    before = made;
  }
  const { signal } = options;
  if (signal) {
    const onAbort = () => finish(Object.assign(coded(Error, "ABORT_ERR", "The operation was aborted"), { name: "AbortError" }));
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  }
  return before;
};
const listOf = (parts) => {
  const list = parts.length === 1 && Array.isArray(parts[0]) ? parts[0] : parts;
  if (list.length < 2) throw coded(TypeError, "ERR_MISSING_ARGS", 'The "streams" argument must be specified');
  return list;
};
const pipeline = (...parts) => {
  const callback = needsFunction("callback", parts.pop());
  return run(listOf(parts), {}, (error, value) => queueMicrotask(() => callback(error, value)));
};
const promises = {
  pipeline: (...parts) =>
    new Promise((resolve, reject) => {
      const last = parts.at(-1);
      const isOptions = typeof last === "object" && last !== null && !isStream(last) && !isWeb(last, "WritableStream") && last[Symbol.asyncIterator] === undefined && last[Symbol.iterator] === undefined;
      const options = isOptions ? parts.pop() : {};
      run(listOf(parts), options, (error, value) => (error ? reject(error) : resolve(value)));
    }),
  finished: (stream, options) => new Promise((resolve, reject) => eos(stream, options ?? {}, (error) => (error ? reject(error) : resolve()))),
};
const compose = (...parts) => {
  const list = parts.map((one) => (isStream(one) ? one : Duplex.from(one)));
  for (let at = 0; at + 1 < list.length; at += 1) list[at].pipe(list[at + 1]);
  return list.length === 1 ? list[0] : joined(isWritableSide(list[0]) ? list[0] : undefined, list.at(-1));
};
Readable.prototype.compose = function (stream) {
  return compose(this, stream);
};

const addAbortSignal = (signal, stream) => {
  if (typeof signal?.addEventListener !== "function") throw wrongType("signal", "AbortSignal", signal);
  return abortOn(signal, stream);
};
const destroy = (stream, error) => {
  destroyer(stream, error ?? prematureClose());
  return stream;
};
const duplexPair = (options) => {
  const make = () => new Duplex({
    ...options,
    read() {
      const held = this.held;
      this.held = undefined;
      held?.();
    },
    write(chunk, _, callback) {
      if (chunk.length === 0) {
        queueMicrotask(callback);
        return;
      }
      this.other.held = callback;
      this.other.push(chunk);
    },
    final(callback) {
      this.other.push(null);
      callback();
    },
  });
  const pair = [make(), make()];
  [pair[0].other, pair[1].other] = [pair[1], pair[0]];
  return pair;
};
const isDestroyed = (stream) => Boolean(stream.destroyed);
const isDisturbed = (stream) => Boolean(stream.readableDidRead || stream.readableAborted);
const isErrored = (stream) => Boolean(stream.errored);
const isReadable = (stream) => (stream?.readable === undefined ? null : Boolean(stream.readable));
const isWritable = (stream) => (stream?.writable === undefined ? null : Boolean(stream.writable));
const getDefaultHighWaterMark = (objects) => (objects ? HIGH_WATER.objects : HIGH_WATER.bytes);
const setDefaultHighWaterMark = (objects, value) => {
  HIGH_WATER[objects ? "objects" : "bytes"] = value;
};

Object.assign(Stream, {
  Stream, Readable, Writable, Duplex, Transform, PassThrough, duplexPair, pipeline, addAbortSignal, finished, destroy, compose,
  setDefaultHighWaterMark, getDefaultHighWaterMark, promises, isDestroyed, isDisturbed, isErrored, isReadable, isWritable,
  _isUint8Array: (value) => value instanceof Uint8Array,
});

export {
  addAbortSignal, compose, destroy, Duplex, duplexPair, finished, getDefaultHighWaterMark, isDestroyed, isDisturbed, isErrored,
  isReadable, isWritable, PassThrough, pipeline, promises, Readable, setDefaultHighWaterMark, Stream, Transform, Writable,
};
export default Stream;
