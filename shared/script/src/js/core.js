// The globals every context needs at once; the others are made when they are first named.
// `host` is what Rust grants. It is a parameter, never a global: authored code cannot reach it.
(function (host, info) {
  "use strict";
  const global = globalThis;
  const stringify = JSON.stringify;
  const parse = JSON.parse;
  const define = (name, value) =>
    Object.defineProperty(global, name, { value, writable: true, configurable: true });

  // --- Timers: the queue is Rust's, the functions stay here.
  const timers = new Map();
  let lastTimer = 0;
  // An id that packages made for Node can also call `unref` on: no timer keeps a tool from ending.
  class Timeout {
    #id;
    constructor(id) {
      this.#id = id;
    }
    ref() {
      return this;
    }
    unref() {
      return this;
    }
    hasRef() {
      return timers.has(this.#id);
    }
    refresh() {
      const timer = timers.get(this.#id);
      if (timer !== undefined) host.arm(this.#id, timer.ms);
      return this;
    }
    close() {
      stop(this);
      return this;
    }
    [Symbol.toPrimitive]() {
      return this.#id;
    }
  }
  const start = (repeat) => (callback, delay, ...args) => {
    if (typeof callback !== "function") throw new TypeError("a timer needs a function");
    const ms = Math.trunc(Math.min(Math.max(Number(delay) || 0, repeat ? 1 : 0), 0x7fffffff));
    const id = ++lastTimer;
    timers.set(id, { callback, args, ms, repeat });
    host.arm(id, ms);
    return new Timeout(id);
  };
  const stop = (timeout) => {
    const id = Number(timeout);
    if (timers.delete(id)) host.disarm(id);
  };
  const fire = (id) => {
    const timer = timers.get(id);
    if (timer === undefined) return;
    if (timer.repeat) host.arm(id, timer.ms);
    else timers.delete(id);
    timer.callback(...timer.args);
  };
  define("setTimeout", start(false));
  define("setInterval", start(true));
  define("clearTimeout", stop);
  define("clearInterval", stop);
  define("setImmediate", (callback, ...args) => global.setTimeout(callback, 0, ...args));
  define("clearImmediate", stop);

  // --- Console.
  const plain = (item) => {
    if (typeof item === "bigint") return `${item}n`;
    if (typeof item === "function") return `[function ${item.name}]`;
    if (typeof item === "symbol") return String(item);
    if (item instanceof Error) return `${item}`;
    if (item instanceof Map) return Object.fromEntries(item);
    if (item instanceof Set) return [...item];
    return item;
  };
  const show = (value) => {
    if (typeof value === "string") return value;
    if (value instanceof Error) return `${value}\n${value.stack ?? ""}`.trimEnd();
    if (typeof value !== "object" || value === null) return String(plain(value));
    const path = [];
    return stringify(value, function (_, raw) {
      const item = plain(raw);
      if (typeof item !== "object" || item === null) return item;
      while (path.length > 0 && path.at(-1).item !== this) path.pop();
      if (path.some((above) => above.raw === raw)) return "[circular]";
      path.push({ raw, item });
      return item;
    }) ?? "undefined";
  };
  let logs = true;
  const log = (level) => (...values) => {
    if (logs) logs = host.log(level, values.map(show).join(" ").toWellFormed());
  };
  define("console", {
    log: log("info"), info: log("info"), warn: log("warn"), error: log("error"),
    debug: log("debug"), trace: log("debug"),
  });

  // --- Node's globals. All of a process but its variables, and Buffer, are made on first use, by the
  // module of Node that has them: it puts them in their place.
  define("global", global);
  const rest = (key) => {
    if (Object.getPrototypeOf(process) === unmade) host.builtin("node:process");
    return Object.getPrototypeOf(process) === unmade ? undefined : process[key];
  };
  const unmade = new Proxy({}, { get: (_, key) => rest(key), has: (_, key) => rest(key) !== undefined });
  const process = Object.create(unmade, { env: { value: Object.freeze(info.env), enumerable: true } });
  define("process", process);
  Object.defineProperty(global, "Buffer", {
    configurable: true,
    get: () => host.builtin("node:internal/buffer").Buffer,
    set: (value) => define("Buffer", value),
  });

  // --- Globals made on first use.
  const pending = new Map();
  const parts = new Map();
  const core = {
    pending,
    fetchesAtOnce: info.fetchesAtOnce,
    bodyBytesMax: info.bodyBytesMax,
    // A part of the prelude, evaluated once.
    use(file) {
      if (!parts.has(file)) parts.set(file, host.load(file)(host, core));
      return parts.get(file);
    },
  };
  const lazily = (file, names) => {
    const waiting = new Set(names);
    for (const name of names) {
      Object.defineProperty(global, name, {
        configurable: true,
        get() {
          const made = core.use(file);
          for (const key of waiting) define(key, made[key]);
          waiting.clear();
          return made[name];
        },
        set(value) {
          waiting.delete(name);
          define(name, value);
        },
      });
    }
  };
  lazily("blob", ["Blob", "File", "FormData"]);
  lazily("clone", ["structuredClone"]);
  lazily("crypto", ["crypto", "CryptoKey"]);
  lazily("events", ["AbortController", "AbortSignal", "CustomEvent", "Event", "EventTarget"]);
  lazily("fetch", ["fetch", "Request", "Response"]);
  lazily("headers", ["Headers"]);
  lazily("queues", ["ByteLengthQueuingStrategy", "CountQueuingStrategy"]);
  lazily("streams", [
    "ReadableByteStreamController", "ReadableStream", "ReadableStreamBYOBReader",
    "ReadableStreamDefaultController", "ReadableStreamDefaultReader",
  ]);
  lazily("text", ["TextEncoder", "TextDecoder"]);
  lazily("transforms", [
    "TextDecoderStream", "TextEncoderStream", "TransformStream", "TransformStreamDefaultController",
  ]);
  lazily("url", ["URL", "URLSearchParams"]);
  lazily("writables", [
    "WritableStream", "WritableStreamDefaultController", "WritableStreamDefaultWriter",
  ]);

  // --- JSON that names what is none, instead of dropping it.
  const json = (value, what) => {
    const refuse = (why) => {
      throw new TypeError(`${what} something that is not JSON: ${why}`);
    };
    const check = (key, item) => {
      switch (typeof item) {
        case "string":
          return item.isWellFormed() ? item : item.toWellFormed();
        case "bigint":
        case "function":
        case "symbol":
          return refuse(`a ${typeof item}${key === "" ? "" : ` at ${stringify(key)}`}`);
        default:
          return item;
      }
    };
    try {
      return stringify(value, check) ?? "null";
    } catch (error) {
      if (error instanceof TypeError && error.message === "circular reference") {
        refuse("a cycle, an object that contains itself");
      }
      throw error;
    }
  };

  const texts = (value, what) => {
    const list = Array.isArray(value) ? [...value] : [undefined];
    if (list.some((item) => typeof item !== "string")) {
      throw new TypeError(`askQuestion's ${what} must be an array of strings`);
    }
    return list.map((item) => item.toWellFormed());
  };
  const question = (prompt, more = {}) => {
    if (typeof prompt !== "string") throw new TypeError("askQuestion needs a question, a string");
    if (typeof more !== "object" || more === null || Array.isArray(more)) {
      throw new TypeError("askQuestion's second argument must be { options, approvers }");
    }
    const { options = [], approvers, ...unknown } = more;
    for (const key of Object.keys(unknown)) {
      throw new TypeError(`askQuestion has no option ${stringify(key)}; it has options and approvers`);
    }
    const who = approvers === undefined ? undefined : texts(approvers, "approvers");
    return [prompt.toWellFormed(), texts(options, "options"), who];
  };

  // What a predicate may know of the call; a tool may do more.
  const call = Object.freeze({
    runId: info.runId,
    conversationId: info.conversationId,
    toolCallId: info.toolCallId,
    toolName: info.toolName,
  });
  // Aborts a second before the call's time is over, so that a tool can end by itself.
  const begun = Date.now();
  let signal;
  const abortSignal = () => {
    if (signal === undefined) {
      const controller = new (core.use("events").AbortController)();
      ({ signal } = controller);
      const late = () =>
        controller.abort(new DOMException("the call's time is nearly over", "TimeoutError"));
      const left = Math.max(info.timeoutMs - 1000 - (Date.now() - begun), 0);
      global.setTimeout(late, left);
    }
    return signal;
  };
  const ctx = Object.freeze({
    ...call,
    get abortSignal() {
      return abortSignal();
    },
    async askQuestion(prompt, more) {
      const answer = host.ask(...question(prompt, more));
      // Until the engine next looks whether it may go on, and then ends it all: nothing catches that.
      while (answer === undefined);
      return answer;
    },
    async emit(name, payload) {
      if (typeof name !== "string") throw new TypeError("an event's name must be a string");
      host.emit(name, json(payload, "emit was given"));
    },
    idempotencyKey(label) {
      if (typeof label !== "string" || label === "") {
        throw new TypeError("idempotencyKey needs a label, a string that is not empty");
      }
      return host.idempotencyKey(label);
    },
  });

  // What the author's code is given: the input, as a schema object of a library makes it.
  const given = async (tool, input) => {
    const value = parse(input);
    const standard = tool.inputSchema?.["~standard"];
    if (typeof standard?.validate !== "function") return value;
    const checked = await standard.validate(value);
    if (checked.issues === undefined) return checked.value;
    const said = checked.issues.map(({ message, path = [] }) => {
      const place = path.map((part) => String(part?.key ?? part)).join(".");
      return place === "" ? message : `${place}: ${message}`;
    });
    throw new TypeError(`the input does not fit the schema: ${said.join("; ")}`);
  };

  const run = async (tool, input) => {
    const result = await tool.execute(await given(tool, input), ctx);
    const text = json(result, "the tool returned");
    if (typeof tool.toModelOutput !== "function") return [text];
    const shown = await tool.toModelOutput(result);
    if (typeof shown === "string") return [text, shown.toWellFormed()];
    return [text, json(shown, "toModelOutput returned")];
  };

  // Whether a person is asked: what the tool's own function says about this input.
  const gate = async (tool, input) => {
    const needs = tool.needsApproval;
    const own = typeof needs === "function";
    if (!own && typeof needs?.when !== "function") {
      throw new TypeError("the tool's needsApproval has no function to decide");
    }
    const value = await given(tool, input);
    const verdict = own ? await tool.needsApproval(value, call) : await needs.when(value, call);
    if (verdict === undefined || verdict === null || verdict === false) return ["false"];
    if (verdict === true) return ["true"];
    if (typeof verdict === "string") return [stringify(verdict.toWellFormed())];
    const kind = Array.isArray(verdict) ? "array" : typeof verdict;
    throw new TypeError(`needsApproval must say true, false or a reason, but said: ${kind}`);
  };

  // What the host says of a request: its head, a piece of its body, or why there is none.
  const settled = (id, what, value, last) => pending.get(id)?.[what](value, last);

  return { run, gate, fire, settled };
})
