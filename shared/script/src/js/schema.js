// Takes away what would make a schema different each time, and reads the schema. Packages that a
// tool imports may be evaluated with its schema, and find Node's globals as they do when the tool runs.
((builtin) => {
  const refuse = (what) => {
    const error = new Error(`a schema must not depend on ${what}: it is read once, when the agent is built`);
    error.name = "SchemaError";
    throw error;
  };
  const Time = globalThis.Date;
  const Frozen = function (...parts) {
    return parts.length === 0 || !new.target ? refuse("the time") : new Time(...parts);
  };
  Frozen.prototype = Time.prototype;
  Frozen.parse = Time.parse;
  Frozen.UTC = Time.UTC;
  Frozen.now = () => refuse("the time");
  globalThis.Date = Frozen;
  Math.random = () => refuse("chance");
  globalThis.performance = undefined;
  const process = { env: Object.freeze({}) };
  globalThis.process = process;
  globalThis.global = globalThis;
  const lazily = (target, name, make) =>
    Object.defineProperty(target, name, {
      configurable: true,
      get: make,
      set: (value) => Object.defineProperty(target, name, { value, writable: true, configurable: true }),
    });
  lazily(globalThis, "Buffer", () => builtin("node:internal/buffer").Buffer);
  const unmade = new Proxy({}, {
    get(_, key) {
      if (Object.getPrototypeOf(process) === unmade) builtin("node:process");
      return Object.getPrototypeOf(process) === unmade ? undefined : process[key];
    },
  });
  Object.setPrototypeOf(process, unmade);

  return (schema, toJsonSchema) => {
    if (schema === undefined) throw new TypeError("the module has no default export");
    if (schema === null || (typeof schema !== "object" && typeof schema !== "function")) {
      throw new TypeError(`it is ${schema === null ? "null" : `a ${typeof schema}`} and no schema`);
    }
    const standard = schema["~standard"];
    if (standard?.jsonSchema?.input) {
      return JSON.stringify(standard.jsonSchema.input({ target: "draft-2020-12" }));
    }
    if (standard?.vendor === "zod" && typeof toJsonSchema === "function") {
      return JSON.stringify(toJsonSchema(schema, { target: "draft-2020-12", io: "input" }));
    }
    if (typeof schema.toJsonSchema === "function") {
      return JSON.stringify(schema.toJsonSchema());
    }
    if (standard) {
      throw new TypeError(`${standard.vendor} gives no JSON Schema by itself; use a version that implements Standard JSON Schema (Zod does from 4.2 on), or write plain JSON Schema`);
    }
    const json = JSON.stringify(schema);
    if (json === undefined || typeof schema === "function") throw new TypeError("it is a function and no schema");
    return json;
  };
})
