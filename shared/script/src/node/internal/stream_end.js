// How streams end: destroy, and `finished`, which waits for it.
import { coded, needsFunction, wrongType } from "node:internal/errors";

const INVALID = "Premature close";
export const prematureClose = () => coded(Error, "ERR_STREAM_PREMATURE_CLOSE", INVALID);
export const abortError = (signal) => {
  const error = coded(Error, "ABORT_ERR", "The operation was aborted");
  error.name = "AbortError";
  if (signal?.reason !== undefined) error.cause = signal.reason;
  return error;
};
const states = (stream) => [stream._readableState, stream._writableState].filter((state) => state !== undefined);

const emitClose = (stream, error) => {
  const all = states(stream);
  if (error && !all.some((state) => state.errorEmitted)) {
    for (const state of all) state.errorEmitted = true;
    stream.emit("error", error);
  }
  for (const state of all) {
    if (state.closeEmitted) return;
    state.closed = true;
    state.closeEmitted = true;
  }
  if (all.every((state) => state.emitClose)) stream.emit("close");
};

// The method of every stream.
export function destroy(error, callback) {
  const all = states(this);
  if (all.some((state) => state.destroyed)) {
    if (typeof callback === "function") callback();
    return this;
  }
  for (const state of all) {
    state.destroyed = true;
    if (error) state.errored ??= error;
  }
  let called = false;
  const done = (failure) => {
    if (called) return;
    called = true;
    const reason = failure ?? error ?? null;
    for (const state of all) if (reason) state.errored ??= reason;
    if (typeof callback === "function") callback(reason);
    queueMicrotask(() => emitClose(this, reason));
  };
  const start = () => {
    try {
      const made = this._destroy(error ?? null, done);
      if (typeof made?.then === "function") made.then(() => done(), done);
    } catch (failure) {
      done(failure);
    }
  };
  if (all.some((state) => state.constructing)) this.once("constructed", start);
  else start();
  return this;
}
// An error of the stream's own: it is destroyed, or only says so.
export const failWith = (stream, error) => {
  const all = states(stream);
  if (all.some((state) => state.destroyed)) return;
  if (all.some((state) => state.autoDestroy)) {
    stream.destroy(error);
    return;
  }
  for (const state of all) {
    state.errored ??= error;
    state.errorEmitted = true;
  }
  queueMicrotask(() => stream.emit("error", error));
};
export const destroyer = (stream, error) => {
  if (typeof stream.destroy === "function") stream.destroy(error);
  else if (typeof stream.close === "function") stream.close();
};
// Runs the `construct` of a stream's options before anything else.
export const constructed = (stream, ready) => {
  if (typeof stream._construct !== "function") return;
  const all = states(stream);
  for (const state of all) state.constructing = true;
  queueMicrotask(() => {
    const done = (error) => {
      for (const state of all) state.constructing = false;
      stream.emit("constructed");
      if (error) failWith(stream, error);
      else ready();
    };
    try {
      const made = stream._construct(done);
      if (typeof made?.then === "function") made.then(() => done(), done);
    } catch (error) {
      done(error);
    }
  });
};

export const isReadableSide = (stream) => typeof stream?.read === "function" || stream?._readableState !== undefined;
export const isWritableSide = (stream) => typeof stream?.write === "function";
export const isReadableEnded = (stream) => stream._readableState?.endEmitted ?? stream.readableEnded ?? false;
export const isWritableFinished = (stream) => stream._writableState?.finished ?? stream.writableFinished ?? false;

// Calls back once when a stream has ended, finished, failed or was closed too early.
export const eos = (stream, options, callback) => {
  if (typeof options === "function") return eos(stream, {}, options);
  const done = needsFunction("callback", callback);
  if (typeof stream?.on !== "function") throw wrongType("stream", ["ReadableStream", "WritableStream", "Stream"], stream);
  const reads = options?.readable ?? (isReadableSide(stream) && stream.readable !== undefined && stream._readableState !== undefined);
  const writes = options?.writable ?? (isWritableSide(stream) && stream._writableState !== undefined);
  let over = false;
  const finish = (error) => {
    if (over) return;
    over = true;
    done.call(stream, error);
  };
  const isWhole = () => (!reads || isReadableEnded(stream)) && (!writes || isWritableFinished(stream));
  const onEnd = () => {
    if (isWhole()) finish();
  };
  const onFinish = onEnd;
  const onError = (error) => finish(error);
  const onClose = () => {
    const failure = states(stream).map((state) => state.errored).find(Boolean);
    if (failure) finish(failure);
    else finish(isWhole() ? undefined : prematureClose());
  };
  const onAbort = () => {
    clean();
    finish(abortError(options.signal));
  };
  stream.on("end", onEnd);
  stream.on("finish", onFinish);
  if (options?.error !== false) stream.on("error", onError);
  stream.on("close", onClose);
  options?.signal?.addEventListener("abort", onAbort, { once: true });
  const clean = () => {
    stream.removeListener("end", onEnd);
    stream.removeListener("finish", onFinish);
    stream.removeListener("error", onError);
    stream.removeListener("close", onClose);
    options?.signal?.removeEventListener("abort", onAbort);
  };
  const all = states(stream);
  if (options?.signal?.aborted) queueMicrotask(onAbort);
  else if (all.some((state) => state.closed)) queueMicrotask(onClose);
  else if (all.length > 0 && isWhole()) queueMicrotask(() => finish());
  return clean;
};
