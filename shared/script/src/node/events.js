// node:events: EventEmitter and its helpers.
import { coded, needsFunction, outOfRange, wrongType } from "node:internal/errors";

const errorMonitor = Symbol("events.errorMonitor");
const captureRejectionSymbol = Symbol.for("nodejs.rejection");
const capture = Symbol("kCapture");
let listenersMax = 10;
let captures = false;

function EventEmitter(options) {
  EventEmitter.init.call(this, options);
}
EventEmitter.prototype._events = undefined;
EventEmitter.prototype._eventsCount = 0;
EventEmitter.prototype._maxListeners = undefined;
EventEmitter.init = function (options) {
  if (this._events === undefined || this._events === Object.getPrototypeOf(this)._events) {
    this._events = Object.create(null);
    this._eventsCount = 0;
  }
  this._maxListeners ||= undefined;
  this[capture] = Boolean(options?.captureRejections ?? captures);
};

const heldOf = (emitter) => {
  if (emitter._events === undefined) EventEmitter.init.call(emitter);
  return emitter._events;
};
const listOf = (emitter, type) => {
  const held = emitter._events?.[type];
  return held === undefined ? [] : typeof held === "function" ? [held] : held;
};

const unhandled = (args) => {
  const [error] = args;
  if (error instanceof Error) throw error;
  const shown = typeof error === "string" ? `'${error}'` : String(error?.message ?? error);
  const thrown = coded(Error, "ERR_UNHANDLED_ERROR", `Unhandled error. (${shown})`);
  thrown.context = error;
  throw thrown;
};
const rejected = (emitter, result, type, args) => {
  if (typeof result?.then !== "function") return;
  result.then(undefined, (error) => {
    queueMicrotask(() => {
      if (typeof emitter[captureRejectionSymbol] === "function") emitter[captureRejectionSymbol](error, type, ...args);
      else emitter.emit("error", error);
    });
  });
};

const add = (emitter, type, listener, first) => {
  needsFunction("listener", listener);
  const events = heldOf(emitter);
  if (events.newListener !== undefined) emitter.emit("newListener", type, listener.listener ?? listener);
  const held = events[type];
  if (held === undefined) {
    events[type] = listener;
    emitter._eventsCount += 1;
  } else if (typeof held === "function") {
    events[type] = first ? [listener, held] : [held, listener];
  } else if (first) {
    held.unshift(listener);
  } else {
    held.push(listener);
  }
  const list = events[type];
  const max = emitter.getMaxListeners();
  if (typeof list !== "function" && max > 0 && list.length > max && !list.warned) {
    list.warned = true;
    console.warn(`MaxListenersExceededWarning: Possible EventEmitter memory leak detected. ${list.length} ${String(type)} listeners added. Use emitter.setMaxListeners() to increase limit`);
  }
  return emitter;
};
const onceOf = (emitter, type, listener) => {
  needsFunction("listener", listener);
  let fired = false;
  const wrapped = function (...args) {
    if (fired) return undefined;
    fired = true;
    emitter.removeListener(type, wrapped);
    return listener.apply(emitter, args);
  };
  wrapped.listener = listener;
  return wrapped;
};

Object.assign(EventEmitter.prototype, {
  setMaxListeners(count) {
    if (typeof count !== "number" || count < 0 || Number.isNaN(count)) throw outOfRange("n", "a non-negative number", count);
    this._maxListeners = count;
    return this;
  },
  getMaxListeners() {
    return this._maxListeners ?? listenersMax;
  },
  emit(type, ...args) {
    if (type === "error") {
      if (this._events?.[errorMonitor] !== undefined) this.emit(errorMonitor, ...args);
      if (this._events?.error === undefined) unhandled(args);
    }
    const held = this._events?.[type];
    if (held === undefined) return false;
    for (const listener of typeof held === "function" ? [held] : [...held]) {
      const result = listener.apply(this, args);
      if (this[capture] && result != null) rejected(this, result, type, args);
    }
    return true;
  },
  addListener(type, listener) {
    return add(this, type, listener, false);
  },
  prependListener(type, listener) {
    return add(this, type, listener, true);
  },
  once(type, listener) {
    return this.on(type, onceOf(this, type, listener));
  },
  prependOnceListener(type, listener) {
    return this.prependListener(type, onceOf(this, type, listener));
  },
  removeListener(type, listener) {
    needsFunction("listener", listener);
    const list = listOf(this, type);
    const at = list.findLastIndex((held) => held === listener || held.listener === listener);
    if (at < 0) return this;
    const [gone] = [list[at]];
    const rest = list.filter((_, index) => index !== at);
    if (rest.length === 0) {
      delete this._events[type];
      this._eventsCount -= 1;
    } else {
      this._events[type] = rest.length === 1 ? rest[0] : rest;
    }
    if (this._events.removeListener !== undefined) this.emit("removeListener", type, gone.listener ?? listener);
    return this;
  },
  removeAllListeners(type) {
    if (this._events === undefined) return this;
    if (this._events.removeListener === undefined) {
      if (arguments.length === 0) {
        this._events = Object.create(null);
        this._eventsCount = 0;
      } else if (this._events[type] !== undefined) {
        delete this._events[type];
        this._eventsCount -= 1;
      }
      return this;
    }
    if (arguments.length === 0) {
      for (const key of Reflect.ownKeys(this._events)) if (key !== "removeListener") this.removeAllListeners(key);
      this.removeAllListeners("removeListener");
      return this;
    }
    for (const listener of [...listOf(this, type)].reverse()) this.removeListener(type, listener);
    return this;
  },
  listeners(type) {
    return listOf(this, type).map((listener) => listener.listener ?? listener);
  },
  rawListeners(type) {
    return [...listOf(this, type)];
  },
  listenerCount(type, listener) {
    const list = listOf(this, type);
    return listener === undefined ? list.length : list.filter((held) => held === listener || held.listener === listener).length;
  },
  eventNames() {
    return this._eventsCount > 0 ? Reflect.ownKeys(this._events) : [];
  },
});
EventEmitter.prototype.on = EventEmitter.prototype.addListener;
EventEmitter.prototype.off = EventEmitter.prototype.removeListener;

const isEmitter = (target) => typeof target?.on === "function";
const listen = (target, type, listener, flags) => {
  if (isEmitter(target)) {
    if (flags?.once) target.once(type, listener);
    else target.on(type, listener);
  } else if (typeof target?.addEventListener === "function") {
    target.addEventListener(type, listener, flags);
  } else {
    throw wrongType("emitter", ["EventEmitter", "EventTarget"], target);
  }
};
const unlisten = (target, type, listener) => {
  if (isEmitter(target)) target.removeListener(type, listener);
  else target.removeEventListener(type, listener);
};
const abortError = (signal) => {
  const error = coded(Error, "ABORT_ERR", "The operation was aborted");
  error.name = "AbortError";
  if (signal?.reason !== undefined) error.cause = signal.reason;
  return error;
};

const once = async (emitter, type, options = {}) => {
  const { signal } = options ?? {};
  if (signal?.aborted) throw abortError(signal);
  return new Promise((resolve, reject) => {
    const done = () => {
      unlisten(emitter, type, onEvent);
      if (isEmitter(emitter) && type !== "error") emitter.removeListener("error", onError);
      signal?.removeEventListener("abort", onAbort);
    };
    const onEvent = (...args) => {
      done();
      resolve(args);
    };
    const onError = (error) => {
      done();
      reject(error);
    };
    const onAbort = () => {
      done();
      reject(abortError(signal));
    };
    listen(emitter, type, onEvent, { once: true });
    if (isEmitter(emitter) && type !== "error") emitter.once("error", onError);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
};

const on = (emitter, type, options = {}) => {
  const { signal, close = [] } = options ?? {};
  if (signal?.aborted) throw abortError(signal);
  const events = [];
  const waiting = [];
  let failure;
  let finished = false;
  const onEvent = (...args) => {
    const waiter = waiting.shift();
    if (waiter === undefined) events.push(args);
    else waiter.resolve({ value: args, done: false });
  };
  const onError = (error) => {
    const waiter = waiting.shift();
    if (waiter === undefined) failure = error;
    else waiter.reject(error);
    iterator.return();
  };
  const onAbort = () => onError(abortError(signal));
  const onClose = () => iterator.return();
  const iterator = {
    async next() {
      if (events.length > 0) return { value: events.shift(), done: false };
      if (failure !== undefined) {
        const error = failure;
        failure = undefined;
        throw error;
      }
      if (finished) return { value: undefined, done: true };
      return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
    },
    async return() {
      finished = true;
      unlisten(emitter, type, onEvent);
      if (isEmitter(emitter) && type !== "error") unlisten(emitter, "error", onError);
      for (const name of close) unlisten(emitter, name, onClose);
      signal?.removeEventListener("abort", onAbort);
      for (const waiter of waiting.splice(0)) waiter.resolve({ value: undefined, done: true });
      return { value: undefined, done: true };
    },
    async throw(error) {
      onError(error);
      return { value: undefined, done: true };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
  listen(emitter, type, onEvent);
  if (isEmitter(emitter) && type !== "error") emitter.on("error", onError);
  for (const name of close) listen(emitter, name, onClose);
  signal?.addEventListener("abort", onAbort, { once: true });
  return iterator;
};

const getEventListeners = (emitter, type) => (isEmitter(emitter) ? emitter.listeners(type) : []);
const getMaxListeners = (emitter) => emitter.getMaxListeners?.() ?? listenersMax;
const setMaxListeners = (count = listenersMax, ...targets) => {
  if (typeof count !== "number" || count < 0 || Number.isNaN(count)) throw outOfRange("n", "a non-negative number", count);
  if (targets.length === 0) listenersMax = count;
  for (const target of targets) target.setMaxListeners?.(count);
};
const listenerCount = (emitter, type) => emitter.listenerCount(type);
const addAbortListener = (signal, listener) => {
  if (signal.aborted) queueMicrotask(() => listener());
  else signal.addEventListener("abort", listener, { once: true });
  return { [Symbol.dispose ?? Symbol.for("Symbol.dispose")]: () => signal.removeEventListener("abort", listener) };
};
class EventEmitterAsyncResource extends EventEmitter {
  constructor(options) {
    super(options);
    this.asyncId = 0;
    this.triggerAsyncId = 0;
    this.asyncResource = this;
  }
  emitDestroy() {}
}
const usingDomains = false;
const init = EventEmitter.init;
const defaultMaxListeners = 10;
const captureRejections = false;

Object.assign(EventEmitter, {
  EventEmitter, addAbortListener, once, on, getEventListeners, getMaxListeners, setMaxListeners, listenerCount,
  usingDomains, captureRejectionSymbol, errorMonitor, EventEmitterAsyncResource,
});
Object.defineProperty(EventEmitter, "defaultMaxListeners", {
  get: () => listenersMax,
  set: (count) => setMaxListeners(count),
  enumerable: true,
});
Object.defineProperty(EventEmitter, "captureRejections", {
  get: () => captures,
  set: (value) => {
    captures = Boolean(value);
  },
  enumerable: true,
});

export {
  addAbortListener, captureRejections, captureRejectionSymbol, defaultMaxListeners, errorMonitor, EventEmitter,
  EventEmitterAsyncResource, getEventListeners, getMaxListeners, init, listenerCount, on, once, setMaxListeners, usingDomains,
};
export default EventEmitter;
