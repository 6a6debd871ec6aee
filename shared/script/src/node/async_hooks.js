// node:async_hooks: AsyncLocalStorage and AsyncResource.
//
// The engine tells nobody when an awaiting function goes on. So a store follows callbacks exactly
// (timers, microtasks, `then`), and across `await` it is the one of the innermost `run` that has not
// settled yet: right for one chain of awaits, not for several runs that are under way at once.
import { needsFunction } from "node:internal/errors";

let current = new Map();
// Stores of runs whose promise is pending, the newest last.
const pending = new Map();
let watching = false;

const within = (frame, fn, self, args) => {
  const before = current;
  current = frame;
  try {
    return Reflect.apply(fn, self, args);
  } finally {
    current = before;
  }
};
const bound = (fn) => {
  if (typeof fn !== "function" || current.size === 0) return fn;
  const frame = current;
  return function (...args) {
    return within(frame, fn, this, args);
  };
};
const watch = () => {
  if (watching) return;
  watching = true;
  const { then } = Promise.prototype;
  Object.defineProperty(Promise.prototype, "then", {
    value: function (fulfilled, rejected) {
      return Reflect.apply(then, this, [bound(fulfilled), bound(rejected)]);
    },
    writable: true,
    configurable: true,
  });
  for (const name of ["setTimeout", "setInterval", "setImmediate", "queueMicrotask"]) {
    const start = globalThis[name];
    if (typeof start !== "function") continue;
    const wrapped = (callback, ...rest) => start(bound(callback), ...rest);
    Object.defineProperty(globalThis, name, { value: wrapped, writable: true, configurable: true });
  }
};
const hold = (storage, store, result) => {
  if (typeof result?.then !== "function") return result;
  const runs = pending.get(storage) ?? [];
  const run = { store };
  runs.push(run);
  pending.set(storage, runs);
  const done = () => {
    runs.splice(runs.indexOf(run), 1);
  };
  result.then(done, done);
  return result;
};

class AsyncLocalStorage {
  #fallback;
  #entered;
  #enabled = true;
  constructor({ defaultValue, name = "" } = {}) {
    this.#fallback = defaultValue;
    this.name = name;
  }
  static bind(fn) {
    return AsyncResource.bind(fn);
  }
  static snapshot() {
    const frame = current;
    return (fn, ...args) => within(frame, fn, undefined, args);
  }
  run(store, fn, ...args) {
    watch();
    this.#enabled = true;
    return hold(this, store, within(new Map(current).set(this, store), needsFunction("callback", fn), undefined, args));
  }
  exit(fn, ...args) {
    const frame = new Map(current).set(this, undefined);
    return hold(this, undefined, within(frame, needsFunction("callback", fn), undefined, args));
  }
  enterWith(store) {
    watch();
    this.#enabled = true;
    if (current.size > 0) current = new Map(current).set(this, store);
    else this.#entered = { store };
  }
  disable() {
    this.#enabled = false;
    this.#entered = undefined;
    pending.delete(this);
  }
  getStore() {
    if (!this.#enabled) return undefined;
    if (current.has(this)) return current.get(this);
    const run = pending.get(this)?.at(-1);
    if (run !== undefined) return run.store;
    return this.#entered === undefined ? this.#fallback : this.#entered.store;
  }
}

let lastId = 1;
class AsyncResource {
  #frame = current;
  #id = (lastId += 1);
  constructor(type) {
    this.type = type;
  }
  static bind(fn, _, self) {
    const frame = current;
    return function (...args) {
      return within(frame, fn, self ?? this, args);
    };
  }
  bind(fn, self) {
    const frame = this.#frame;
    return function (...args) {
      return within(frame, fn, self ?? this, args);
    };
  }
  runInAsyncScope(fn, self, ...args) {
    return within(this.#frame, fn, self, args);
  }
  emitDestroy() {
    return this;
  }
  asyncId() {
    return this.#id;
  }
  triggerAsyncId() {
    return 1;
  }
}
// Nothing is ever told to a hook.
const createHook = () => {
  const hook = { enable: () => hook, disable: () => hook };
  return hook;
};
const executionAsyncId = () => 1;
const triggerAsyncId = () => 0;
const executionAsyncResource = () => ({});
const asyncWrapProviders = Object.freeze({ NONE: 0 });

export { AsyncLocalStorage, AsyncResource, asyncWrapProviders, createHook, executionAsyncId, executionAsyncResource, triggerAsyncId };
export default { AsyncLocalStorage, createHook, executionAsyncId, triggerAsyncId, executionAsyncResource, asyncWrapProviders, AsyncResource };
