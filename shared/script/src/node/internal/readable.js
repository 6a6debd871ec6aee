// stream.Readable.
import EventEmitter from "node:events";
import { StringDecoder } from "node:string_decoder";
import { Buffer } from "node:internal/buffer";
import { coded, wrongType } from "node:internal/errors";
import { abortError, constructed, destroy, eos, failWith } from "node:internal/stream_end";
import { addFields, highWaterOf, Stream } from "node:internal/writable";

const readableState = (options, isDuplex) => {
  const objectMode = Boolean(options?.objectMode || (isDuplex && options?.readableObjectMode));
  const encoding = options?.encoding ?? null;
  return {
    objectMode, highWaterMark: highWaterOf(options, "readableHighWaterMark", objectMode, isDuplex), buffer: [], length: 0, pipes: [],
    flowing: null, ended: false, endEmitted: false, reading: false, sync: true, needReadable: false, readableListening: false,
    emittedReadable: false, resumeScheduled: false, awaitDrain: new Set(), dataEmitted: false,
    encoding, decoder: encoding === null ? null : new StringDecoder(encoding),
    emitClose: options?.emitClose !== false, autoDestroy: options?.autoDestroy !== false,
    destroyed: false, closed: false, closeEmitted: false, errored: null, errorEmitted: false, constructing: false,
  };
};

export function Readable(options, isDuplex = false) {
  if (!(this instanceof Readable)) return new Readable(options);
  this._readableState = readableState(options, isDuplex === true);
  if (typeof options?.read === "function") this._read = options.read;
  if (isDuplex === true) return;
  if (typeof options?.destroy === "function") this._destroy = options.destroy;
  if (typeof options?.construct === "function") this._construct = options.construct;
  Stream.call(this, options);
  if (options?.signal) abortOn(options.signal, this);
  constructed(this, () => fillMore(this));
}
Object.setPrototypeOf(Readable.prototype, Stream.prototype);
Object.setPrototypeOf(Readable, Stream);
export const abortOn = (signal, stream) => {
  const onAbort = () => stream.destroy(abortError(signal));
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  return stream;
};

const sizeOf = (state, chunk) => (state.objectMode ? 1 : chunk.length);
const emitReadable = (stream) => {
  const state = stream._readableState;
  state.needReadable = false;
  if (state.emittedReadable) return;
  state.emittedReadable = true;
  queueMicrotask(() => {
    if (!state.destroyed && !state.errored && (state.length > 0 || state.ended)) {
      stream.emit("readable");
      state.emittedReadable = false;
    }
    state.needReadable = !state.flowing && !state.ended && state.length <= state.highWaterMark;
    flow(stream);
  });
};
const flow = (stream) => {
  const state = stream._readableState;
  while (state.flowing && stream.read() !== null);
};
const fillMore = (stream) => {
  queueMicrotask(() => {
    const state = stream._readableState;
    while (!state.reading && !state.ended && !state.destroyed && !state.constructing && (state.length < state.highWaterMark || (state.flowing && state.length === 0))) {
      const before = state.length;
      stream.read(0);
      if (state.length === before) break;
    }
  });
};
const atEnd = (stream, state) => {
  if (state.ended) return;
  const rest = state.decoder?.end();
  if (rest) {
    state.buffer.push(rest);
    state.length += sizeOf(state, rest);
  }
  state.ended = true;
  if (state.sync) emitReadable(stream);
  else {
    state.needReadable = false;
    state.emittedReadable = true;
    stream.emit("readable");
    state.emittedReadable = false;
    flow(stream);
  }
};
const add = (stream, given, encoding, isFirst) => {
  const state = stream._readableState;
  let chunk = given;
  if (chunk === null) {
    state.reading = false;
    atEnd(stream, state);
    return false;
  }
  if (!state.objectMode) {
    if (typeof chunk === "string") {
      if (state.encoding !== (encoding || "utf8") || state.decoder === null) chunk = Buffer.from(chunk, encoding || "utf8");
    } else if (chunk instanceof Uint8Array) {
      if (!Buffer.isBuffer(chunk)) chunk = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    } else if (chunk !== undefined) {
      failWith(stream, wrongType("chunk", ["string", "Buffer", "Uint8Array"], chunk));
      return false;
    }
  }
  if (!state.objectMode && (chunk === undefined || chunk.length === 0)) {
    if (!isFirst) state.reading = false;
    if (!isFirst) fillMore(stream);
    return !state.ended && (state.length < state.highWaterMark || state.length === 0);
  }
  if (isFirst) {
    if (state.endEmitted) failWith(stream, coded(Error, "ERR_STREAM_UNSHIFT_AFTER_END_EVENT", "stream.unshift() after end event"));
    else if (!state.destroyed) place(stream, state, chunk, true);
  } else if (state.ended) {
    failWith(stream, coded(Error, "ERR_STREAM_PUSH_AFTER_EOF", "stream.push() after EOF"));
    return false;
  } else if (state.destroyed || state.errored) {
    return false;
  } else {
    state.reading = false;
    if (state.decoder !== null && typeof chunk !== "string") chunk = state.decoder.write(chunk);
    if (state.objectMode || chunk.length > 0) place(stream, state, chunk, false);
    else fillMore(stream);
  }
  return !state.ended && (state.length < state.highWaterMark || state.length === 0);
};
const place = (stream, state, chunk, isFirst) => {
  if (state.flowing && state.length === 0 && !state.sync && stream.listenerCount("data") > 0) {
    state.dataEmitted = true;
    stream.emit("data", chunk);
  } else {
    state.length += sizeOf(state, chunk);
    if (isFirst) state.buffer.unshift(chunk);
    else state.buffer.push(chunk);
    if (state.needReadable) emitReadable(stream);
  }
  fillMore(stream);
};
const take = (state, count) => {
  if (state.length === 0) return null;
  if (state.objectMode) return state.buffer.shift();
  const joined = () => (typeof state.buffer[0] === "string" ? state.buffer.join("") : state.buffer.length === 1 ? state.buffer[0] : Buffer.concat(state.buffer));
  if (count >= state.length) {
    const all = joined();
    state.buffer = [];
    return all;
  }
  const whole = joined();
  state.buffer = [whole.slice(count)];
  return whole.slice(0, count);
};
const howMuch = (state, count) => {
  if (count <= 0 || (state.length === 0 && state.ended)) return 0;
  if (state.objectMode) return 1;
  if (Number.isNaN(count)) return state.flowing && state.length > 0 ? state.buffer[0].length : state.length;
  if (count <= state.length) return count;
  return state.ended ? state.length : 0;
};
const emitEnd = (stream, state) => {
  if (state.endEmitted || state.endScheduled) return;
  state.endScheduled = true;
  queueMicrotask(() => {
    if (state.endEmitted || state.errored || state.length > 0 || state.closeEmitted) return;
    state.endEmitted = true;
    stream.emit("end");
    const writing = stream._writableState;
    if (writing !== undefined && stream.allowHalfOpen === false && !writing.ending) stream.end();
    else if (state.autoDestroy && (writing === undefined || (writing.autoDestroy && (writing.finished || writing.ignored)))) stream.destroy();
  });
};

Object.assign(Readable.prototype, {
  destroy,
  _destroy(error, callback) {
    callback(error);
  },
  [EventEmitter.captureRejectionSymbol](error) {
    this.destroy(error);
  },
  push(chunk, encoding) {
    return add(this, chunk, encoding, false);
  },
  unshift(chunk, encoding) {
    return add(this, chunk, encoding, true);
  },
  isPaused() {
    return this._readableState.paused === true || this._readableState.flowing === false;
  },
  setEncoding(encoding) {
    const state = this._readableState;
    state.decoder = new StringDecoder(encoding);
    state.encoding = state.decoder.encoding;
    const text = state.buffer.map((chunk) => state.decoder.write(chunk)).join("");
    state.buffer = text === "" ? [] : [text];
    state.length = text.length;
    return this;
  },
  read(given) {
    const state = this._readableState;
    const count = given === undefined ? Number.NaN : Number.parseInt(given, 10);
    if (count !== 0) state.emittedReadable = false;
    if (count === 0 && state.needReadable && (state.length >= state.highWaterMark || state.ended) && (state.length > 0 || state.ended)) {
      if (state.length === 0 && state.ended) emitEnd(this, state);
      else emitReadable(this);
      return null;
    }
    if (!state.objectMode && count > state.highWaterMark) state.highWaterMark = count;
    let amount = howMuch(state, count);
    if (amount === 0 && state.ended) {
      if (state.length === 0) emitEnd(this, state);
      return null;
    }
    const wants = state.needReadable || state.length === 0 || state.length - amount < state.highWaterMark;
    if (wants && !state.ended && !state.reading && !state.destroyed && !state.errored && !state.constructing) {
      state.reading = true;
      state.sync = true;
      if (state.length === 0) state.needReadable = true;
      try {
        this._read(state.highWaterMark);
      } catch (error) {
        failWith(this, error);
      }
      state.sync = false;
      if (!state.reading) amount = howMuch(state, count);
    }
    const chunk = amount > 0 ? take(state, amount) : null;
    if (chunk === null) {
      state.needReadable = state.length <= state.highWaterMark;
    } else {
      state.length -= state.objectMode ? 1 : amount;
    }
    if (state.length === 0) {
      if (!state.ended) state.needReadable = true;
      if (state.ended && chunk !== null && given !== 0) emitEnd(this, state);
      if (state.ended && chunk === null) emitEnd(this, state);
    }
    if (chunk !== null && !state.errored && !state.closeEmitted) {
      state.dataEmitted = true;
      this.emit("data", chunk);
    }
    return chunk;
  },
  _read() {
    throw coded(Error, "ERR_METHOD_NOT_IMPLEMENTED", "The _read() method is not implemented");
  },
  resume() {
    const state = this._readableState;
    if (!state.flowing) {
      state.flowing = !state.readableListening;
      if (!state.resumeScheduled) {
        state.resumeScheduled = true;
        queueMicrotask(() => {
          state.resumeScheduled = false;
          if (!state.reading) this.read(0);
          this.emit("resume");
          flow(this);
          if (state.flowing && !state.reading) this.read(0);
        });
      }
    }
    state.paused = false;
    return this;
  },
  pause() {
    const state = this._readableState;
    if (state.flowing !== false) {
      state.flowing = false;
      this.emit("pause");
    }
    state.paused = true;
    return this;
  },
  on(type, listener) {
    const made = Stream.prototype.on.call(this, type, listener);
    const state = this._readableState;
    if (type === "data") {
      state.readableListening = this.listenerCount("readable") > 0;
      if (state.flowing !== false) this.resume();
    } else if (type === "readable" && !state.endEmitted && !state.readableListening) {
      state.readableListening = true;
      state.needReadable = true;
      state.flowing = false;
      state.emittedReadable = false;
      if (state.length > 0) emitReadable(this);
      else if (!state.reading) queueMicrotask(() => this.read(0));
    }
    return made;
  },
  removeListener(type, listener) {
    const made = Stream.prototype.removeListener.call(this, type, listener);
    if (type === "readable") queueMicrotask(() => stillReadable(this));
    return made;
  },
  removeAllListeners(...types) {
    const made = Stream.prototype.removeAllListeners.apply(this, types);
    if (types.length === 0 || types[0] === "readable") queueMicrotask(() => stillReadable(this));
    return made;
  },
  pipe(target, options) {
    const state = this._readableState;
    state.pipes.push(target);
    const onData = (chunk) => {
      if (target.write(chunk) === false) {
        state.awaitDrain.add(target);
        this.pause();
      }
    };
    const onDrain = () => {
      state.awaitDrain.delete(target);
      if (state.awaitDrain.size === 0 && this.listenerCount("data") > 0) this.resume();
    };
    const onEnd = () => target.end();
    const onUnpipe = (source, info) => {
      if (source !== this || info?.done) return;
      if (info) info.done = true;
      this.removeListener("data", onData);
      this.removeListener("end", onEnd);
      target.removeListener("drain", onDrain);
      target.removeListener("unpipe", onUnpipe);
      target.removeListener("error", onError);
      target.removeListener("close", onGone);
      if (state.awaitDrain.has(target)) onDrain();
    };
    const onGone = () => this.unpipe(target);
    const onError = (error) => {
      this.unpipe(target);
      target.removeListener("error", onError);
      if (target.listenerCount("error") === 0) {
        if (target._writableState && !target._writableState.errorEmitted) failWith(target, error);
        else target.emit("error", error);
      }
    };
    if (state.endEmitted) queueMicrotask(() => options?.end !== false && target.end());
    else if (options?.end !== false) this.once("end", onEnd);
    target.on("unpipe", onUnpipe);
    target.on("drain", onDrain);
    target.prependListener("error", onError);
    target.once("close", onGone);
    this.on("data", onData);
    target.emit("pipe", this);
    if (target.writableNeedDrain === true) this.pause();
    else if (!state.flowing) this.resume();
    return target;
  },
  unpipe(target) {
    const state = this._readableState;
    const gone = target === undefined ? state.pipes : state.pipes.filter((one) => one === target);
    if (gone.length === 0) return this;
    state.pipes = target === undefined ? [] : state.pipes.filter((one) => one !== target);
    if (state.pipes.length === 0) this.pause();
    for (const one of gone) one.emit("unpipe", this, { done: false });
    return this;
  },
  wrap(old) {
    old.on("data", (chunk) => {
      if (!this.push(chunk)) old.pause?.();
    });
    old.on("end", () => this.push(null));
    old.on("error", (error) => failWith(this, error));
    old.on("close", () => this.destroy());
    this._read = () => old.resume?.();
    return this;
  },
  iterator(options) {
    return iterate(this, options);
  },
  [Symbol.asyncIterator]() {
    return iterate(this);
  },
});
Readable.prototype.addListener = Readable.prototype.on;
Readable.prototype.off = Readable.prototype.removeListener;
const stillReadable = (stream) => {
  const state = stream._readableState;
  state.readableListening = stream.listenerCount("readable") > 0;
  if (state.resumeScheduled && state.paused === false) state.flowing = true;
  else if (stream.listenerCount("data") > 0 && !state.readableListening) stream.resume();
  else if (!state.readableListening && state.flowing === false && state.paused !== true) state.flowing = null;
};

async function* iterate(stream, options) {
  let wake = () => {};
  let failure;
  const next = () => wake();
  stream.on("readable", next);
  const clean = eos(stream, { writable: false }, (error) => {
    failure = error ?? null;
    wake();
  });
  try {
    while (true) {
      const chunk = stream.destroyed && stream._readableState.errored ? null : stream.read();
      if (chunk !== null) {
        yield chunk;
        continue;
      }
      if (failure) throw failure;
      if (failure === null) return;
      await new Promise((resolve) => {
        wake = resolve;
      });
    }
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    clean();
    stream.removeListener("readable", next);
    if (options?.destroyOnReturn !== false || failure) if (failure !== null || stream._readableState.autoDestroy) stream.destroy(null);
  }
}

export const readableFields = {
  closed: (stream) => Boolean(stream._readableState?.closed),
  destroyed: (stream) => Boolean(stream._readableState?.destroyed),
  errored: (stream) => stream._readableState?.errored ?? null,
  readable: (stream) => {
    const state = stream._readableState;
    return state !== undefined && !state.destroyed && !state.errored && !state.endEmitted && state.ignored !== true;
  },
  readableAborted: (stream) => Boolean(stream._readableState?.destroyed && !stream._readableState.endEmitted),
  readableDidRead: (stream) => Boolean(stream._readableState?.dataEmitted),
  readableEncoding: (stream) => stream._readableState?.encoding ?? null,
  readableEnded: (stream) => Boolean(stream._readableState?.endEmitted),
  readableFlowing: (stream) => stream._readableState?.flowing ?? null,
  readableHighWaterMark: (stream) => stream._readableState?.highWaterMark,
  readableLength: (stream) => stream._readableState?.length,
  readableObjectMode: (stream) => Boolean(stream._readableState?.objectMode),
  readableBuffer: (stream) => stream._readableState?.buffer,
};
addFields(Readable.prototype, readableFields);
