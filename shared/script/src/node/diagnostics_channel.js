// node:diagnostics_channel: channels by name.
import { needsFunction, wrongType } from "node:internal/errors";

const channels = new Map();
class Channel {
  #subscribers = [];
  #stores = new Map();
  constructor(name) {
    this.name = name;
  }
  get hasSubscribers() {
    return this.#subscribers.length > 0 || this.#stores.size > 0;
  }
  subscribe(listener) {
    this.#subscribers = [...this.#subscribers, needsFunction("subscription", listener)];
  }
  unsubscribe(listener) {
    const at = this.#subscribers.indexOf(listener);
    this.#subscribers = this.#subscribers.filter((_, index) => index !== at);
    return at >= 0;
  }
  publish(message) {
    for (const listener of this.#subscribers) listener(message, this.name);
  }
  bindStore(store, transform = (data) => data) {
    this.#stores.set(store, transform);
  }
  unbindStore(store) {
    return this.#stores.delete(store);
  }
  runStores(data, fn, self, ...args) {
    const run = () => {
      this.publish(data);
      return Reflect.apply(fn, self, args);
    };
    return [...this.#stores].reduce((inner, [store, transform]) => () => store.run(transform(data), inner), run)();
  }
}
const channel = (name) => {
  if (typeof name !== "string" && typeof name !== "symbol") throw wrongType("channel", ["string", "symbol"], name);
  if (!channels.has(name)) channels.set(name, new Channel(name));
  return channels.get(name);
};
const hasSubscribers = (name) => channels.get(name)?.hasSubscribers ?? false;
const subscribe = (name, listener) => channel(name).subscribe(listener);
const unsubscribe = (name, listener) => channel(name).unsubscribe(listener);

const PHASES = ["start", "end", "asyncStart", "asyncEnd", "error"];
class TracingChannel {
  constructor(names) {
    for (const phase of PHASES) this[phase] = typeof names === "string" ? channel(`tracing:${names}:${phase}`) : names[phase];
  }
  get hasSubscribers() {
    return PHASES.some((phase) => this[phase].hasSubscribers);
  }
  subscribe(handlers) {
    for (const phase of PHASES) if (handlers[phase]) this[phase].subscribe(handlers[phase]);
  }
  unsubscribe(handlers) {
    return PHASES.every((phase) => !handlers[phase] || this[phase].unsubscribe(handlers[phase]));
  }
  #failed(context, error) {
    context.error = error;
    this.error.publish(context);
  }
  traceSync(fn, context = {}, self = undefined, ...args) {
    return this.start.runStores(context, () => {
      try {
        context.result = Reflect.apply(fn, self, args);
        return context.result;
      } catch (error) {
        this.#failed(context, error);
        throw error;
      } finally {
        this.end.publish(context);
      }
    });
  }
  async tracePromise(fn, context = {}, self = undefined, ...args) {
    try {
      context.result = await this.start.runStores(context, () => {
        const made = Reflect.apply(fn, self, args);
        this.end.publish(context);
        return made;
      });
      this.asyncStart.publish(context);
      return context.result;
    } catch (error) {
      this.#failed(context, error);
      this.asyncStart.publish(context);
      throw error;
    } finally {
      this.asyncEnd.publish(context);
    }
  }
  traceCallback(fn, position = -1, context = {}, self = undefined, ...args) {
    const callback = needsFunction("callback", args.at(position));
    const called = (error, result) => {
      if (error) this.#failed(context, error);
      else context.result = result;
      this.asyncStart.publish(context);
      callback(error, result);
      this.asyncEnd.publish(context);
    };
    args.splice(position, 1, called);
    return this.traceSync(fn, context, self, ...args);
  }
}
const tracingChannel = (names) => new TracingChannel(names);

export { Channel, channel, hasSubscribers, subscribe, tracingChannel, unsubscribe };
export default { channel, hasSubscribers, subscribe, tracingChannel, unsubscribe, Channel };
