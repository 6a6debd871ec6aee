// WritableStream, TransformStream and the pipe between streams, by the WHATWG Streams standard.
(function (host, core) {
  "use strict";
  const key = Symbol("streams");
  const { Queue, deferred, handled, highWaterMark, later, method, promised, sizeOf } =
    core.use("queues");
  const { ReadableStream, cancelStream, readStream, stateOf: readableOf } = core.use("streams");
  const CLOSE = Symbol("close");

  // The state of a writable stream with the algorithms that change it.
  class State {
    state = "writable";
    error = undefined;
    writer = undefined;
    backpressure = false;
    writes = [];
    inFlight = undefined;
    closing = undefined;
    closeInFlight = undefined;
    aborting = undefined;
    constructor(controller) {
      this.controller = controller;
    }
    get closeQueuedOrInFlight() {
      return this.closing !== undefined || this.closeInFlight !== undefined;
    }
    setBackpressure(backpressure) {
      if (this.writer !== undefined && backpressure !== this.backpressure) {
        if (backpressure) this.writer.ready = deferred();
        else this.writer.ready.resolve(undefined);
      }
      this.backpressure = backpressure;
    }
    // Something failed: what is in flight ends first.
    startErroring(reason) {
      this.state = "erroring";
      this.error = reason;
      this.writer?.rejectReady(reason);
      if (this.inFlight === undefined && this.closeInFlight === undefined && this.controller.started) {
        this.finishErroring();
      }
    }
    finishErroring() {
      this.state = "errored";
      this.controller.queue.clear();
      for (const write of this.writes.splice(0)) write.reject(this.error);
      const aborting = this.aborting;
      this.aborting = undefined;
      if (aborting === undefined) return this.rejectClosed();
      if (aborting.wasErroring) {
        aborting.reject(this.error);
        return this.rejectClosed();
      }
      const abort = this.controller.abort;
      this.controller.clear();
      later(
        promised(() => abort(aborting.reason)),
        () => {
          aborting.resolve(undefined);
          this.rejectClosed();
        },
        (error) => {
          aborting.reject(error);
          this.rejectClosed();
        },
      );
    }
    rejectClosed() {
      if (this.closing !== undefined) {
        this.closing.reject(this.error);
        this.closing = undefined;
      }
      this.writer?.closed.reject(this.error);
    }
    dealWithRejection(error) {
      if (this.state === "writable") this.startErroring(error);
      else this.finishErroring();
    }
    finishWrite(error, failed) {
      const write = this.inFlight;
      this.inFlight = undefined;
      if (!failed) write.resolve(undefined);
      else {
        write.reject(error);
        this.dealWithRejection(error);
      }
    }
    finishClose(error, failed) {
      const close = this.closeInFlight;
      this.closeInFlight = undefined;
      if (failed) {
        close.reject(error);
        this.aborting?.reject(error);
        this.aborting = undefined;
        this.dealWithRejection(error);
        return;
      }
      close.resolve(undefined);
      if (this.state === "erroring") {
        this.error = undefined;
        this.aborting?.resolve(undefined);
        this.aborting = undefined;
      }
      this.state = "closed";
      this.writer?.closed.resolve(undefined);
    }
  }

  const abortStream = (stream, reason) => {
    const state = stateOf(stream);
    if (state.state === "closed" || state.state === "errored") return Promise.resolve(undefined);
    state.controller.signals.abort(reason);
    if (state.state === "closed" || state.state === "errored") return Promise.resolve(undefined);
    if (state.aborting !== undefined) return state.aborting.promise;
    const wasErroring = state.state === "erroring";
    state.aborting = Object.assign(deferred(), { reason: wasErroring ? undefined : reason, wasErroring });
    const { promise } = state.aborting;
    if (!wasErroring) state.startErroring(reason);
    return promise;
  };
  const closeStream = (stream) => {
    const state = stateOf(stream);
    if (state.state === "closed" || state.state === "errored") {
      return Promise.reject(new TypeError(`the stream is ${state.state}; it cannot be closed`));
    }
    const closing = (state.closing = deferred());
    if (state.writer !== undefined && state.backpressure && state.state === "writable") {
      state.writer.ready.resolve(undefined);
    }
    state.controller.queue.push(CLOSE, 0);
    state.controller.advance();
    return closing.promise;
  };

  class WritableStreamDefaultController {
    #own;
    constructor(secret, own) {
      if (secret !== key) throw new TypeError("Illegal constructor");
      this.#own = own;
    }
    get signal() {
      return this.#own.signals.signal;
    }
    error(reason) {
      if (this.#own.state.state === "writable") this.#own.fail(reason);
    }
  }

  // What the controller does; the author sees only its face.
  class Control {
    queue = new Queue();
    started = false;
    signals = new AbortController();
    constructor({ write, close, abort, mark, size }) {
      Object.assign(this, { write, close, abort, mark, size });
      this.state = new State(this);
      this.face = new WritableStreamDefaultController(key, this);
    }
    get desiredSize() {
      return this.mark - this.queue.total;
    }
    clear() {
      this.write = this.close = this.abort = () => undefined;
      this.size = () => 1;
    }
    fail(reason) {
      this.clear();
      this.state.startErroring(reason);
    }
    start(run) {
      this.state.setBackpressure(this.desiredSize <= 0);
      const result = run(this.face);
      later(
        Promise.resolve(result),
        () => {
          this.started = true;
          this.advance();
        },
        (error) => {
          this.started = true;
          this.state.dealWithRejection(error);
        },
      );
    }
    push(chunk, size) {
      try {
        this.queue.push(chunk, size);
      } catch (error) {
        if (this.state.state === "writable") this.fail(error);
        return;
      }
      if (!this.state.closeQueuedOrInFlight && this.state.state === "writable") {
        this.state.setBackpressure(this.desiredSize <= 0);
      }
      this.advance();
    }
    advance() {
      const { state } = this;
      if (!this.started || state.inFlight !== undefined || state.closeInFlight !== undefined) return;
      if (state.state === "erroring") {
        state.finishErroring();
        return;
      }
      if (state.state !== "writable" || this.queue.length === 0) return;
      const chunk = this.queue.items[0].value;
      if (chunk === CLOSE) this.#finish();
      else this.#process(chunk);
    }
    #finish() {
      const { state } = this;
      state.closeInFlight = state.closing;
      state.closing = undefined;
      this.queue.shift();
      const close = this.close;
      this.clear();
      later(
        promised(() => close()),
        () => state.finishClose(),
        (error) => state.finishClose(error, true),
      );
    }
    #process(chunk) {
      const { state } = this;
      state.inFlight = state.writes.shift();
      later(
        promised(() => this.write(chunk, this.face)),
        () => {
          state.finishWrite();
          this.queue.shift();
          if (!state.closeQueuedOrInFlight && state.state === "writable") {
            state.setBackpressure(this.desiredSize <= 0);
          }
          this.advance();
        },
        (error) => {
          if (state.state === "writable") this.clear();
          state.finishWrite(error, true);
        },
      );
    }
  }

  class WritableStream {
    #control;
    constructor(sink = {}, strategy = {}) {
      if (sink?.type !== undefined) throw new RangeError("a sink has no type");
      const [size, mark] = [sizeOf(strategy), highWaterMark(strategy, 1)];
      const names = ["start", "write", "close", "abort"];
      const [start, write, close, abort] = names.map((name) => method(sink, name));
      this.#control = new Control({ write, close, abort, mark, size });
      this.#control.start(start);
    }
    get locked() {
      return this.#control.state.writer !== undefined;
    }
    abort(reason) {
      if (this.locked) return Promise.reject(new TypeError("the stream is locked to a writer"));
      return abortStream(this, reason);
    }
    close() {
      if (this.locked) return Promise.reject(new TypeError("the stream is locked to a writer"));
      if (this.#control.state.closeQueuedOrInFlight) {
        return Promise.reject(new TypeError("the stream is being closed already"));
      }
      return closeStream(this);
    }
    getWriter() {
      return new WritableStreamDefaultWriter(this);
    }
    get [Symbol.toStringTag]() {
      return "WritableStream";
    }
    static control(secret, stream) {
      if (secret !== key) throw new TypeError("Illegal invocation");
      return stream.#control;
    }
  }
  const control = WritableStream.control;
  delete WritableStream.control;
  const controlOf = (stream) => control(key, stream);
  const stateOf = (stream) => controlOf(stream).state;

  class WritableStreamDefaultWriter {
    #stream;
    #own;
    constructor(stream) {
      if (!(stream instanceof WritableStream)) throw new TypeError("a writer needs a WritableStream");
      const state = stateOf(stream);
      if (state.writer !== undefined) throw new TypeError("the stream is locked to a writer already");
      const own = {
        ready: deferred(),
        closed: deferred(),
        // Whether it was settled or not, from now on it is this.
        rejectReady(reason) {
          own.ready.reject(reason);
          own.ready = deferred();
          own.ready.reject(reason);
        },
      };
      [this.#stream, this.#own, state.writer] = [stream, own, own];
      if (state.state === "writable") {
        if (state.closeQueuedOrInFlight || !state.backpressure) own.ready.resolve(undefined);
      } else if (state.state === "closed") {
        own.ready.resolve(undefined);
        own.closed.resolve(undefined);
      } else {
        own.ready.reject(state.error);
        if (state.state === "errored") own.closed.reject(state.error);
      }
    }
    #held(what) {
      if (this.#stream === undefined) throw new TypeError(`the writer was released; ${what}`);
      return stateOf(this.#stream);
    }
    get closed() {
      return this.#own.closed.promise;
    }
    get ready() {
      return this.#own.ready.promise;
    }
    get desiredSize() {
      const state = this.#held("it has no desired size");
      if (state.state === "errored" || state.state === "erroring") return null;
      return state.state === "closed" ? 0 : state.controller.desiredSize;
    }
    async abort(reason) {
      this.#held("it cannot abort");
      return abortStream(this.#stream, reason);
    }
    async close() {
      const state = this.#held("it cannot close");
      if (state.closeQueuedOrInFlight) throw new TypeError("the stream is being closed already");
      return closeStream(this.#stream);
    }
    releaseLock() {
      if (this.#stream === undefined) return;
      const state = stateOf(this.#stream);
      const error = new TypeError("the writer was released");
      this.#own.rejectReady(error);
      this.#own.closed.reject(error);
      const closed = deferred();
      closed.reject(error);
      this.#own.closed = closed;
      state.writer = undefined;
      this.#stream = undefined;
    }
    write(chunk) {
      try {
        return handledWrite(this.#held("it cannot write"), chunk);
      } catch (error) {
        return Promise.reject(error);
      }
    }
    get [Symbol.toStringTag]() {
      return "WritableStreamDefaultWriter";
    }
  }

  const handledWrite = (state, chunk) => {
    const { controller } = state;
    let size;
    try {
      size = controller.size(chunk);
    } catch (error) {
      if (state.state === "writable") controller.fail(error);
      size = 1;
    }
    if (state.state === "errored" || state.state === "erroring") return Promise.reject(state.error);
    if (state.closeQueuedOrInFlight || state.state === "closed") {
      return Promise.reject(new TypeError("the stream is closed or closing; nothing can be written"));
    }
    const write = deferred();
    state.writes.push(write);
    controller.push(chunk, size);
    return write.promise;
  };

  const pipe = (source, target, { preventClose, preventAbort, preventCancel, signal }) => {
    if (!(target instanceof WritableStream)) throw new TypeError("a stream is piped to a WritableStream");
    if (source.locked) throw new TypeError("the stream is locked to a reader");
    if (target.locked) throw new TypeError("the stream to write to is locked to a writer");
    const reader = source.getReader();
    const writer = target.getWriter();
    const [from, to] = [readableOf(source), stateOf(target)];
    from.disturbed = true;
    let ending = false;
    let written = Promise.resolve();
    return new Promise((resolve, reject) => {
      const settle = (failed, error) => {
        writer.releaseLock();
        reader.releaseLock();
        signal?.removeEventListener("abort", onAbort);
        if (failed) reject(error);
        else resolve(undefined);
      };
      const allWritten = async () => {
        for (let last; last !== written; ) {
          last = written;
          await last.catch(() => {});
        }
      };
      const shutdown = (action, failed, error) => {
        if (ending) return;
        ending = true;
        const finish = () => {
          if (action === undefined) settle(failed, error);
          else later(action(), () => settle(failed, error), (other) => settle(true, other));
        };
        if (to.state === "writable" && !to.closeQueuedOrInFlight) later(allWritten(), finish);
        else finish();
      };
      const onAbort = () => {
        const error = signal.reason;
        shutdown(
          async () => {
            const actions = [];
            if (!preventAbort && to.state === "writable") actions.push(abortStream(target, error));
            if (!preventCancel && from.state === "readable") actions.push(cancelStream(source, error));
            await Promise.all(actions);
          },
          true,
          error,
        );
      };
      if (signal?.aborted) {
        onAbort();
        return;
      }
      signal?.addEventListener("abort", onAbort);
      later(reader.closed, () => {
        const close = async () => {
          if (to.closeQueuedOrInFlight || to.state === "closed") return undefined;
          if (to.state === "errored") throw to.error;
          return closeStream(target);
        };
        shutdown(preventClose ? undefined : close, false);
      }, (error) => {
        shutdown(preventAbort ? undefined : () => abortStream(target, error), true, error);
      });
      later(writer.closed, () => {
        const error = new TypeError("the stream to write to was closed");
        shutdown(preventCancel ? undefined : () => cancelStream(source, error), true, error);
      }, (error) => {
        shutdown(preventCancel ? undefined : () => cancelStream(source, error), true, error);
      });
      const step = async () => {
        while (!ending) {
          await writer.ready;
          if (ending) return;
          const more = await new Promise((next) => {
            readStream(source, {
              chunk: (chunk) => {
                written = handled(handledWrite(to, chunk));
                next(true);
              },
              close: () => next(false),
              error: () => next(false),
            });
          });
          if (!more) return;
        }
      };
      later(step(), () => {}, () => {});
    });
  };

  return { CLOSE, WritableStream, WritableStreamDefaultController, WritableStreamDefaultWriter, pipe };
})
