// Event, EventTarget, and the signals that are made of them, by the DOM standard without its tree.
(function () {
  "use strict";
  const key = Symbol("events");

  class Event {
    #type;
    #init;
    #state = { target: null, dispatching: false, stopped: false, prevented: false, passive: false };
    #time = Date.now();
    constructor(type, init = {}) {
      if (arguments.length === 0) throw new TypeError("an event needs a type");
      this.#type = String(type);
      this.#init = init ?? {};
    }
    get type() {
      return this.#type;
    }
    get target() {
      return this.#state.target;
    }
    get currentTarget() {
      return this.#state.dispatching ? this.#state.target : null;
    }
    get srcElement() {
      return this.#state.target;
    }
    get bubbles() {
      return Boolean(this.#init.bubbles);
    }
    get cancelable() {
      return Boolean(this.#init.cancelable);
    }
    get composed() {
      return Boolean(this.#init.composed);
    }
    get defaultPrevented() {
      return this.#state.prevented;
    }
    get returnValue() {
      return !this.#state.prevented;
    }
    get eventPhase() {
      return this.#state.dispatching ? Event.AT_TARGET : Event.NONE;
    }
    get isTrusted() {
      return false;
    }
    get timeStamp() {
      return this.#time;
    }
    composedPath() {
      return this.#state.dispatching ? [this.#state.target] : [];
    }
    preventDefault() {
      if (this.cancelable && !this.#state.passive) this.#state.prevented = true;
    }
    stopPropagation() {}
    stopImmediatePropagation() {
      this.#state.stopped = true;
    }
    get [Symbol.toStringTag]() {
      return "Event";
    }
    static state(secret, event) {
      if (secret !== key) throw new TypeError("Illegal invocation");
      return event.#state;
    }
  }
  const stateOf = Event.state;
  delete Event.state;
  for (const [at, name] of ["NONE", "CAPTURING_PHASE", "AT_TARGET", "BUBBLING_PHASE"].entries()) {
    Object.defineProperty(Event, name, { value: at, enumerable: true });
    Object.defineProperty(Event.prototype, name, { value: at, enumerable: true });
  }

  class CustomEvent extends Event {
    #detail;
    constructor(type, init = {}) {
      super(type, init);
      this.#detail = init?.detail ?? null;
    }
    get detail() {
      return this.#detail;
    }
    get [Symbol.toStringTag]() {
      return "CustomEvent";
    }
  }

  // What a listener throws concerns no other listener, nor who dispatched: it is told as a rejection
  // that nobody handled.
  const report = (error) => void Promise.reject(error);

  class EventTarget {
    #listeners = [];
    addEventListener(type, listener, options) {
      if (listener === null || listener === undefined) return;
      const { once = false, signal, passive = false, capture = options === true } = Object(options);
      if (signal?.aborted) return;
      const name = String(type);
      const same = (held) =>
        held.type === name && held.listener === listener && held.capture === Boolean(capture);
      if (this.#listeners.some(same)) return;
      const held = { type: name, listener, once, passive, capture: Boolean(capture), gone: false };
      this.#listeners.push(held);
      signal?.addEventListener("abort", () => this.#remove(held), { once: true });
    }
    removeEventListener(type, listener, options) {
      const capture = Boolean(options === true || Object(options).capture);
      const held = this.#listeners.find(
        (one) => one.type === String(type) && one.listener === listener && one.capture === capture,
      );
      if (held !== undefined) this.#remove(held);
    }
    #remove(held) {
      held.gone = true;
      this.#listeners = this.#listeners.filter((one) => one !== held);
    }
    dispatchEvent(event) {
      const state = stateOf(key, event);
      if (state.dispatching) {
        throw new DOMException("the event is being dispatched already", "InvalidStateError");
      }
      Object.assign(state, { target: this, dispatching: true, stopped: false });
      for (const held of this.#listeners.filter((one) => one.type === event.type)) {
        if (held.gone) continue;
        if (held.once) this.#remove(held);
        state.passive = held.passive;
        try {
          if (typeof held.listener === "function") held.listener.call(this, event);
          else held.listener.handleEvent(event);
        } catch (error) {
          report(error);
        }
        if (state.stopped) break;
      }
      Object.assign(state, { dispatching: false, passive: false });
      return !state.prevented;
    }
    get [Symbol.toStringTag]() {
      return "EventTarget";
    }
  }

  class AbortSignal extends EventTarget {
    #aborted = false;
    #reason = undefined;
    #handler = null;
    constructor(secret) {
      if (secret !== key) throw new TypeError("a signal comes from an AbortController");
      super();
    }
    get aborted() {
      return this.#aborted;
    }
    get reason() {
      return this.#reason;
    }
    get onabort() {
      return this.#handler;
    }
    set onabort(handler) {
      if (this.#handler !== null) this.removeEventListener("abort", this.#handler);
      this.#handler = typeof handler === "function" ? handler : null;
      if (this.#handler !== null) this.addEventListener("abort", this.#handler);
    }
    throwIfAborted() {
      if (this.#aborted) throw this.#reason;
    }
    [key](reason) {
      if (this.#aborted) return;
      this.#aborted = true;
      this.#reason = reason === undefined
        ? new DOMException("This operation was aborted", "AbortError")
        : reason;
      this.dispatchEvent(new Event("abort"));
    }
    static abort(reason) {
      const signal = new AbortSignal(key);
      signal[key](reason);
      return signal;
    }
    static timeout(ms) {
      const signal = new AbortSignal(key);
      const late = () =>
        signal[key](new DOMException("The operation was aborted due to timeout", "TimeoutError"));
      setTimeout(late, ms);
      return signal;
    }
    static any(signals) {
      const joined = new AbortSignal(key);
      for (const signal of signals) {
        if (signal.aborted) {
          joined[key](signal.reason);
          break;
        }
        signal.addEventListener("abort", () => joined[key](signal.reason), { once: true });
      }
      return joined;
    }
    get [Symbol.toStringTag]() {
      return "AbortSignal";
    }
  }

  class AbortController {
    #signal = new AbortSignal(key);
    get signal() {
      return this.#signal;
    }
    abort(reason) {
      this.#signal[key](reason);
    }
    get [Symbol.toStringTag]() {
      return "AbortController";
    }
  }

  return { AbortController, AbortSignal, CustomEvent, Event, EventTarget };
})
