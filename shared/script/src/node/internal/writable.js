// stream.Writable.
import EventEmitter from "node:events";
import { Buffer } from "node:internal/buffer";
import { encodingOf } from "node:internal/encodings";
import { coded, wrongType } from "node:internal/errors";
import { constructed, destroy, failWith } from "node:internal/stream_end";

export const HIGH_WATER = { bytes: 16384, objects: 16 };

// What a stream inherits from before it reads or writes.
export function Stream(options) {
  EventEmitter.call(this, options);
}
Object.setPrototypeOf(Stream.prototype, EventEmitter.prototype);
Object.setPrototypeOf(Stream, EventEmitter);
Stream.prototype.pipe = function (target, options) {
  this.on("data", (chunk) => {
    if (target.write?.(chunk) === false) this.pause?.();
  });
  target.on("drain", () => this.resume?.());
  if (options?.end !== false) this.on("end", () => target.end());
  target.emit("pipe", this);
  return target;
};

export const highWaterOf = (options, key, objects, isDuplex) => {
  const own = options?.highWaterMark ?? (isDuplex ? options?.[key] : undefined);
  if (own === undefined || own === null) return objects ? HIGH_WATER.objects : HIGH_WATER.bytes;
  if (!Number.isInteger(own) || own < 0) throw coded(TypeError, "ERR_INVALID_ARG_VALUE", `The property 'options.${key}' is invalid. Received ${own}`);
  return own;
};

export const writableState = (options, isDuplex) => {
  const objectMode = Boolean(options?.objectMode || (isDuplex && options?.writableObjectMode));
  return {
    objectMode, highWaterMark: highWaterOf(options, "writableHighWaterMark", objectMode, isDuplex), queue: [], length: 0,
    writing: false, corked: 0, ending: false, ended: false, finished: false, finalCalled: false, needDrain: false,
    decodeStrings: options?.decodeStrings !== false, defaultEncoding: options?.defaultEncoding ?? "utf8",
    emitClose: options?.emitClose !== false, autoDestroy: options?.autoDestroy !== false,
    destroyed: false, closed: false, closeEmitted: false, errored: null, errorEmitted: false, constructing: false, endCallbacks: [],
  };
};

export function Writable(options) {
  const isDuplex = this instanceof Writable && this._readableState !== undefined;
  if (!(this instanceof Writable)) return new Writable(options);
  this._writableState = writableState(options, isDuplex);
  takeWritable(this, options);
  if (!isDuplex) {
    Stream.call(this, options);
    constructed(this, () => advance(this));
  }
}
export const takeWritable = (stream, options) => {
  if (typeof options?.write === "function") stream._write = options.write;
  if (typeof options?.writev === "function") stream._writev = options.writev;
  if (typeof options?.final === "function") stream._final = options.final;
  if (typeof options?.destroy === "function") stream._destroy = options.destroy;
  if (typeof options?.construct === "function") stream._construct = options.construct;
  const { signal } = options ?? {};
  if (signal) {
    const onAbort = () => stream.destroy(coded(Error, "ABORT_ERR", "The operation was aborted"));
    if (signal.aborted) queueMicrotask(onAbort);
    else signal.addEventListener("abort", onAbort, { once: true });
  }
};
Object.setPrototypeOf(Writable.prototype, Stream.prototype);
Object.setPrototypeOf(Writable, Stream);
// A Duplex is one too, though it inherits from Readable.
Object.defineProperty(Writable, Symbol.hasInstance, {
  value: function (value) {
    if (Function.prototype[Symbol.hasInstance].call(this, value)) return true;
    return this === Writable && value?._writableState !== undefined && typeof value._write === "function";
  },
});

const written = (stream, state, item, error) => {
  state.writing = false;
  state.length -= item.size;
  if (error) {
    for (const callback of item.callbacks) callback(error);
    for (const { callbacks } of state.queue.splice(0)) for (const callback of callbacks) callback(error);
    failWith(stream, error);
    return;
  }
  const after = () => {
    if (state.needDrain && state.length === 0 && !state.ending && !state.destroyed) {
      state.needDrain = false;
      stream.emit("drain");
    }
    for (const callback of item.callbacks) callback(null);
    advance(stream);
  };
  if (item.isSync) queueMicrotask(after);
  else after();
};
const start = (stream, state, item) => {
  state.writing = true;
  item.isSync = true;
  let called = false;
  const done = (error) => {
    if (called) {
      failWith(stream, coded(Error, "ERR_MULTIPLE_CALLBACK", "Callback called multiple times"));
      return;
    }
    called = true;
    written(stream, state, item, error);
  };
  try {
    if (item.chunks !== undefined) stream._writev(item.chunks, done);
    else stream._write(item.chunk, item.encoding, done);
  } catch (error) {
    if (called) throw error;
    done(error);
  }
  item.isSync = false;
};
const advance = (stream) => {
  const state = stream._writableState;
  if (state.constructing || state.writing || state.destroyed) return;
  if (state.queue.length > 0) {
    if (state.corked > 0 && !state.ending) return;
    if (typeof stream._writev === "function" && state.queue.length > 1) {
      const all = state.queue.splice(0);
      const chunks = all.map(({ chunk, encoding, callbacks }) => ({ chunk, encoding, callback: callbacks[0] }));
      start(stream, state, { chunks, size: all.reduce((sum, { size }) => sum + size, 0), callbacks: all.flatMap(({ callbacks }) => callbacks) });
      return;
    }
    start(stream, state, state.queue.shift());
    return;
  }
  if (state.ending && !state.finalCalled) finish(stream, state);
};
const finish = (stream, state) => {
  state.finalCalled = true;
  const done = (error) => {
    if (error) {
      for (const callback of state.endCallbacks.splice(0)) callback(error);
      failWith(stream, error);
      return;
    }
    queueMicrotask(() => {
      if (state.errored || state.finished) return;
      state.finished = true;
      for (const callback of state.endCallbacks.splice(0)) callback(null);
      stream.emit("finish");
      const reading = stream._readableState;
      if (state.autoDestroy && (reading === undefined || (reading.autoDestroy && reading.endEmitted) || reading.ignored)) stream.destroy();
    });
  };
  if (typeof stream._final !== "function") {
    done();
    return;
  }
  try {
    const made = stream._final(done);
    if (typeof made?.then === "function") made.then(() => done(), done);
  } catch (error) {
    done(error);
  }
};
const chunkOf = (state, chunk, encoding) => {
  if (state.objectMode) return [chunk, encoding ?? state.defaultEncoding];
  if (typeof chunk === "string") {
    const name = encoding ?? state.defaultEncoding;
    if (name !== "buffer" && encodingOf(name) === undefined) throw coded(TypeError, "ERR_UNKNOWN_ENCODING", `Unknown encoding: ${name}`);
    return state.decodeStrings ? [Buffer.from(chunk, name), "buffer"] : [chunk, name];
  }
  if (chunk instanceof Uint8Array) return [Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength), "buffer"];
  throw wrongType("chunk", ["string", "Buffer", "Uint8Array"], chunk);
};

Object.assign(Writable.prototype, {
  write(given, second, third) {
    const state = this._writableState;
    const [encoding, callback = () => {}] = typeof second === "function" ? [undefined, second] : [second ?? undefined, third ?? undefined];
    if (given === null) throw coded(TypeError, "ERR_STREAM_NULL_VALUES", "May not write null values to stream");
    const [chunk, name] = chunkOf(state, given, encoding);
    const refusal = state.ending ? coded(Error, "ERR_STREAM_WRITE_AFTER_END", "write after end") : state.destroyed ? coded(Error, "ERR_STREAM_DESTROYED", "Cannot call write after a stream was destroyed") : undefined;
    if (refusal !== undefined) {
      queueMicrotask(() => callback(refusal));
      failWith(this, refusal);
      return false;
    }
    const size = state.objectMode ? 1 : chunk.length;
    state.length += size;
    const isLow = state.length < state.highWaterMark;
    if (!isLow) state.needDrain = true;
    state.queue.push({ chunk, encoding: name, size, callbacks: [callback] });
    advance(this);
    return isLow && !state.errored && !state.destroyed;
  },
  end(first, second, third) {
    const state = this._writableState;
    const args = [first, second, third];
    const callback = args.find((one) => typeof one === "function");
    const chunk = typeof first === "function" ? undefined : first;
    if (chunk !== undefined && chunk !== null) this.write(chunk, typeof second === "function" ? undefined : second);
    state.corked = 0;
    let refusal;
    if (state.finished) refusal = coded(Error, "ERR_STREAM_ALREADY_FINISHED", "Cannot call end after a stream was finished");
    else if (state.destroyed) refusal = coded(Error, "ERR_STREAM_DESTROYED", "Cannot call end after a stream was destroyed");
    if (callback !== undefined) {
      if (refusal !== undefined) queueMicrotask(() => callback(refusal));
      else state.endCallbacks.push(callback);
    }
    if (refusal === undefined && !state.ending) {
      state.ending = true;
      state.ended = true;
      advance(this);
    }
    return this;
  },
  cork() {
    this._writableState.corked += 1;
  },
  uncork() {
    const state = this._writableState;
    if (state.corked > 0) state.corked -= 1;
    if (state.corked === 0) advance(this);
  },
  setDefaultEncoding(encoding) {
    if (encodingOf(encoding) === undefined) throw coded(TypeError, "ERR_UNKNOWN_ENCODING", `Unknown encoding: ${encoding}`);
    this._writableState.defaultEncoding = encoding;
    return this;
  },
  _write(chunk, encoding, callback) {
    if (typeof this._writev === "function") this._writev([{ chunk, encoding }], callback);
    else throw coded(Error, "ERR_METHOD_NOT_IMPLEMENTED", "The _write() method is not implemented");
  },
  _destroy(error, callback) {
    callback(error);
  },
  destroy(error, callback) {
    const state = this._writableState;
    if (!state.destroyed) {
      const gone = error ?? coded(Error, "ERR_STREAM_DESTROYED", "Cannot call write after a stream was destroyed");
      const left = state.queue.splice(0).flatMap(({ callbacks }) => callbacks).concat(state.endCallbacks.splice(0));
      if (left.length > 0) queueMicrotask(() => left.forEach((one) => one(gone)));
    }
    return destroy.call(this, error, callback);
  },
  pipe() {
    this.emit("error", coded(Error, "ERR_STREAM_CANNOT_PIPE", "Cannot pipe, not readable"));
  },
  [EventEmitter.captureRejectionSymbol](error) {
    this.destroy(error);
  },
});
Writable.prototype._writev = null;

export const writableFields = {
  closed: (stream) => Boolean(stream._writableState?.closed),
  destroyed: (stream) => Boolean(stream._writableState?.destroyed),
  errored: (stream) => stream._writableState?.errored ?? null,
  writable: (stream) => {
    const state = stream._writableState;
    return state !== undefined && !state.ended && !state.destroyed && !state.errored && state.ignored !== true;
  },
  writableAborted: (stream) => Boolean(stream._writableState?.destroyed && !stream._writableState.finished),
  writableCorked: (stream) => stream._writableState?.corked ?? 0,
  writableEnded: (stream) => stream._writableState?.ending ?? false,
  writableFinished: (stream) => stream._writableState?.finished ?? false,
  writableHighWaterMark: (stream) => stream._writableState?.highWaterMark,
  writableLength: (stream) => stream._writableState?.length,
  writableNeedDrain: (stream) => Boolean(stream._writableState?.needDrain),
  writableObjectMode: (stream) => Boolean(stream._writableState?.objectMode),
  writableBuffer: (stream) => stream._writableState?.queue,
};
export const addFields = (prototype, fields) => {
  for (const [name, read] of Object.entries(fields)) {
    Object.defineProperty(prototype, name, {
      get() {
        return read(this);
      },
      // Old packages write their own.
      set(value) {
        if (name === "destroyed") for (const state of [this._readableState, this._writableState]) if (state) state.destroyed = value;
        if (name !== "destroyed") Object.defineProperty(this, name, { value, writable: true, configurable: true, enumerable: true });
      },
      configurable: true,
    });
  }
};
addFields(Writable.prototype, writableFields);
