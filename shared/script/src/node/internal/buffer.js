// Buffer: bytes with Node's methods.
import { decode, encode, encodingOf, isEncoding, lengthOf } from "node:internal/encodings";
import { coded, outOfRange, received, wrongType } from "node:internal/errors";
import { addNumbers, swapper } from "node:internal/numbers";

const LENGTH_MAX = 2 ** 31 - 1;
const INSPECT = Symbol.for("nodejs.util.inspect.custom");
const Bytes = Uint8Array;

class FastBuffer extends Bytes {}

const isBytes = (value) => value instanceof Bytes;
const sizeOf = (size) => {
  if (typeof size !== "number") throw wrongType("size", "number", size);
  if (!(size >= 0 && size <= LENGTH_MAX)) throw outOfRange("size", `>= 0 && <= ${LENGTH_MAX}`, size);
  return Math.trunc(size);
};
const known = (encoding) => {
  const name = encodingOf(encoding);
  if (name === undefined) throw coded(TypeError, "ERR_UNKNOWN_ENCODING", `Unknown encoding: ${encoding}`);
  return name;
};
const wrap = (bytes) => new FastBuffer(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const isBuffers = (value) =>
  value instanceof ArrayBuffer || (typeof SharedArrayBuffer === "function" && value instanceof SharedArrayBuffer);

const fromObject = (value) => {
  if (value.length !== undefined || isBuffers(value.buffer)) {
    return typeof value.length === "number" ? wrap(Bytes.from(Array.from(value, (item) => item & 255))) : new FastBuffer(0);
  }
  if (value.type === "Buffer" && Array.isArray(value.data)) return wrap(Bytes.from(value.data));
  return undefined;
};
// A function that can also be called with `new`, as packages do by mistake.
function from(value, encodingOrOffset, length) {
  if (typeof value === "string") {
    const name = typeof encodingOrOffset === "string" ? known(encodingOrOffset) : "utf8";
    return wrap(encode(value, name));
  }
  if (typeof value === "object" && value !== null) {
    if (isBuffers(value)) {
      const offset = Number(encodingOrOffset) || 0;
      if (offset > value.byteLength) throw coded(RangeError, "ERR_BUFFER_OUT_OF_BOUNDS", '"offset" is outside of buffer bounds');
      if (length > value.byteLength - offset) throw coded(RangeError, "ERR_BUFFER_OUT_OF_BOUNDS", '"length" is outside of buffer bounds');
      return new FastBuffer(value, offset, length === undefined ? undefined : Math.max(0, length));
    }
    if (isBytes(value)) return wrap(new Bytes(value));
    const plain = value.valueOf?.();
    if (plain != null && plain !== value && (typeof plain === "string" || typeof plain === "object")) {
      return from(plain, encodingOrOffset, length);
    }
    const made = fromObject(value);
    if (made !== undefined) return made;
    if (typeof value[Symbol.toPrimitive] === "function") return from(value[Symbol.toPrimitive]("string"), encodingOrOffset);
  }
  throw coded(TypeError, "ERR_INVALID_ARG_TYPE", `The first argument must be of type string or an instance of Buffer, ArrayBuffer, or Array or an Array-like Object.${received(value)}`);
}

// Callable without `new`, as old packages do.
function Buffer(value, encodingOrOffset, length) {
  if (typeof value === "number") {
    if (typeof encodingOrOffset === "string") throw wrongType("string", "string", value);
    return Buffer.alloc(value);
  }
  return from(value, encodingOrOffset, length);
}
Object.setPrototypeOf(Buffer, Bytes);
Buffer.prototype = FastBuffer.prototype;
const define = (target, name, value) =>
  Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
Object.defineProperty(Buffer.prototype, "constructor", { value: Buffer, writable: true, configurable: true });
Object.defineProperty(Buffer, Symbol.species, { get: () => FastBuffer, configurable: true });

const compareBytes = (one, other) => {
  const shared = Math.min(one.length, other.length);
  for (let at = 0; at < shared; at += 1) if (one[at] !== other[at]) return one[at] < other[at] ? -1 : 1;
  return Math.sign(one.length - other.length);
};
const needsBytes = (name, value) => {
  if (!isBytes(value)) throw wrongType(name, ["Buffer", "Uint8Array"], value);
  return value;
};

Object.assign(Buffer, {
  poolSize: 8192,
  from,
  of: (...items) => from(items),
  alloc: function (size, fill, encoding) {
    const made = new FastBuffer(sizeOf(size));
    return fill === undefined || fill === 0 || made.length === 0 ? made : made.fill(fill, encoding);
  },
  allocUnsafe: function (size) {
    return new FastBuffer(sizeOf(size));
  },
  allocUnsafeSlow: function (size) {
    return new FastBuffer(sizeOf(size));
  },
  isBuffer: (value) => value instanceof Buffer,
  isEncoding,
  byteLength(value, encoding) {
    if (typeof value === "string") return lengthOf(value, encodingOf(encoding) ?? "utf8");
    if (ArrayBuffer.isView(value) || isBuffers(value)) return value.byteLength;
    throw wrongType("string", ["string", "Buffer", "ArrayBuffer"], value);
  },
  compare: (one, other) => compareBytes(needsBytes("buf1", one), needsBytes("buf2", other)),
  concat(list, length) {
    if (!Array.isArray(list)) throw wrongType("list", "Array", list);
    const total = length === undefined ? list.reduce((sum, part) => sum + part.length, 0) : sizeOf(length);
    const made = new FastBuffer(total);
    let at = 0;
    for (const [index, part] of list.entries()) {
      needsBytes(`list[${index}]`, part);
      if (at >= total) break;
      made.set(part.length > total - at ? part.subarray(0, total - at) : part, at);
      at += part.length;
    }
    return made;
  },
  copyBytesFrom(view, offset = 0, length = undefined) {
    const part = view.subarray(offset, length === undefined ? undefined : offset + length);
    return wrap(new Bytes(part.buffer.slice(part.byteOffset, part.byteOffset + part.byteLength)));
  },
});

const bound = (value, length, fallback) => {
  const number = value === undefined ? fallback : Math.trunc(Number(value)) || 0;
  return Math.min(Math.max(number < 0 ? number + length : number, 0), length);
};
const index = (self, value, start, encoding, last) => {
  let needle = value;
  let offset = start;
  let name = encoding;
  if (typeof offset === "string") [offset, name] = [undefined, offset];
  if (typeof needle === "number") needle = Bytes.of(needle & 255);
  else if (typeof needle === "string") needle = encode(needle, known(name));
  else if (!isBytes(needle)) throw wrongType("value", ["number", "string", "Buffer", "Uint8Array"], value);
  let at = Math.trunc(Number(offset));
  if (Number.isNaN(at)) at = last ? self.length : 0;
  if (at < 0) at += self.length;
  if (at < 0 && last) return -1;
  at = Math.max(at, 0);
  if (needle.length === 0) return Math.min(at, self.length);
  const end = self.length - needle.length;
  const matches = (place) => {
    for (let part = 0; part < needle.length; part += 1) if (self[place + part] !== needle[part]) return false;
    return true;
  };
  if (last) {
    for (let place = Math.min(at, end); place >= 0; place -= 1) if (matches(place)) return place;
    return -1;
  }
  for (let place = Bytes.prototype.indexOf.call(self, needle[0], at); place >= 0 && place <= end; place = Bytes.prototype.indexOf.call(self, needle[0], place + 1)) {
    if (matches(place)) return place;
  }
  return -1;
};

const whole = (bytes, encoding) => {
  // A character that does not fit is not written in part.
  if (encoding !== "utf8") return encoding === "utf16le" ? bytes.length & ~1 : bytes.length;
  return bytes.length;
};
const methods = {
  toString(encoding, start, end) {
    const from = bound(Math.max(Number(start) || 0, 0), this.length, 0);
    const to = end === undefined ? this.length : bound(Math.max(Number(end) || 0, 0), this.length, 0);
    const name = known(encoding);
    return to <= from ? "" : decode(from === 0 && to === this.length ? this : this.subarray(from, to), name);
  },
  toJSON() {
    return { type: "Buffer", data: Array.from(this) };
  },
  equals(other) {
    return this === other || compareBytes(this, needsBytes("otherBuffer", other)) === 0;
  },
  compare(target, targetStart = 0, targetEnd = target?.length, start = 0, end = this.length) {
    needsBytes("target", target);
    const [one, other] = [this.subarray(start, Math.max(start, end)), target.subarray(targetStart, Math.max(targetStart, targetEnd))];
    return compareBytes(one, other);
  },
  subarray(start, end) {
    const from = bound(start, this.length, 0);
    const to = bound(end, this.length, this.length);
    return new FastBuffer(this.buffer, this.byteOffset + from, Math.max(0, to - from));
  },
  slice(start, end) {
    return this.subarray(start, end);
  },
  copy(target, targetStart = 0, sourceStart = 0, sourceEnd = this.length) {
    const at = Math.trunc(Number(targetStart)) || 0;
    if (at < 0) throw outOfRange("targetStart", ">= 0", targetStart);
    if (sourceStart < 0 || sourceStart > this.length) throw outOfRange("sourceStart", `>= 0 && <= ${this.length}`, sourceStart);
    if (at >= target.length || sourceStart >= sourceEnd) return 0;
    const part = this.subarray(sourceStart, Math.min(sourceEnd, sourceStart + target.length - at));
    Bytes.prototype.set.call(target, part, at);
    return part.length;
  },
  write(string, ...rest) {
    if (typeof string !== "string") throw wrongType("argument", "string", string);
    const encoding = known(typeof rest.at(-1) === "string" ? rest.pop() : undefined);
    const [offset = 0, length] = rest;
    if (offset < 0 || offset > this.length) throw outOfRange("offset", `>= 0 && <= ${this.length}`, offset);
    const room = Math.min(length ?? this.length, this.length - offset);
    const bytes = encode(string, encoding);
    let count = Math.min(room, bytes.length);
    if (encoding === "utf8" && count < bytes.length) while (count > 0 && (bytes[count] & 0xc0) === 0x80) count -= 1;
    if (encoding === "utf16le") count &= ~1;
    this.set(bytes.subarray(0, Math.min(count, whole(bytes, encoding))), offset);
    return count;
  },
  fill(value, ...rest) {
    const encoding = known(typeof rest.at(-1) === "string" ? rest.pop() : undefined);
    const [offset = 0, end = this.length] = rest;
    if (offset < 0 || offset > this.length) throw outOfRange("offset", `>= 0 && <= ${this.length}`, offset);
    if (end < 0 || end > this.length) throw outOfRange("end", `>= 0 && <= ${this.length}`, end);
    if (typeof value !== "string" && !isBytes(value)) {
      Bytes.prototype.fill.call(this, Number(value) & 255, offset, end);
      return this;
    }
    const bytes = typeof value === "string" ? encode(value, encoding) : value;
    if (bytes.length === 0) {
      if (typeof value === "string" && value === "") return Bytes.prototype.fill.call(this, 0, offset, end);
      throw coded(TypeError, "ERR_INVALID_ARG_VALUE", `The argument 'value' is invalid. Received ${typeof value === "string" ? `'${value}'` : "<Buffer >"}`);
    }
    for (let at = offset, part = 0; at < end; at += 1, part += 1) this[at] = bytes[part % bytes.length];
    return this;
  },
  indexOf(value, offset, encoding) {
    return index(this, value, offset, encoding, false);
  },
  lastIndexOf(value, offset, encoding) {
    return index(this, value, offset, encoding, true);
  },
  includes(value, offset, encoding) {
    return index(this, value, offset, encoding, false) !== -1;
  },
  swap16: swapper(2),
  swap32: swapper(4),
  swap64: swapper(8),
  toLocaleString(encoding, start, end) {
    return this.toString(encoding, start, end);
  },
  inspect() {
    const shown = hexOf(this.subarray(0, 50)).replace(/(.{2})(?=.)/g, "$1 ");
    const rest = this.length - 50;
    return `<Buffer ${shown}${rest > 0 ? ` ... ${rest} more byte${rest > 1 ? "s" : ""}` : ""}>`;
  },
};
const hexOf = (bytes) => decode(bytes, "hex");
for (const [name, method] of Object.entries(methods)) define(Buffer.prototype, name, method);
define(Buffer.prototype, INSPECT, methods.inspect);
for (const name of ["utf8", "hex", "base64", "base64url", "latin1", "ascii", "ucs2", "utf16le"]) {
  define(Buffer.prototype, `${name}Slice`, function (start, end) {
    return this.toString(name, start, end);
  });
  define(Buffer.prototype, `${name}Write`, function (string, offset, length) {
    return this.write(string, offset ?? 0, length ?? this.length, name);
  });
}
for (const [name, of] of [["parent", "buffer"], ["offset", "byteOffset"]]) {
  Object.defineProperty(Buffer.prototype, name, {
    get() {
      return this instanceof Buffer ? this[of] : undefined;
    },
    enumerable: true,
    configurable: true,
  });
}
addNumbers(Buffer.prototype, define);

// The global is this one, unless a script has put another in its place.
const held = Object.getOwnPropertyDescriptor(globalThis, "Buffer");
if (held === undefined || held.get !== undefined) {
  Object.defineProperty(globalThis, "Buffer", { value: Buffer, writable: true, configurable: true });
}

export { Buffer, LENGTH_MAX };
