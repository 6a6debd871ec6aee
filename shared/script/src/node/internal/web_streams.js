// Streams of Node as the web's, and back. The web's are globals, looked up when one is made.
import { Buffer } from "node:internal/buffer";
import { eos } from "node:internal/stream_end";

export const readableToWeb = (stream) =>
  new ReadableStream({
    start(controller) {
      stream.pause();
      stream.on("data", (chunk) => {
        controller.enqueue(chunk instanceof Uint8Array ? new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength) : chunk);
        if (controller.desiredSize <= 0) stream.pause();
      });
      eos(stream, { writable: false }, (error) => {
        if (error) controller.error(error);
        else controller.close();
      });
    },
    pull() {
      stream.resume();
    },
    cancel(reason) {
      stream.destroy(reason);
    },
  });
export const readableFromWeb = (Readable, source, options) => {
  const reader = source.getReader();
  return new Readable({
    ...options,
    read() {
      reader.read().then(
        ({ value, done }) => this.push(done ? null : options?.objectMode || !(value instanceof Uint8Array) ? value : Buffer.from(value)),
        (error) => this.destroy(error),
      );
    },
    destroy(error, callback) {
      reader.cancel(error ?? undefined).then(() => callback(error), () => callback(error));
    },
  });
};
export const writableToWeb = (stream) =>
  new WritableStream({
    write: (chunk) => new Promise((resolve, reject) => stream.write(chunk, (error) => (error ? reject(error) : resolve()))),
    close: () => new Promise((resolve, reject) => stream.end((error) => (error ? reject(error) : resolve()))),
    abort(reason) {
      stream.destroy(reason);
    },
  });
export const writableFromWeb = (Writable, target, options) => {
  const writer = target.getWriter();
  const settled = (promise, callback) => promise.then(() => callback(), callback);
  return new Writable({
    ...options,
    write(chunk, _, callback) {
      settled(writer.write(chunk), callback);
    },
    final(callback) {
      settled(writer.close(), callback);
    },
    destroy(error, callback) {
      if (error) settled(writer.abort(error), () => callback(error));
      else callback(error);
    },
  });
};
