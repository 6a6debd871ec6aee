// Errors as Node makes them: a kind, a code, a message.
export const coded = (Kind, code, message) => {
  const error = new Kind(message);
  Object.defineProperty(error, "code", { value: code, writable: true, enumerable: true, configurable: true });
  return error;
};

const list = (kinds) => {
  if (kinds.length < 3) return kinds.join(" or ");
  return `${kinds.slice(0, -1).join(", ")}, or ${kinds.at(-1)}`;
};

// What was received instead, in Node's words.
export const received = (value) => {
  if (value == null) return ` Received ${value}`;
  if (typeof value === "function") return ` Received function ${value.name}`;
  if (typeof value === "object") {
    const name = value.constructor?.name;
    return name ? ` Received an instance of ${name}` : " Received [Object: null prototype] {}";
  }
  let shown = typeof value === "string" ? `'${value.length > 28 ? `${value.slice(0, 25)}...` : value}'` : String(value);
  if (typeof value === "bigint") shown += "n";
  return ` Received type ${typeof value} (${shown})`;
};

// `kinds` are names of types or classes, such as "string" or "Buffer".
export const wrongType = (name, kinds, value) => {
  const all = [kinds].flat();
  const types = all.filter((kind) => /^[a-z]/.test(kind)).map((kind) => (kind === "function" ? "function" : kind));
  const classes = all.filter((kind) => !/^[a-z]/.test(kind));
  const parts = [];
  if (types.length > 0) parts.push(`${types.length > 1 ? "one of type" : "of type"} ${list(types)}`);
  if (classes.length > 0) parts.push(`an instance of ${list(classes)}`);
  const what = name.endsWith(" argument") ? `The ${name}` : `The "${name}" ${name.includes(".") ? "property" : "argument"}`;
  return coded(TypeError, "ERR_INVALID_ARG_TYPE", `${what} must be ${parts.join(" or ")}.${received(value)}`);
};

export const wrongValue = (name, value, why = "is invalid") => {
  const what = name.includes(".") ? "property" : "argument";
  const shown = typeof value === "string" ? `'${value}'` : String(value);
  return coded(TypeError, "ERR_INVALID_ARG_VALUE", `The ${what} '${name}' ${why}. Received ${shown}`);
};

const grouped = (value) => {
  const text = String(value);
  const large = typeof value === "bigint" ? value > 2n ** 32n || value < -(2n ** 32n) : Number.isInteger(value) && Math.abs(value) > 2 ** 32;
  const shown = large ? text.replace(/\B(?=(\d{3})+(?!\d))/g, "_") : text;
  return typeof value === "bigint" ? `${shown}n` : shown;
};
export const outOfRange = (name, range, value) => {
  const shown = typeof value === "number" || typeof value === "bigint" ? grouped(value) : String(value);
  return coded(RangeError, "ERR_OUT_OF_RANGE", `The value of "${name}" is out of range. It must be ${range}. Received ${shown}`);
};

export const needsFunction = (name, value) => {
  if (typeof value !== "function") throw wrongType(name, "function", value);
  return value;
};
export const needsString = (name, value) => {
  if (typeof value !== "string") throw wrongType(name, "string", value);
  return value;
};

// A function of Node that tools do not have. It exists, so that an import of it is harmless.
export const absent = (name, instead) => {
  const refuse = function () {
    const way = instead === undefined ? "" : `; ${instead}`;
    throw coded(Error, "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM", `${name} is not available in tools${way}`);
  };
  Object.defineProperty(refuse, "name", { value: name.split(".").at(-1), configurable: true });
  return refuse;
};
