// ReadableStream, by the WHATWG Streams standard: its names for states and algorithms are kept.
// Byte streams have readers that bring their own buffer; `byobRequest` is always null.
(function (host, core) {
  "use strict";
  const key = Symbol("streams");
  const { Queue, deferred, handled, highWaterMark, later, method, promised, sizeOf } =
    core.use("queues");
  const bytesOf = (view) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength);

  // The part that both kinds of controller share; `stream` is the stream's own state.
  class Controller {
    #stream;
    #queue = new Queue();
    #mark;
    #size;
    #pull;
    #cancel;
    #bytes;
    #started = false;
    #pulling = false;
    #pullAgain = false;
    #closing = false;
    constructor(secret, stream, { pull, cancel, mark, size, bytes }) {
      if (secret !== key) throw new TypeError("Illegal constructor");
      this.#stream = stream;
      [this.#pull, this.#cancel, this.#mark, this.#size] = [pull, cancel, mark, size];
      this.#bytes = bytes;
    }
    get desiredSize() {
      if (this.#stream.state === "errored") return null;
      if (this.#stream.state === "closed") return 0;
      return this.#mark - this.#queue.total;
    }
    get byobRequest() {
      return this.#bytes ? null : undefined;
    }
    #open(what) {
      if (this.#closing || this.#stream.state !== "readable") {
        throw new TypeError(`the stream is ${this.#closing ? "closing" : this.#stream.state}; ${what}`);
      }
    }
    enqueue(chunk) {
      this.#open("nothing can be enqueued");
      if (this.#bytes) {
        if (!ArrayBuffer.isView(chunk) || chunk.byteLength === 0) {
          throw new TypeError("a byte stream takes views of buffers that are not empty");
        }
        this.#queue.push(bytesOf(chunk), chunk.byteLength);
        this.#serve();
      } else if (this.#stream.requests.length > 0) {
        this.#stream.requests.shift().chunk(chunk);
      } else {
        try {
          this.#queue.push(chunk, this.#size(chunk));
        } catch (error) {
          this.error(error);
          throw error;
        }
      }
      this.#pullIfNeeded();
    }
    close() {
      this.#open("it cannot be closed");
      this.#closing = true;
      if (this.#queue.length === 0) this.#closeStream();
    }
    error(reason) {
      if (this.#stream.state !== "readable") return;
      this.#queue.clear();
      this.#pull = this.#cancel = () => undefined;
      this.#stream.fail(reason);
    }
    #closeStream() {
      this.#pull = this.#cancel = () => undefined;
      this.#stream.close();
    }
    // Gives queued bytes to whoever waits for them.
    #serve() {
      while (this.#queue.length > 0 && this.#stream.requests.length > 0) {
        const request = this.#stream.requests.shift();
        request.chunk(request.view === undefined ? this.#queue.shift() : this.#fill(request.view));
      }
    }
    #fill(view) {
      const target = bytesOf(view);
      let at = 0;
      while (at < target.length && this.#queue.length > 0) {
        const chunk = this.#queue.shift();
        const part = chunk.subarray(0, target.length - at);
        target.set(part, at);
        at += part.length;
        if (part.length < chunk.length) {
          const rest = chunk.subarray(part.length);
          this.#queue.items.unshift({ value: rest, size: rest.length });
          this.#queue.total += rest.length;
        }
      }
      const element = view.constructor.BYTES_PER_ELEMENT ?? 1;
      return new view.constructor(view.buffer, view.byteOffset, Math.floor(at / element));
    }
    #pullIfNeeded() {
      const { state, requests } = this.#stream;
      if (state !== "readable" || this.#closing || !this.#started) return;
      if (requests.length === 0 && this.desiredSize <= 0) return;
      if (this.#pulling) {
        this.#pullAgain = true;
        return;
      }
      this.#pulling = true;
      later(
        promised(() => this.#pull(this)),
        () => {
          this.#pulling = false;
          if (this.#pullAgain) {
            this.#pullAgain = false;
            this.#pullIfNeeded();
          }
        },
        (error) => this.error(error),
      );
    }
    static steps(secret) {
      if (secret !== key) throw new TypeError("Illegal invocation");
      return {
        start(controller, run) {
          const result = run(controller);
          later(
            Promise.resolve(result),
            () => {
              controller.#started = true;
              controller.#pullIfNeeded();
            },
            (error) => controller.error(error),
          );
        },
        pull(controller, request) {
          const stream = controller.#stream;
          if (controller.#queue.length > 0) {
            const chunk = request.view === undefined
              ? controller.#queue.shift()
              : controller.#fill(request.view);
            if (controller.#closing && controller.#queue.length === 0) controller.#closeStream();
            else controller.#pullIfNeeded();
            request.chunk(chunk);
            return;
          }
          stream.requests.push(request);
          controller.#pullIfNeeded();
        },
        cancel(controller, reason) {
          controller.#queue.clear();
          const cancel = controller.#cancel;
          controller.#pull = controller.#cancel = () => undefined;
          return promised(() => cancel(reason));
        },
      };
    }
  }
  const steps = Controller.steps(key);
  delete Controller.steps;
  class ReadableStreamDefaultController extends Controller {}
  class ReadableByteStreamController extends Controller {}

  const release = (state) => {
    const error = new TypeError("the reader was released");
    for (const request of state.requests.splice(0)) request.error(error);
    const { closed } = state.reader;
    if (state.state === "readable") closed.reject(error);
    else {
      state.reader.closed = deferred();
      state.reader.closed.reject(error);
    }
    state.reader = undefined;
  };

  class Reader {
    #stream;
    #own;
    constructor(stream) {
      if (!(stream instanceof ReadableStream)) throw new TypeError("a reader needs a ReadableStream");
      const state = stateOf(stream);
      if (state.reader !== undefined) throw new TypeError("the stream is locked to a reader already");
      this.#stream = stream;
      this.#own = { closed: deferred() };
      state.reader = this.#own;
      if (state.state === "closed") this.#own.closed.resolve(undefined);
      if (state.state === "errored") this.#own.closed.reject(state.error);
    }
    get closed() {
      return this.#own.closed.promise;
    }
    cancel(reason) {
      if (this.#stream === undefined) return Promise.reject(new TypeError("the reader was released"));
      return cancelStream(this.#stream, reason);
    }
    releaseLock() {
      if (this.#stream === undefined) return;
      release(stateOf(this.#stream));
      this.#stream = undefined;
    }
    _read(view) {
      if (this.#stream === undefined) return Promise.reject(new TypeError("the reader was released"));
      const stream = this.#stream;
      return new Promise((resolve, reject) => {
        readStream(stream, {
          view,
          chunk: (value) => resolve({ value, done: false }),
          close: () => resolve({
            value: view && new view.constructor(view.buffer, view.byteOffset, 0), done: true,
          }),
          error: reject,
        });
      });
    }
  }
  const read = Reader.prototype._read;
  delete Reader.prototype._read;

  class ReadableStreamDefaultReader extends Reader {
    read() {
      return read.call(this, undefined);
    }
  }
  class ReadableStreamBYOBReader extends Reader {
    constructor(stream) {
      if (!stateOf(stream).bytes) throw new TypeError("only a byte stream has such a reader");
      super(stream);
    }
    read(view) {
      if (!ArrayBuffer.isView(view) || view.byteLength === 0) {
        return Promise.reject(new TypeError("read needs a view of a buffer that is not empty"));
      }
      return read.call(this, view);
    }
  }

  const readStream = (stream, request) => {
    const state = stateOf(stream);
    state.disturbed = true;
    if (state.state === "closed") request.close();
    else if (state.state === "errored") request.error(state.error);
    else steps.pull(state.controller, request);
  };
  const cancelStream = (stream, reason) => {
    const state = stateOf(stream);
    state.disturbed = true;
    if (state.state === "closed") return Promise.resolve(undefined);
    if (state.state === "errored") return Promise.reject(state.error);
    state.close();
    return steps.cancel(state.controller, reason).then(() => undefined);
  };

  class ReadableStream {
    #state;
    constructor(source = {}, strategy = {}) {
      const state = {
        state: "readable", reader: undefined, error: undefined, disturbed: false, requests: [],
        bytes: false,
        close() {
          state.state = "closed";
          state.reader?.closed.resolve(undefined);
          for (const request of state.requests.splice(0)) request.close();
        },
        fail(reason) {
          state.state = "errored";
          state.error = reason;
          state.reader?.closed.reject(reason);
          for (const request of state.requests.splice(0)) request.error(reason);
        },
      };
      this.#state = state;
      const type = source?.type === undefined ? undefined : String(source.type);
      if (type !== undefined && type !== "bytes") {
        throw new TypeError(`a stream has the type "bytes" or none, not ${type}`);
      }
      state.bytes = type === "bytes";
      if (state.bytes && strategy?.size !== undefined) {
        throw new RangeError("the strategy of a byte stream has no size");
      }
      const [size, mark] = [sizeOf(strategy), highWaterMark(strategy, state.bytes ? 0 : 1)];
      const [start, pull, cancel] = ["start", "pull", "cancel"].map((name) => method(source, name));
      const Kind = state.bytes ? ReadableByteStreamController : ReadableStreamDefaultController;
      state.controller = new Kind(key, state, { pull, cancel, mark, size, bytes: state.bytes });
      steps.start(state.controller, start);
    }
    static from(iterable) {
      const from = iterable?.[Symbol.asyncIterator] ?? iterable?.[Symbol.iterator];
      if (typeof from !== "function") throw new TypeError("from needs something that can be iterated");
      const iterator = from.call(iterable);
      return new ReadableStream({
        async pull(controller) {
          const { done, value } = await iterator.next();
          if (done) controller.close();
          else controller.enqueue(await value);
        },
        async cancel(reason) {
          await iterator.return?.(reason);
        },
      }, { highWaterMark: 0 });
    }
    get locked() {
      return this.#state.reader !== undefined;
    }
    cancel(reason) {
      if (this.locked) return Promise.reject(new TypeError("the stream is locked to a reader"));
      return cancelStream(this, reason);
    }
    getReader(options) {
      const mode = options?.mode;
      if (mode === undefined) return new ReadableStreamDefaultReader(this);
      if (String(mode) !== "byob") throw new TypeError(`a reader has the mode "byob" or none, not ${mode}`);
      return new ReadableStreamBYOBReader(this);
    }
    tee() {
      const reader = this.getReader();
      const branches = [];
      const cancelled = [];
      const reasons = [];
      const whole = deferred();
      let reading = false;
      let again = false;
      const both = (run) => {
        for (const at of [0, 1]) if (!cancelled[at]) run(branches[at]);
      };
      const pull = () => {
        if (reading) {
          again = true;
          return;
        }
        reading = true;
        readStream(this, {
          chunk: (chunk) => queueMicrotask(() => {
            again = false;
            both((controller) => controller.enqueue(chunk));
            reading = false;
            if (again) pull();
          }),
          close: () => {
            reading = false;
            both((controller) => controller.close());
            if (!cancelled[0] || !cancelled[1]) whole.resolve(undefined);
          },
          error: () => {
            reading = false;
          },
        });
      };
      const branch = (at) => new ReadableStream({
        start: (controller) => void (branches[at] = controller),
        pull,
        cancel: (reason) => {
          [cancelled[at], reasons[at]] = [true, reason];
          if (cancelled[1 - at]) cancelStream(this, [reasons[0], reasons[1]]).then(whole.resolve, whole.reject);
          return whole.promise;
        },
      });
      const made = [branch(0), branch(1)];
      later(reader.closed, () => {}, (error) => {
        for (const controller of branches) controller.error(error);
        if (!cancelled[0] || !cancelled[1]) whole.resolve(undefined);
      });
      return made;
    }
    pipeTo(target, options = {}) {
      try {
        return core.use("writables").pipe(this, target, options ?? {});
      } catch (error) {
        return Promise.reject(error);
      }
    }
    pipeThrough(pair, options = {}) {
      if (this.locked) throw new TypeError("the stream is locked to a reader");
      if (pair.writable.locked) throw new TypeError("the stream to write to is locked to a writer");
      handled(core.use("writables").pipe(this, pair.writable, options ?? {}));
      return pair.readable;
    }
    values({ preventCancel = false } = {}) {
      const reader = this.getReader();
      let ended = false;
      let last = Promise.resolve();
      const finish = (value) => ({ value, done: true });
      const next = async () => {
        if (ended) return finish(undefined);
        try {
          const result = await reader.read();
          if (result.done) {
            ended = true;
            reader.releaseLock();
          }
          return result;
        } catch (error) {
          ended = true;
          reader.releaseLock();
          throw error;
        }
      };
      const end = async (value) => {
        if (!ended) {
          ended = true;
          const cancelled = preventCancel ? undefined : reader.cancel(value);
          reader.releaseLock();
          await cancelled;
        }
        return finish(value);
      };
      const inOrder = (run) => (value) => {
        last = last.then(() => run(value), () => run(value));
        return last;
      };
      return {
        next: inOrder(next),
        return: inOrder(end),
        [Symbol.asyncIterator]() {
          return this;
        },
      };
    }
    [Symbol.asyncIterator](options) {
      return this.values(options);
    }
    get [Symbol.toStringTag]() {
      return "ReadableStream";
    }
    static state(secret, stream) {
      if (secret !== key) throw new TypeError("Illegal invocation");
      return stream.#state;
    }
  }
  const state = ReadableStream.state;
  delete ReadableStream.state;
  const stateOf = (stream) => state(key, stream);

  return {
    ReadableByteStreamController, ReadableStream, ReadableStreamBYOBReader,
    ReadableStreamDefaultController, ReadableStreamDefaultReader, cancelStream, readStream, stateOf,
  };
})
