// node:util.
import { same } from "node:internal/compare";
import { absent, coded, needsFunction, needsString, outOfRange, wrongType, wrongValue } from "node:internal/errors";
import { Buffer } from "node:internal/buffer";
import { format, formatWithOptions, inspect } from "node:internal/inspect";
import * as types from "node:internal/types";
import * as later from "node:timers/promises";

const promisified = Symbol.for("nodejs.util.promisify.custom");
const promisify = (original) => {
  needsFunction("original", original);
  if (original === globalThis.setTimeout) return later.setTimeout;
  if (original === globalThis.setImmediate) return later.setImmediate;
  if (original[promisified] !== undefined) {
    const own = needsFunction("util.promisify.custom", original[promisified]);
    return Object.defineProperty(own, promisified, { value: own, configurable: true });
  }
  const made = function (...args) {
    return new Promise((resolve, reject) => {
      Reflect.apply(original, this, [...args, (error, ...values) => (error ? reject(error) : resolve(values[0]))]);
    });
  };
  Object.setPrototypeOf(made, Object.getPrototypeOf(original));
  Object.defineProperty(made, promisified, { value: made, configurable: true });
  return Object.defineProperties(made, Object.getOwnPropertyDescriptors(original));
};
promisify.custom = promisified;

const callbackify = (original) => {
  needsFunction("original", original);
  const made = function (...args) {
    const callback = needsFunction("last argument", args.pop());
    Reflect.apply(original, this, args).then(
      (value) => queueMicrotask(() => callback.call(this, null, value)),
      (reason) => {
        const error = reason || coded(Error, "ERR_FALSY_VALUE_REJECTION", "Promise was rejected with falsy value");
        if (!reason) error.reason = reason;
        queueMicrotask(() => callback.call(this, error));
      },
    );
  };
  Object.defineProperty(made, "name", { value: `${original.name}Callbackified`, configurable: true });
  return made;
};

const told = new Set();
const deprecate = (fn, message, code) => {
  let warned = false;
  const made = function (...args) {
    if (!warned && !(code !== undefined && told.has(code))) {
      console.warn(`${code === undefined ? "" : `[${code}] `}DeprecationWarning: ${message}`);
      if (code !== undefined) told.add(code);
    }
    warned = true;
    return new.target ? Reflect.construct(fn, args, new.target) : Reflect.apply(fn, this, args);
  };
  Object.setPrototypeOf(made, fn);
  if (fn.prototype) made.prototype = fn.prototype;
  return made;
};
const inherits = (child, parent) => {
  needsFunction("ctor", child);
  needsFunction("superCtor", parent);
  if (parent.prototype === undefined) throw wrongType("superCtor.prototype", "object", undefined);
  Object.defineProperty(child, "super_", { value: parent, writable: true, configurable: true });
  Object.setPrototypeOf(child.prototype, parent.prototype);
};
const debuglog = (section, ready) => {
  const names = String(globalThis.process?.env?.NODE_DEBUG ?? "").toUpperCase().split(",");
  const enabled = names.includes(String(section).toUpperCase());
  const log = (...args) => {
    if (enabled) console.debug(`${String(section).toUpperCase()}: ${format(...args)}`);
  };
  Object.defineProperty(log, "enabled", { get: () => enabled, configurable: true });
  ready?.(log);
  return log;
};
const debug = debuglog;
const log = (...args) => console.log(format(...args));

const ANSI = /[\u001b\u009b][[\]()#;?]*(?:(?:(?:(?:;[-a-zA-Z\d/#&.:=?%@~_]+)*|[a-zA-Z\d]+(?:;[-a-zA-Z\d/#&.:=?%@~_]*)*)?(?:\u0007|\u001b\u005c|\u009c))|(?:(?:\d{1,4}(?:;\d{0,4})*)?[\dA-PR-TZcf-nq-uy=><~]))/g;
const stripVTControlCharacters = (text) => needsString("str", text).replace(ANSI, "");
// A tool has no terminal, and Node writes no codes where there is none.
const styleText = (styles, text) => {
  for (const style of [styles].flat()) {
    if (inspect.colors[style] === undefined) throw wrongValue("format", style, `must be one of: ${Object.keys(inspect.colors).map((name) => `'${name}'`).join(", ")}`);
  }
  return needsString("text", text);
};
const toUSVString = (text) => String(text).toWellFormed();
const isDeepStrictEqual = (a, b) => same(a, b, true);

const ERRORS = [
  ["E2BIG", 7, "argument list too long"], ["EACCES", 13, "permission denied"], ["EADDRINUSE", 98, "address already in use"],
  ["EAGAIN", 11, "resource temporarily unavailable"], ["EBADF", 9, "bad file descriptor"], ["EBUSY", 16, "resource busy or locked"],
  ["ECANCELED", 125, "operation canceled"], ["ECONNABORTED", 103, "software caused connection abort"], ["ECONNREFUSED", 111, "connection refused"],
  ["ECONNRESET", 104, "connection reset by peer"], ["EEXIST", 17, "file already exists"], ["EHOSTUNREACH", 113, "host is unreachable"],
  ["EINVAL", 22, "invalid argument"], ["EIO", 5, "i/o error"], ["EISDIR", 21, "illegal operation on a directory"],
  ["EMFILE", 24, "too many open files"], ["ENOENT", 2, "no such file or directory"], ["ENOMEM", 12, "not enough memory"],
  ["ENOTDIR", 20, "not a directory"], ["ENOTEMPTY", 39, "directory not empty"], ["EPERM", 1, "operation not permitted"],
  ["EPIPE", 32, "broken pipe"], ["ETIMEDOUT", 110, "connection timed out"],
];
const getSystemErrorMap = () => new Map(ERRORS.map(([name, number, text]) => [-number, [name, text]]));
const getSystemErrorName = (number) => {
  if (typeof number !== "number") throw wrongType("err", "number", number);
  if (number >= 0 || !Number.isInteger(number)) throw outOfRange("err", "a negative integer", number);
  return getSystemErrorMap().get(number)?.[0] ?? `Unknown system error ${number}`;
};
const getSystemErrorMessage = (number) => getSystemErrorMap().get(number)?.[1];

const parseEnv = (content) => {
  const found = {};
  const LINE = /^[ \t]*(?:export[ \t]+)?([\w.-]+)[ \t]*=[ \t]*(?:"((?:[^"])*)"|'([^']*)'|`([^`]*)`|([^#\r\n]*))?.*$/gm;
  for (const [, name, double, single, tick, plain] of needsString("content", content).matchAll(LINE)) {
    found[name] = double?.replaceAll("\\n", "\n") ?? single ?? tick ?? plain?.trim() ?? "";
  }
  return found;
};
const aborted = (signal, resource) => {
  if (typeof signal?.addEventListener !== "function") throw wrongType("signal", "AbortSignal", signal);
  if (typeof resource !== "object" || resource === null) throw wrongType("resource", "Object", resource);
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
};
const transferableAbortSignal = (signal) => signal;
const transferableAbortController = () => new AbortController();
const parseArgs = absent("util.parseArgs");
const MIMEType = absent("util.MIMEType");
const MIMEParams = absent("util.MIMEParams");
const getCallSites = () => [];
const getCallSite = getCallSites;

const isArray = Array.isArray;
const isBoolean = (value) => typeof value === "boolean";
const isBuffer = (value) => value instanceof Buffer;
const isNull = (value) => value === null;
const isNullOrUndefined = (value) => value == null;
const isNumber = (value) => typeof value === "number";
const isString = (value) => typeof value === "string";
const isSymbol = (value) => typeof value === "symbol";
const isUndefined = (value) => value === undefined;
const isRegExp = types.isRegExp;
const isObject = (value) => typeof value === "object" && value !== null;
const isDate = types.isDate;
const isError = (value) => types.isNativeError(value) || value instanceof Error;
const isFunction = (value) => typeof value === "function";
const isPrimitive = (value) => value === null || (typeof value !== "object" && typeof value !== "function");
const { TextDecoder, TextEncoder } = globalThis;
const kinds = { ...types };

export {
  aborted, callbackify, debug, debuglog, deprecate, format, formatWithOptions, getCallSite, getCallSites, getSystemErrorMap,
  getSystemErrorMessage, getSystemErrorName, inherits, inspect, isArray, isBoolean, isBuffer, isDate, isDeepStrictEqual,
  isError, isFunction, isNull, isNullOrUndefined, isNumber, isObject, isPrimitive, isRegExp, isString, isSymbol, isUndefined,
  log, MIMEParams, MIMEType, parseArgs, parseEnv, promisify, stripVTControlCharacters, styleText, TextDecoder, TextEncoder,
  toUSVString, transferableAbortController, transferableAbortSignal, kinds as types,
};
export default {
  aborted, callbackify, debug, debuglog, deprecate, format, formatWithOptions, getCallSite, getCallSites, getSystemErrorMap,
  getSystemErrorMessage, getSystemErrorName, inherits, inspect, isArray, isBoolean, isBuffer, isDate, isDeepStrictEqual,
  isError, isFunction, isNull, isNullOrUndefined, isNumber, isObject, isPrimitive, isRegExp, isString, isSymbol, isUndefined,
  log, MIMEParams, MIMEType, parseArgs, parseEnv, promisify, stripVTControlCharacters, styleText, TextDecoder, TextEncoder,
  toUSVString, transferableAbortController, transferableAbortSignal, types: kinds,
};
