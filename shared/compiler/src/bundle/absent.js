// What stands in a bundle for a module of Node that tools do not have, when a package imports it:
// harmless until something of it is called.
class Agent {
  constructor(options = {}) {
    this.options = options;
  }
  destroy() {}
}
const HARMLESS = {
  "node:cluster.isMaster": true,
  "node:cluster.isPrimary": true,
  "node:cluster.isWorker": false,
  "node:fs.existsSync": () => false,
  // What only says how sockets would be opened.
  "node:http.Agent": Agent,
  "node:https.Agent": Agent,
  "node:tty.isatty": () => false,
  "node:worker_threads.isMainThread": true,
  "node:worker_threads.parentPort": null,
  "node:worker_threads.threadId": 0,
  "node:worker_threads.workerData": null,
};

export const absent = (name, by, members = []) => {
  if (Object.hasOwn(HARMLESS, name)) return HARMLESS[name];
  const refuse = () => {
    throw new Error(`${name} is not available in tools (imported by ${by})`);
  };
  const held = function () {};
  for (const member of members) held[member] = absent(`${name}.${member}`, by);
  return new Proxy(held, {
    apply: refuse,
    construct: refuse,
    get(target, key) {
      if (typeof key === "symbol" || key in target) return Reflect.get(target, key);
      // Not a promise, and not a transpiled module.
      if (key === "then" || key === "__esModule" || key === "default") return undefined;
      target[key] = absent(`${name}.${key}`, by);
      return target[key];
    },
  });
};
