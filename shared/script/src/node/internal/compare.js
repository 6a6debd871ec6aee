// Deep equality, as util.isDeepStrictEqual and assert have it.
import * as types from "node:internal/types";

const own = (value) => [
  ...Object.keys(value),
  ...Object.getOwnPropertySymbols(value).filter((key) => Object.prototype.propertyIsEnumerable.call(value, key)),
];
const isObject = (value) => typeof value === "object" && value !== null;
const loose = (a, b) => a == b || (a !== a && b !== b);
const KINDS = ["isDate", "isRegExp", "isNativeError", "isMap", "isSet", "isBoxedPrimitive", "isAnyArrayBuffer", "isArrayBufferView"];

const sameBytes = (a, b) => {
  const view = (value) => (ArrayBuffer.isView(value) ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength) : new Uint8Array(value));
  const [one, other] = [view(a), view(b)];
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
};
const sameInside = (a, b, strict, seen) => {
  for (const kind of KINDS) if (types[kind](a) !== types[kind](b)) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  if (Array.isArray(a) && a.length !== b.length) return false;
  if (types.isDate(a) && !Object.is(a.getTime(), b.getTime())) return false;
  if (types.isRegExp(a) && (a.source !== b.source || a.flags !== b.flags || a.lastIndex !== b.lastIndex)) return false;
  if (types.isNativeError(a) && (a.message !== b.message || a.name !== b.name)) return false;
  if (types.isNativeError(a) && !same(a.cause, b.cause, strict, seen)) return false;
  if (types.isBoxedPrimitive(a) && (typeof a.valueOf() !== typeof b.valueOf() || !Object.is(a.valueOf(), b.valueOf()))) return false;
  if (types.isAnyArrayBuffer(a) && !sameBytes(a, b)) return false;
  if (types.isArrayBufferView(a)) {
    if (Object.prototype.toString.call(a) !== Object.prototype.toString.call(b)) return false;
    if (strict || !/Float/.test(Object.prototype.toString.call(a))) return sameBytes(a, b);
    return a.length === b.length && a.every((item, at) => item === b[at]);
  }
  if (types.isSet(a)) return sameSets(a, b, strict, seen);
  if (types.isMap(a)) return sameMaps(a, b, strict, seen);
  return true;
};
const sameSets = (a, b, strict, seen) => {
  if (a.size !== b.size) return false;
  const rest = [...b].filter((item) => !a.has(item));
  for (const item of a) {
    if (b.has(item)) continue;
    const at = rest.findIndex((other) => (isObject(item) || !strict) && same(item, other, strict, seen));
    if (at < 0) return false;
    rest.splice(at, 1);
  }
  return true;
};
const sameMaps = (a, b, strict, seen) => {
  if (a.size !== b.size) return false;
  const rest = [...b.keys()].filter((key) => !a.has(key));
  for (const [key, item] of a) {
    if (b.has(key)) {
      if (!same(item, b.get(key), strict, seen)) return false;
      continue;
    }
    const at = rest.findIndex((other) => (isObject(key) || !strict) && same(key, other, strict, seen) && same(item, b.get(other), strict, seen));
    if (at < 0) return false;
    rest.splice(at, 1);
  }
  return true;
};

export const same = (a, b, strict, seen = []) => {
  if (a === b) return strict ? Object.is(a, b) : true;
  if (strict) {
    if (!isObject(a) || !isObject(b)) return Object.is(a, b);
    if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  } else if (!isObject(a) || !isObject(b)) {
    return !isObject(a) && !isObject(b) && typeof a !== "function" && typeof b !== "function" && loose(a, b);
  }
  if (seen.some(([one, other]) => one === a && other === b)) return true;
  if (strict && Object.prototype.toString.call(a) !== Object.prototype.toString.call(b)) return false;
  const path = [...seen, [a, b]];
  if (!sameInside(a, b, strict, path)) return false;
  const [keys, others] = strict ? [own(a), own(b)] : [Object.keys(a), Object.keys(b)];
  if (keys.length !== others.length) return false;
  return keys.every((key) => Object.prototype.propertyIsEnumerable.call(b, key) && same(a[key], b[key], strict, path));
};
