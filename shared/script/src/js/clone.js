// structuredClone: data of the kinds a tool meets, cycles and shared references kept.
(function () {
  "use strict";
  const refuse = (what) => {
    throw new DOMException(`${what} cannot be cloned`, "DataCloneError");
  };
  const ERRORS = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };

  const copyError = (value, copy) => {
    const Kind = ERRORS[value.name] ?? Error;
    const made = new Kind(value.message);
    Object.defineProperty(made, "stack", { value: value.stack, writable: true, configurable: true });
    if (Object.hasOwn(value, "cause")) {
      Object.defineProperty(made, "cause", {
        value: copy(value.cause), writable: true, configurable: true,
      });
    }
    return made;
  };

  const clone = (value, seen) => {
    if (typeof value === "function") return refuse("a function");
    if (typeof value === "symbol") return refuse("a symbol");
    if (typeof value !== "object" || value === null) return value;
    if (seen.has(value)) return seen.get(value);
    const copy = (item) => clone(item, seen);
    const keep = (made) => {
      seen.set(value, made);
      return made;
    };
    if (value instanceof Date) return keep(new Date(value.getTime()));
    if (value instanceof RegExp) return keep(new RegExp(value.source, value.flags));
    if (value instanceof Boolean || value instanceof Number || value instanceof String) {
      return keep(Object(value.valueOf()));
    }
    if (value instanceof ArrayBuffer) return keep(value.slice(0));
    if (ArrayBuffer.isView(value)) {
      const length = value instanceof DataView ? value.byteLength : value.length;
      return keep(new value.constructor(copy(value.buffer), value.byteOffset, length));
    }
    if (value instanceof Map) {
      const made = keep(new Map());
      for (const [key, item] of value) made.set(copy(key), copy(item));
      return made;
    }
    if (value instanceof Set) {
      const made = keep(new Set());
      for (const item of value) made.add(copy(item));
      return made;
    }
    if (value instanceof Error) return keep(copyError(value, copy));
    if (value instanceof Promise) return refuse("a promise");
    if (value instanceof WeakMap || value instanceof WeakSet) return refuse("a weak collection");
    const made = keep(Array.isArray(value) ? new Array(value.length) : {});
    for (const key of Object.keys(value)) {
      Object.defineProperty(made, key, {
        value: copy(value[key]), writable: true, enumerable: true, configurable: true,
      });
    }
    return made;
  };

  const structuredClone = (value) => clone(value, new Map());
  return { structuredClone };
})
