// Buffer's numbers: read and write with the bounds that Node checks.
import { coded, outOfRange, wrongType } from "node:internal/errors";

const view = (buffer) => new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);

const place = (buffer, offset, size) => {
  if (typeof offset !== "number") throw wrongType("offset", "number", offset);
  const last = buffer.length - size;
  if (last < 0 && Number.isInteger(offset)) {
    throw coded(RangeError, "ERR_BUFFER_OUT_OF_BOUNDS", "Attempt to access memory outside buffer bounds");
  }
  if (!Number.isInteger(offset)) throw outOfRange("offset", "an integer", offset);
  if (offset < 0 || offset > last) throw outOfRange("offset", `>= 0 and <= ${last}`, offset);
  return offset;
};
const within = (value, low, high, size) => {
  if (!(value < low || value > high)) return;
  const n = typeof value === "bigint" ? "n" : "";
  if (size < 4 && n === "") throw outOfRange("value", `>= ${low} and <= ${high}`, value);
  if (size === 4) throw outOfRange("value", `>= ${low} and <= ${high}`, value);
  const bits = size * 8;
  const range = low === 0 || low === 0n ? `>= 0${n} and < 2${n} ** ${bits}${n}` : `>= -(2${n} ** ${bits - 1}${n}) and < 2${n} ** ${bits - 1}${n}`;
  throw outOfRange("value", range, value);
};
const sized = (size) => {
  if (typeof size !== "number") throw wrongType("byteLength", "number", size);
  if (!Number.isInteger(size)) throw outOfRange("byteLength", "an integer", size);
  if (size < 1 || size > 6) throw outOfRange("byteLength", ">= 1 and <= 6", size);
  return size;
};

const FIXED = [
  ["UInt8", 1, "Uint8", 0, 255], ["Int8", 1, "Int8", -128, 127],
  ["UInt16", 2, "Uint16", 0, 65535], ["Int16", 2, "Int16", -32768, 32767],
  ["UInt32", 4, "Uint32", 0, 4294967295], ["Int32", 4, "Int32", -2147483648, 2147483647],
  ["BigUInt64", 8, "BigUint64", 0n, 2n ** 64n - 1n], ["BigInt64", 8, "BigInt64", -(2n ** 63n), 2n ** 63n - 1n],
  ["Float", 4, "Float32"], ["Double", 8, "Float64"],
];

const fixed = (prototype, define, [name, size, kind, low, high]) => {
  for (const [end, little] of size === 1 ? [["", true]] : [["LE", true], ["BE", false]]) {
    const read = function (offset = 0) {
      return view(this)[`get${kind}`](place(this, offset, size), little);
    };
    const write = function (value, offset = 0) {
      const number = typeof low === "bigint" ? value : +value;
      if (typeof low === "bigint" && typeof value !== "bigint") throw wrongType("value", "bigint", value);
      if (low !== undefined) within(number, low, high, size);
      view(this)[`set${kind}`](place(this, offset, size), number, little);
      return offset + size;
    };
    const names = [`${name}${end}`];
    if (name.includes("UInt")) names.push(`${name.replace("UInt", "Uint")}${end}`);
    for (const one of names) {
      define(prototype, `read${one}`, read);
      define(prototype, `write${one}`, write);
    }
  }
};

const flexible = (prototype, define, signed, little) => {
  const name = `${signed ? "Int" : "UInt"}${little ? "LE" : "BE"}`;
  const read = function (offset, byteLength) {
    const size = sized(byteLength);
    const from = place(this, offset, size);
    let value = 0;
    for (let at = 0; at < size; at += 1) value = value * 256 + this[little ? from + size - 1 - at : from + at];
    return signed && value >= 2 ** (8 * size - 1) ? value - 2 ** (8 * size) : value;
  };
  const write = function (value, offset, byteLength) {
    const size = sized(byteLength);
    let rest = +value;
    if (signed) within(rest, -(2 ** (8 * size - 1)), 2 ** (8 * size - 1) - 1, size);
    else within(rest, 0, 2 ** (8 * size) - 1, size);
    const from = place(this, offset, size);
    rest = Math.trunc(rest) || 0;
    if (rest < 0) rest += 2 ** (8 * size);
    for (let at = 0; at < size; at += 1) {
      this[little ? from + at : from + size - 1 - at] = rest % 256;
      rest = Math.floor(rest / 256);
    }
    return from + size;
  };
  for (const one of signed ? [name] : [name, name.replace("UInt", "Uint")]) {
    define(prototype, `read${one}`, read);
    define(prototype, `write${one}`, write);
  }
};

export const addNumbers = (prototype, define) => {
  for (const kind of FIXED) fixed(prototype, define, kind);
  for (const signed of [true, false]) for (const little of [true, false]) flexible(prototype, define, signed, little);
};

export const swapper = (size) =>
  function () {
    if (this.length % size !== 0) {
      throw coded(RangeError, "ERR_INVALID_BUFFER_SIZE", `Buffer size must be a multiple of ${size * 8}-bits`);
    }
    for (let at = 0; at < this.length; at += size) this.subarray(at, at + size).reverse();
    return this;
  };
