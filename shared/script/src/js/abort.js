// AbortController and AbortSignal, as far as `fetch` and common client libraries use them.
(function () {
  "use strict";
  const key = Symbol("abort");

  class AbortSignal {
    #aborted = false;
    #reason = undefined;
    #listeners = [];
    onabort = null;
    constructor(secret) {
      if (secret !== key) throw new TypeError("a signal comes from an AbortController");
    }
    get aborted() {
      return this.#aborted;
    }
    get reason() {
      return this.#reason;
    }
    throwIfAborted() {
      if (this.#aborted) throw this.#reason;
    }
    addEventListener(type, listener, options) {
      if (type !== "abort" || listener == null) return;
      if (this.#listeners.some((held) => held.listener === listener)) return;
      this.#listeners.push({ listener, once: options?.once === true });
    }
    removeEventListener(type, listener) {
      if (type !== "abort") return;
      this.#listeners = this.#listeners.filter((held) => held.listener !== listener);
    }
    [key](reason) {
      if (this.#aborted) return;
      this.#aborted = true;
      this.#reason = reason ?? new DOMException("the operation was aborted", "AbortError");
      const event = { type: "abort", target: this, currentTarget: this };
      const listeners = this.#listeners;
      this.#listeners = listeners.filter((held) => !held.once);
      if (typeof this.onabort === "function") this.onabort(event);
      for (const { listener } of listeners) {
        if (typeof listener === "function") listener.call(this, event);
        else listener.handleEvent?.(event);
      }
    }
    static abort(reason) {
      const signal = new AbortSignal(key);
      signal[key](reason);
      return signal;
    }
    static timeout(ms) {
      const signal = new AbortSignal(key);
      const late = () => signal[key](new DOMException("the time ran out", "TimeoutError"));
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
  }

  class AbortController {
    #signal = new AbortSignal(key);
    get signal() {
      return this.#signal;
    }
    abort(reason) {
      this.#signal[key](reason);
    }
  }

  return { AbortController, AbortSignal };
})
