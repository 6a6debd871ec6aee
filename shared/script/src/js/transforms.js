// TransformStream, and the streams that encode and decode text.
(function (host, core) {
  "use strict";
  const key = Symbol("streams");
  const { deferred, highWaterMark, method, sizeOf } = core.use("queues");
  const { ReadableStream } = core.use("streams");
  const { WritableStream } = core.use("writables");

  class TransformStreamDefaultController {
    #own;
    constructor(secret, own) {
      if (secret !== key) throw new TypeError("Illegal constructor");
      this.#own = own;
    }
    get desiredSize() {
      return this.#own.readable.desiredSize;
    }
    enqueue(chunk) {
      try {
        this.#own.readable.enqueue(chunk);
      } catch (error) {
        this.#own.stopWriting(error);
        throw error;
      }
      if (this.#own.readable.desiredSize <= 0) this.#own.hold();
    }
    error(reason) {
      this.#own.fail(reason);
    }
    terminate() {
      this.#own.readable.close();
      this.#own.stopWriting(new TypeError("the transform stream was terminated"));
    }
  }

  class TransformStream {
    #readable;
    #writable;
    constructor(transformer = {}, writableStrategy = {}, readableStrategy = {}) {
      for (const name of ["readableType", "writableType"]) {
        if (transformer?.[name] !== undefined) throw new RangeError(`a transformer has no ${name}`);
      }
      const own = { readable: undefined, writable: undefined, gate: deferred(), ended: false };
      own.hold = () => {
        if (own.open) [own.gate, own.open] = [deferred(), false];
      };
      own.release = () => {
        own.open = true;
        own.gate.resolve(undefined);
      };
      own.stopWriting = (reason) => {
        own.writable.error(reason);
        own.release();
      };
      own.fail = (reason) => {
        own.readable.error(reason);
        own.stopWriting(reason);
      };
      const face = new TransformStreamDefaultController(key, own);
      const [start, flush, cancel] = ["start", "flush", "cancel"].map((name) => method(transformer, name));
      const transform = transformer?.transform === undefined
        ? (chunk) => face.enqueue(chunk)
        : method(transformer, "transform");
      const started = deferred();
      // Once, whichever side ends first.
      const end = async (run) => {
        if (own.ended) return undefined;
        own.ended = true;
        return run();
      };
      this.#readable = new ReadableStream({
        start: (controller) => {
          own.readable = controller;
          return started.promise;
        },
        pull: () => own.release(),
        cancel: (reason) => end(async () => {
          try {
            await cancel(reason);
          } catch (error) {
            own.stopWriting(error);
            throw error;
          }
          own.stopWriting(reason);
        }),
      }, { highWaterMark: highWaterMark(readableStrategy, 0), size: sizeOf(readableStrategy) });
      this.#writable = new WritableStream({
        start: (controller) => {
          own.writable = controller;
          return started.promise;
        },
        write: async (chunk) => {
          await own.gate.promise;
          try {
            await transform(chunk, face);
          } catch (error) {
            own.fail(error);
            throw error;
          }
        },
        close: () => end(async () => {
          try {
            await flush(face);
          } catch (error) {
            own.readable.error(error);
            throw error;
          }
          // The flush may have ended the stream itself.
          if (own.readable.desiredSize !== null && !own.closed) {
            try {
              own.readable.close();
            } catch {
              // Terminated: nothing is left to close.
            }
          }
        }),
        abort: (reason) => end(async () => {
          try {
            await cancel(reason);
          } finally {
            own.readable.error(reason);
          }
        }),
      }, { highWaterMark: highWaterMark(writableStrategy, 1), size: sizeOf(writableStrategy) });
      if (highWaterMark(readableStrategy, 0) > 0) own.release();
      started.resolve(start(face));
    }
    get readable() {
      return this.#readable;
    }
    get writable() {
      return this.#writable;
    }
    get [Symbol.toStringTag]() {
      return "TransformStream";
    }
  }

  class TextEncoderStream {
    #pair;
    constructor() {
      const encoder = new TextEncoder();
      let high = "";
      this.#pair = new TransformStream({
        transform(chunk, controller) {
          let text = high + String(chunk);
          // Half a surrogate pair waits for its other half.
          high = /[\ud800-\udbff]$/.test(text) ? text.slice(-1) : "";
          text = text.slice(0, text.length - high.length);
          if (text !== "") controller.enqueue(encoder.encode(text));
        },
        flush(controller) {
          if (high !== "") controller.enqueue(encoder.encode("\ufffd"));
        },
      });
    }
    get encoding() {
      return "utf-8";
    }
    get readable() {
      return this.#pair.readable;
    }
    get writable() {
      return this.#pair.writable;
    }
  }

  class TextDecoderStream {
    #decoder;
    #pair;
    constructor(label, options) {
      const decoder = (this.#decoder = new TextDecoder(label, options));
      this.#pair = new TransformStream({
        transform(chunk, controller) {
          const text = decoder.decode(chunk, { stream: true });
          if (text !== "") controller.enqueue(text);
        },
        flush(controller) {
          const text = decoder.decode();
          if (text !== "") controller.enqueue(text);
        },
      });
    }
    get encoding() {
      return this.#decoder.encoding;
    }
    get fatal() {
      return this.#decoder.fatal;
    }
    get ignoreBOM() {
      return this.#decoder.ignoreBOM;
    }
    get readable() {
      return this.#pair.readable;
    }
    get writable() {
      return this.#pair.writable;
    }
  }

  return { TextDecoderStream, TextEncoderStream, TransformStream, TransformStreamDefaultController };
})
