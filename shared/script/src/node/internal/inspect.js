// util.inspect and util.format, without colours.
import * as types from "node:internal/types";

export const custom = Symbol.for("nodejs.util.inspect.custom");
const DEFAULTS = {
  depth: 2, colors: false, customInspect: true, showHidden: false, showProxy: false, maxArrayLength: 100,
  maxStringLength: 10000, breakLength: 80, compact: 3, sorted: false, getters: false, numericSeparator: false,
};

const quote = (text) => {
  const mark = !text.includes("'") ? "'" : !text.includes('"') ? '"' : !text.includes("`") && !text.includes("${") ? "`" : "'";
  const named = { "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", "\\": "\\\\", "'": "\\'" };
  // Only what a terminal cannot show is written as an escape.
  const shown = text.replace(/[\x00-\x1f\x27\x5c\x7f-\x9f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, (one) => {
    if (one === "'" && mark !== "'") return one;
    const code = one.charCodeAt(0);
    return named[one] ?? (code > 0xff ? `\\u${code.toString(16).toUpperCase()}` : `\\x${code.toString(16).toUpperCase().padStart(2, "0")}`);
  });
  return mark + shown + mark;
};
const numberText = (value) => (Object.is(value, -0) ? "-0" : String(value));
const primitive = (value, how) => {
  if (typeof value === "string") {
    const over = value.length - how.maxStringLength;
    const text = over > 0 ? value.slice(0, how.maxStringLength) : value;
    return quote(text) + (over > 0 ? `... ${over} more character${over > 1 ? "s" : ""}` : "");
  }
  if (typeof value === "number") return numberText(value);
  return typeof value === "bigint" ? `${value}n` : String(value);
};
const keyText = (key) => {
  if (typeof key === "symbol") return `[${String(key)}]`;
  return /^[a-zA-Z_][a-zA-Z_0-9]*$/.test(key) ? key : quote(key);
};
const classOf = (value) => {
  for (let at = value; at !== null; at = Object.getPrototypeOf(at)) {
    const held = Object.getOwnPropertyDescriptor(at, "constructor");
    if (typeof held?.value === "function" && held.value.name !== "" && value instanceof held.value) return held.value.name;
  }
  return null;
};
const tagOf = (value, name) => {
  const tag = Object.prototype.propertyIsEnumerable.call(value, Symbol.toStringTag) ? "" : value[Symbol.toStringTag];
  return typeof tag === "string" && tag !== "" && tag !== name ? ` [${tag}]` : "";
};
const prefix = (value, kind, size) => {
  const name = classOf(value);
  const count = size === undefined ? "" : `(${size})`;
  return name === null ? `[${kind}${count}: null prototype] ` : `${name}${count}${tagOf(value, name)} `;
};

const functionText = (value) => {
  const name = classOf(value);
  if (/^class\b/.test(Function.prototype.toString.call(value))) {
    const parent = Object.getPrototypeOf(value);
    return `[class ${value.name || "(anonymous)"}${parent?.name ? ` extends ${parent.name}` : ""}]`;
  }
  const kind = types.isAsyncFunction(value) ? (types.isGeneratorFunction(value) ? "AsyncGeneratorFunction" : "AsyncFunction") : types.isGeneratorFunction(value) ? "GeneratorFunction" : "Function";
  return `[${kind}${value.name === "" ? " (anonymous)" : `: ${value.name}`}]${name === null ? " [null prototype]" : ""}`;
};
const errorText = (value) => {
  const stack = typeof value.stack === "string" ? value.stack.trimEnd() : "";
  const headline = Error.prototype.toString.call(value);
  // The engine's stacks hold the frames alone.
  const text = stack.startsWith(headline) || stack.startsWith(value.name) ? stack : stack === "" ? `[${headline}]` : `${headline}\n${stack}`;
  return text;
};

const keysOf = (value, how) => {
  const keys = how.showHidden ? Reflect.ownKeys(value) : [...Object.keys(value), ...Object.getOwnPropertySymbols(value).filter((key) => Object.prototype.propertyIsEnumerable.call(value, key))];
  if (how.sorted) keys.sort(how.sorted === true ? (a, b) => (String(a) < String(b) ? -1 : 1) : how.sorted);
  return keys;
};
const property = (value, key, state, how) => {
  const held = Object.getOwnPropertyDescriptor(value, key) ?? { value: value[key], enumerable: true };
  let shown;
  if (held.get !== undefined) shown = held.set === undefined ? "[Getter]" : "[Getter/Setter]";
  else if (held.set !== undefined) shown = "[Setter]";
  else shown = show(held.value, state, how);
  return `${held.enumerable ? keyText(key) : `[${String(key)}]`}: ${shown}`;
};
const more = (count) => `... ${count} more item${count > 1 ? "s" : ""}`;
const arrayParts = (value, state, how) => {
  const parts = [];
  let at = 0;
  while (at < value.length && parts.length < how.maxArrayLength) {
    if (at in value) {
      parts.push(show(value[at], state, how));
      at += 1;
      continue;
    }
    const from = at;
    while (at < value.length && !(at in value)) at += 1;
    parts.push(`<${at - from} empty item${at - from > 1 ? "s" : ""}>`);
  }
  if (at < value.length) parts.push(more(value.length - at));
  return parts;
};
const limited = (items, size, state, how, one) => {
  const parts = [];
  for (const item of items) {
    if (parts.length >= how.maxArrayLength) {
      parts.push(more(size - parts.length));
      break;
    }
    parts.push(one(item));
  }
  return parts;
};

// What stands in an object's brackets: [opening, parts, closing, keys that are left].
const contents = (value, state, how) => {
  const named = (keys) => keys.filter((key) => typeof key === "symbol" || !/^(0|[1-9]\d*)$/.test(key));
  const keys = keysOf(value, how);
  if (Array.isArray(value)) {
    const own = classOf(value) === "Array" && tagOf(value, "Array") === "" ? "" : prefix(value, "Array", value.length);
    return [`${own}[`, arrayParts(value, state, how), "]", named(keys)];
  }
  if (types.isTypedArray(value)) {
    const parts = limited(value, value.length, state, how, (item) => primitive(item, how));
    return [`${prefix(value, "TypedArray", value.length)}[`, parts, "]", named(keys)];
  }
  if (types.isSet(value)) return [`${prefix(value, "Set", value.size)}{`, limited(value, value.size, state, how, (item) => show(item, state, how)), "}", keys];
  if (types.isMap(value)) {
    return [`${prefix(value, "Map", value.size)}{`, limited(value, value.size, state, how, ([key, item]) => `${show(key, state, how)} => ${show(item, state, how)}`), "}", keys];
  }
  if (types.isAnyArrayBuffer(value)) {
    const bytes = Array.from(new Uint8Array(value).subarray(0, 50), (byte) => byte.toString(16).padStart(2, "0")).join(" ");
    return [`${prefix(value, "ArrayBuffer")}{`, [`[Uint8Contents]: <${bytes}>`, `byteLength: ${value.byteLength}`], "}", keys];
  }
  if (types.isPromise(value)) return [`${prefix(value, "Promise")}{`, ["<pending>"], "}", keys];
  if (value instanceof WeakMap || value instanceof WeakSet) return [`${prefix(value, "WeakSet")}{`, ["<items unknown>"], "}", keys];
  if (types.isMapIterator(value) || types.isSetIterator(value)) return [`[${value[Symbol.toStringTag]}] {`, [], "}", keys];
  if (types.isGeneratorObject(value)) return ["Object [Generator] {", [], "}", keys];
  if (types.isArgumentsObject(value)) return ["[Arguments] {", [], "}", keys];
  if (types.isModuleNamespaceObject(value)) return ["[Module: null prototype] {", [], "}", keys];
  const name = classOf(value);
  const plain = name === "Object" && tagOf(value, "Object") === "";
  return [plain ? "{" : `${prefix(value, "Object")}{`, [], "}", keys];
};
// Values that are a word of their own when they hold nothing else.
const word = (value) => {
  if (typeof value === "function") return functionText(value);
  if (types.isRegExp(value)) return RegExp.prototype.toString.call(value);
  if (types.isDate(value)) return Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString();
  if (types.isNativeError(value) || value instanceof Error) return errorText(value);
  if (types.isBoxedPrimitive(value)) {
    const inner = value.valueOf();
    return `[${inner.constructor.name}: ${primitive(inner, DEFAULTS)}]`;
  }
  return undefined;
};

// One line if it fits and nothing in it is too deep; else a line for each part.
const joined = (base, open, parts, close, value, depth, state, how) => {
  const start = base === "" ? "" : `${base} `;
  if (parts.length === 0) return base === "" ? open + close : base;
  let lines = parts;
  if (how.compact === true) return `${start}${open} ${parts.join(", ")} ${close}`;
  if (typeof how.compact === "number" && how.compact >= 1) {
    if (open.endsWith("[") && parts.length > 6) lines = columns(parts, value, state, how);
    if (state.current - depth < how.compact && lines.length === parts.length) {
      const fixed = lines.length + state.indent + open.length + base.length + 10;
      const length = lines.reduce((sum, line) => sum + line.length, lines.length + fixed);
      const line = lines.join(", ");
      if (length <= how.breakLength && !base.includes("\n") && !line.includes("\n")) return `${start}${open} ${line} ${close}`;
    }
  }
  const inset = `\n${" ".repeat(state.indent)}`;
  return `${start}${open}${inset}  ${lines.join(`,${inset}  `)}${inset}${close}`;
};
// Many short items stand in columns, as Node sets them.
const columns = (parts, value, state, how) => {
  const count = how.maxArrayLength < parts.length ? parts.length - 1 : parts.length;
  const lengths = parts.slice(0, count).map((part) => part.length);
  const total = lengths.reduce((sum, length) => sum + length + 2, 0);
  const longest = Math.max(...lengths);
  const room = longest + 2;
  if (room * 3 + state.indent >= how.breakLength || (total / room <= 5 && longest > 6)) return parts;
  const biased = Math.max(room - 3 - Math.sqrt(room - total / parts.length), 1);
  const wanted = Math.round(Math.sqrt(2.5 * biased * count) / biased);
  const width = Math.min(wanted, Math.floor((how.breakLength - state.indent) / room), how.compact * 4, 15);
  if (width <= 1) return parts;
  const widths = Array.from({ length: width }, (_, column) => Math.max(0, ...lengths.filter((_, at) => at % width === column)) + 2);
  const isNumber = (item) => typeof item === "number" || typeof item === "bigint";
  const toTheRight = value !== undefined && parts.every((_, at) => isNumber(value[at]));
  const rows = [];
  for (let from = 0; from < count; from += width) {
    const row = parts.slice(from, Math.min(from + width, count));
    rows.push(row.map((part, column) => {
      const ends = column === row.length - 1;
      if (toTheRight) return ends ? part.padStart(widths[column] - 2) : `${part}, `.padStart(widths[column]);
      return ends ? part : `${part}, `.padEnd(widths[column]);
    }).join(""));
  }
  return count < parts.length ? [...rows, parts.at(-1)] : rows;
};

const show = (value, state, how) => {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return primitive(value, how);
  const own = how.customInspect ? value[custom] : undefined;
  if (typeof own === "function" && own !== inspect) {
    const left = how.depth === null ? null : how.depth - state.path.length;
    const shown = own.call(value, left, { ...how, depth: left }, inspect);
    if (shown !== value) return typeof shown === "object" ? show(shown, state, how) : String(shown).replaceAll("\n", `\n${" ".repeat(state.indent)}`);
  }
  if (state.path.includes(value)) {
    if (!state.circles.includes(value)) state.circles.push(value);
    return `[Circular *${state.circles.indexOf(value) + 1}]`;
  }
  const alone = word(value);
  if (how.depth !== null && state.path.length > how.depth && !isEmpty(value)) {
    if (alone !== undefined) return alone;
    const name = classOf(value);
    return Array.isArray(value) ? "[Array]" : `[${name === null ? "Object: null prototype" : `${name}${tagOf(value, name)}`}]`;
  }
  return shape(value, alone, state, how);
};
const wordKeys = (value, how) =>
  keysOf(value, how).filter((key) => !types.isStringObject(value) || typeof key === "symbol" || !/^\d+$|^length$/.test(key));
const isEmpty = (value) => {
  if (types.isMap(value) || types.isSet(value)) return value.size === 0;
  return (!("length" in value) || value.length === 0) && Reflect.ownKeys(value).every((key) => key === "length");
};
const shape = (value, alone, state, how) => {
  const depth = state.path.length;
  if (alone === undefined ? !isEmpty(value) : wordKeys(value, how).length > 0) state.current = depth;
  state.path.push(value);
  state.indent += 2;
  const [open, held, close, own] = alone === undefined ? contents(value, state, how) : ["{", [], "}", wordKeys(value, how)];
  let keys = own;
  if (types.isNativeError(value)) {
    keys = own.filter((key) => key !== "stack" && key !== "message");
    if (Object.hasOwn(value, "cause") && !keys.includes("cause")) keys.push("cause");
  }
  const parts = [...held, ...keys.map((key) => property(value, key, state, how))];
  state.indent -= 2;
  state.path.pop();
  const mark = state.circles.includes(value) ? `<ref *${state.circles.indexOf(value) + 1}> ` : "";
  const items = Array.isArray(value) || types.isTypedArray(value) ? value : undefined;
  return mark + joined(alone ?? "", open, parts, close, items, depth, state, how);
};

export const inspect = (value, options, ...old) => {
  const given = typeof options === "object" && options !== null ? options : old.length > 0 || typeof options === "boolean" ? { showHidden: options, depth: old[0] } : {};
  const how = { ...DEFAULTS, ...inspect.defaultOptions };
  for (const [key, held] of Object.entries(given)) if (held !== undefined) how[key] = held;
  if (how.depth === Infinity) how.depth = null;
  how.maxArrayLength ??= Infinity;
  how.maxStringLength ??= Infinity;
  how.stylize = (text) => String(text);
  return show(value, { path: [], circles: [], indent: 0, current: 0 }, how);
};
inspect.custom = custom;
inspect.defaultOptions = {};
inspect.colors = Object.assign(Object.create(null), { reset: [0, 0], bold: [1, 22], dim: [2, 22], italic: [3, 23], underline: [4, 24], inverse: [7, 27], hidden: [8, 28], strikethrough: [9, 29], black: [30, 39], red: [31, 39], green: [32, 39], yellow: [33, 39], blue: [34, 39], magenta: [35, 39], cyan: [36, 39], white: [37, 39], gray: [90, 39], grey: [90, 39], redBright: [91, 39], greenBright: [92, 39], yellowBright: [93, 39], blueBright: [94, 39], magentaBright: [95, 39], cyanBright: [96, 39], whiteBright: [97, 39], bgRed: [41, 49], bgGreen: [42, 49], bgYellow: [43, 49], bgBlue: [44, 49], bgMagenta: [45, 49], bgCyan: [46, 49], bgWhite: [47, 49] });
inspect.styles = Object.assign(Object.create(null), { special: "cyan", number: "yellow", bigint: "yellow", boolean: "yellow", undefined: "grey", null: "bold", string: "green", symbol: "green", date: "magenta", regexp: "red", module: "underline" });

const stringOf = (value) => {
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "number") return numberText(value);
  if (typeof value !== "object" || value === null) return String(value);
  const own = value.toString;
  const speaks = typeof own === "function" && own !== Object.prototype.toString && own !== Error.prototype.toString && own !== Array.prototype.toString && classOf(value) !== "Date";
  return speaks && !Array.isArray(value) ? String(value) : inspect(value, { depth: 0, colors: false, compact: 3 });
};
const PLACES = {
  s: (value) => stringOf(value),
  d: (value) => (typeof value === "bigint" ? `${value}n` : typeof value === "symbol" ? "NaN" : typeof value === "object" ? numberText(Number(value)) : numberText(Number(value))),
  i: (value) => (typeof value === "bigint" ? `${value}n` : typeof value === "symbol" ? "NaN" : numberText(Number.parseInt(value, 10))),
  f: (value) => (typeof value === "symbol" ? "NaN" : numberText(Number.parseFloat(value))),
  j: (value) => {
    try {
      return JSON.stringify(value);
    } catch {
      return "[Circular]";
    }
  },
  o: (value, how) => inspect(value, { ...how, showHidden: true, showProxy: true, depth: 4 }),
  O: (value, how) => inspect(value, how),
  c: () => "",
};

export const formatWithOptions = (how, ...args) => {
  const [first, ...rest] = args;
  let text = first;
  if (typeof first === "string") {
    text = rest.length === 0 ? first : first.replace(/%([sdifjoOc%])/g, (whole, letter) => {
      if (letter === "%") return "%";
      return rest.length === 0 ? whole : PLACES[letter](rest.shift(), how);
    });
  } else if (args.length > 0) {
    text = inspect(first, how);
  } else {
    return "";
  }
  return [text, ...rest.map((value) => (typeof value === "string" ? value : inspect(value, how)))].join(" ");
};
export const format = (...args) => formatWithOptions({}, ...args);
