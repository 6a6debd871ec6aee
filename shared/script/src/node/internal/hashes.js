// crypto's hashes and MACs, and the keys that are derived with them.
import { digest, hmac, pbkdf2 as nativePbkdf2 } from "openeve:native";
import { Transform } from "node:stream";
import { Buffer } from "node:internal/buffer";
import { isEncoding } from "node:internal/encodings";
import { absent, coded, needsFunction, outOfRange, wrongType } from "node:internal/errors";

const NAMES = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha512-224", "sha512-256"];
const SIZES = { md5: 16, sha1: 20, sha224: 28, sha256: 32, sha384: 48, sha512: 64, "sha512-224": 28, "sha512-256": 32 };
// One name for the many that a hash has: SHA-256, RSA-SHA256, sha256WithRSAEncryption.
export const hashName = (name) => {
  const text = String(name).toLowerCase().replace(/^rsa-/, "").replace(/withrsaencryption$/, "").replace(/^sha-(?=\d)/, "sha").replace("/", "-");
  return NAMES.includes(text) ? text : undefined;
};
export const sizeOf = (name) => SIZES[name];
export const bytesOf = (name, value, encoding) => {
  if (typeof value === "string") return Buffer.from(value, isEncoding(encoding) ? encoding : "utf8");
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  throw wrongType(name, ["string", "ArrayBuffer", "Buffer", "TypedArray", "DataView"], value);
};
const encoded = (buffer, encoding) => (encoding === undefined || encoding === "buffer" ? buffer : buffer.toString(encoding));
const known = (name) => {
  if (typeof name !== "string") throw wrongType("algorithm", "string", name);
  const found = hashName(name);
  if (found === undefined) throw coded(Error, "ERR_OSSL_EVP_UNSUPPORTED", `Digest method not supported: ${name}; tools have ${NAMES.join(", ")}`);
  return found;
};
const finalized = () => coded(Error, "ERR_CRYPTO_HASH_FINALIZED", "Digest already called");

// Chunks are kept until the end; the engine's memory bounds them.
const adder = (self, data, encoding) => {
  if (self._done) throw finalized();
  const bytes = bytesOf("data", data, encoding);
  self._chunks.push(typeof data === "string" ? bytes : Buffer.from(bytes));
  return self;
};
const wholeOf = (self) => (self._chunks.length === 1 ? self._chunks[0] : Buffer.concat(self._chunks));
const streamed = {
  _transform(chunk, encoding, callback) {
    this.update(chunk, encoding);
    callback();
  },
  _flush(callback) {
    this.push(this.digest());
    callback();
  },
};

export function Hash(algorithm, options) {
  if (!(this instanceof Hash)) return new Hash(algorithm, options);
  this._name = known(algorithm);
  this._chunks = [];
  this._done = false;
  const { outputLength } = options ?? {};
  if (outputLength !== undefined && outputLength !== SIZES[this._name]) throw coded(Error, "ERR_OSSL_EVP_NOT_XOF_OR_INVALID_LENGTH", "Unsupported state or unable to authenticate");
}
// A hash is a stream too; what that takes is made when it is used as one.
const lazily = (Kind) => {
  Object.setPrototypeOf(Kind.prototype, Transform.prototype);
  Object.setPrototypeOf(Kind, Transform);
  for (const name of ["_readableState", "_writableState", "_events"]) {
    Object.defineProperty(Kind.prototype, name, {
      get() {
        Object.defineProperty(this, "_readableState", { value: undefined, writable: true, configurable: true });
        Object.defineProperty(this, "_writableState", { value: undefined, writable: true, configurable: true });
        Object.defineProperty(this, "_events", { value: undefined, writable: true, configurable: true });
        Transform.call(this);
        return this[name];
      },
      set(value) {
        Object.defineProperty(this, name, { value, writable: true, configurable: true });
      },
      configurable: true,
    });
  }
  Object.assign(Kind.prototype, streamed);
};
lazily(Hash);
Object.assign(Hash.prototype, {
  update(data, encoding) {
    return adder(this, data, encoding);
  },
  digest(encoding) {
    if (this._done) throw finalized();
    this._done = true;
    return encoded(Buffer.from(digest(this._name, wholeOf(this))), encoding);
  },
  copy() {
    if (this._done) throw finalized();
    const made = new Hash(this._name);
    made._chunks = [...this._chunks];
    return made;
  },
});
export function Hmac(algorithm, key) {
  if (!(this instanceof Hmac)) return new Hmac(algorithm, key);
  this._name = known(algorithm);
  this._key = bytesOf("key", key);
  this._chunks = [];
  this._done = false;
}
lazily(Hmac);
Object.assign(Hmac.prototype, {
  update(data, encoding) {
    return adder(this, data, encoding);
  },
  digest(encoding) {
    if (this._done) return encoded(Buffer.alloc(0), encoding);
    this._done = true;
    return encoded(Buffer.from(hmac(this._name, this._key, wholeOf(this))), encoding);
  },
});
export const createHash = (algorithm, options) => new Hash(algorithm, options);
export const hash = (algorithm, data, encoding = "hex") => new Hash(algorithm).update(data).digest(encoding);
export const getHashes = () => ["RSA-MD5", "RSA-SHA1", "RSA-SHA224", "RSA-SHA256", "RSA-SHA384", "RSA-SHA512", ...NAMES];
export const hmacOf = (name, key, data) => Buffer.from(hmac(name, key, data));

// --- Derived keys.
const count = (name, value, low = 0) => {
  if (typeof value !== "number") throw wrongType(name, "number", value);
  if (!Number.isInteger(value)) throw outOfRange(name, "an integer", value);
  if (value < low || value > 2 ** 31 - 1) throw outOfRange(name, `>= ${low} && <= ${2 ** 31 - 1}`, value);
  return value;
};
const invalid = (name) => coded(TypeError, "ERR_CRYPTO_INVALID_DIGEST", `Invalid digest: ${name}`);
export const pbkdf2Sync = (password, salt, iterations, length, algorithm) => {
  if (typeof algorithm !== "string") throw wrongType("digest", "string", algorithm);
  const [secret, grain] = [bytesOf("password", password), bytesOf("salt", salt)];
  const [rounds, size] = [count("iterations", iterations, 1), count("keylen", length)];
  const name = hashName(algorithm);
  if (name === undefined) throw invalid(algorithm);
  return Buffer.from(nativePbkdf2(name, secret, grain, rounds, size));
};
export const hkdfSync = (algorithm, key, salt, info, length) => {
  if (typeof algorithm !== "string") throw wrongType("digest", "string", algorithm);
  const name = hashName(algorithm);
  const secret = key?.symmetric ?? bytesOf("ikm", key);
  const [grain, about] = [bytesOf("salt", salt), bytesOf("info", info)];
  const wanted = count("length", length);
  if (name === undefined) throw invalid(algorithm);
  if (about.length > 1024) throw outOfRange("info", "must not contain more than 1024 bytes", about.length);
  if (wanted > 255 * SIZES[name]) throw coded(RangeError, "ERR_CRYPTO_INVALID_KEYLEN", "Invalid key length");
  const extracted = hmacOf(name, grain, secret);
  let block = Buffer.alloc(0);
  const made = [];
  for (let at = 1; (at - 1) * SIZES[name] < wanted; at += 1) {
    block = hmacOf(name, extracted, Buffer.concat([block, about, Buffer.from([at])]));
    made.push(block);
  }
  const whole = Buffer.concat(made).subarray(0, wanted);
  return whole.buffer.slice(whole.byteOffset, whole.byteOffset + wanted);
};
// What Node does on another thread is done at once here, and told later.
export const later = (callback, work) => {
  needsFunction("callback", callback);
  let made;
  try {
    made = [null, work()];
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) throw error;
    made = [error];
  }
  setTimeout(() => callback(...made), 0);
};
export const pbkdf2 = (password, salt, iterations, length, algorithm, callback) => {
  if (typeof algorithm === "function") throw wrongType("digest", "string", undefined);
  later(callback, () => pbkdf2Sync(password, salt, iterations, length, algorithm));
};
export const hkdf = (algorithm, key, salt, info, length, callback) => later(callback, () => hkdfSync(algorithm, key, salt, info, length));
export const scryptSync = absent("crypto.scryptSync", "use crypto.pbkdf2Sync, or hash passwords in the service that keeps them");
export const scrypt = absent("crypto.scrypt", "use crypto.pbkdf2, or hash passwords in the service that keeps them");
