// node:crypto: hashes in Rust, randomness of the operating system, keys and signatures as far as the
// engine has them. What it does not have throws when it is called, and names what to use.
import { Buffer } from "node:internal/buffer";
import { Cipheriv, createCipheriv, createDecipheriv, Decipheriv, getCipherInfo, getCiphers, privateDecrypt, privateEncrypt, publicDecrypt, publicEncrypt } from "node:internal/ciphers";
import { absent, coded, outOfRange, wrongType } from "node:internal/errors";
import { bytesOf, createHash, getHashes, Hash, hash, hkdf, hkdfSync, Hmac, later, pbkdf2, pbkdf2Sync, scrypt, scryptSync } from "node:internal/hashes";
import { createPrivateKey, createPublicKey, createSecretKey, generateKey, generateKeyPair, generateKeyPairSync, generateKeySync, KeyObject } from "node:internal/keys";
import { crypto as constants } from "node:internal/numbers_of_linux";
import { createSign, createVerify, Sign, sign, Verify, verify } from "node:internal/signatures";

const AT_ONCE = 65536;
const web = () => {
  if (globalThis.crypto === undefined) throw coded(Error, "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM", "crypto has no randomness here: a schema must not depend on chance");
  return globalThis.crypto;
};
const filled = (bytes) => {
  for (let at = 0; at < bytes.length; at += AT_ONCE) web().getRandomValues(bytes.subarray(at, at + AT_ONCE));
  return bytes;
};
const randomBytes = (size, callback) => {
  if (typeof size !== "number") throw wrongType("size", "number", size);
  if (!(size >= 0 && size <= 2 ** 31 - 1)) throw outOfRange("size", `>= 0 && <= ${2 ** 31 - 1}`, size);
  const made = () => filled(Buffer.alloc(size));
  return callback === undefined ? made() : later(callback, made);
};
const pseudoRandomBytes = randomBytes;
const randomFillSync = (buffer, offset = 0, size = undefined) => {
  const isView = ArrayBuffer.isView(buffer);
  if (!isView && !(buffer instanceof ArrayBuffer)) throw wrongType("buf", ["ArrayBuffer", "ArrayBufferView"], buffer);
  const bytes = isView ? new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength) : new Uint8Array(buffer);
  const unit = isView ? buffer.BYTES_PER_ELEMENT ?? 1 : 1;
  const from = offset * unit;
  const length = size === undefined ? bytes.length - from : size * unit;
  if (!(from >= 0 && from <= bytes.length)) throw outOfRange("offset", `>= 0 && <= ${bytes.length}`, offset);
  if (!(length >= 0 && from + length <= bytes.length)) throw outOfRange("size + offset", `<= ${bytes.length}`, from + length);
  filled(bytes.subarray(from, from + length));
  return buffer;
};
const randomFill = (buffer, ...rest) => {
  const callback = rest.pop();
  later(callback, () => randomFillSync(buffer, ...rest));
};
const randomInt = (low, high, callback) => {
  const isShort = high === undefined || typeof high === "function";
  const [min, max, done] = isShort ? [0, low, high] : [low, high, callback];
  for (const [name, value] of [["min", min], ["max", max]]) if (!Number.isSafeInteger(value)) throw wrongType(name, "a safe integer", value);
  if (max <= min) throw outOfRange("max", `greater than the value of "min" (${min})`, max);
  const range = max - min;
  if (range > 2 ** 48 - 1) throw outOfRange(isShort ? "max" : "max - min", `<= ${2 ** 48 - 1}`, range);
  const limit = 2 ** 48 - (2 ** 48 % range);
  const made = () => {
    let value = limit;
    while (value >= limit) value = randomBytes(6).readUIntBE(0, 6);
    return min + (value % range);
  };
  return done === undefined ? made() : later(done, made);
};
const randomUUID = () => web().randomUUID();
const getRandomValues = (array) => web().getRandomValues(array);
const timingSafeEqual = (one, other) => {
  for (const [name, value] of [["buf1", one], ["buf2", other]]) {
    if (!ArrayBuffer.isView(value) && !(value instanceof ArrayBuffer)) throw wrongType(name, ["ArrayBuffer", "Buffer", "TypedArray", "DataView"], value);
  }
  const [a, b] = [bytesOf("buf1", one), bytesOf("buf2", other)];
  if (a.length !== b.length) throw coded(RangeError, "ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH", "Input buffers must have the same byte length");
  let difference = 0;
  for (let at = 0; at < a.length; at += 1) difference |= a[at] ^ b[at];
  return difference === 0;
};
const createHmac = (algorithm, key, options) => {
  const secret = key?.symmetric ?? key;
  if (key instanceof KeyObject && key.type !== "secret") throw coded(TypeError, "ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE", `Invalid key object type ${key.type}, expected secret.`);
  return new Hmac(algorithm, typeof secret === "string" ? Buffer.from(secret, options?.encoding) : secret);
};
const webcrypto = {
  get subtle() {
    return web().subtle;
  },
  getRandomValues, randomUUID,
};
const subtle = new Proxy({}, { get: (_, key) => Reflect.get(web().subtle, key), has: (_, key) => key in web().subtle, ownKeys: () => Reflect.ownKeys(web().subtle) });
const getFips = () => 0;
const secureHeapUsed = () => ({ total: 0, used: 0, utilization: 0, min: 0 });
const getCurves = () => ["prime256v1", "secp384r1"];
const SUBTLE = "use what crypto.subtle has, or a package in JavaScript";
const no = (name) => absent(`crypto.${name}`, SUBTLE);
const [Certificate, Cipher, Decipher, DiffieHellman, DiffieHellmanGroup, ECDH, X509Certificate] = ["Certificate", "Cipher", "Decipher", "DiffieHellman", "DiffieHellmanGroup", "ECDH", "X509Certificate"].map(no);
const [checkPrime, checkPrimeSync, createDiffieHellman, createDiffieHellmanGroup, createECDH, diffieHellman, generatePrime, generatePrimeSync, getDiffieHellman, setEngine, setFips] = [
  "checkPrime", "checkPrimeSync", "createDiffieHellman", "createDiffieHellmanGroup", "createECDH", "diffieHellman", "generatePrime", "generatePrimeSync", "getDiffieHellman", "setEngine", "setFips",
].map(no);

export {
  Certificate, checkPrime, checkPrimeSync, Cipher, Cipheriv, constants, createCipheriv, createDecipheriv, createDiffieHellman,
  createDiffieHellmanGroup, createECDH, createHash, createHmac, createPrivateKey, createPublicKey, createSecretKey, createSign,
  createVerify, Decipher, Decipheriv, DiffieHellman, diffieHellman, DiffieHellmanGroup, ECDH, generateKey, generateKeyPair,
  generateKeyPairSync, generateKeySync, generatePrime, generatePrimeSync, getCipherInfo, getCiphers, getCurves, getDiffieHellman,
  getFips, getHashes, getRandomValues, Hash, hash, hkdf, hkdfSync, Hmac, KeyObject, pbkdf2, pbkdf2Sync, privateDecrypt,
  privateEncrypt, pseudoRandomBytes, publicDecrypt, publicEncrypt, randomBytes, randomFill, randomFillSync, randomInt, randomUUID,
  scrypt, scryptSync, secureHeapUsed, setEngine, setFips, Sign, sign, subtle, timingSafeEqual, Verify, verify, webcrypto,
  X509Certificate,
};
export default {
  Certificate, checkPrime, checkPrimeSync, Cipher, Cipheriv, constants, createCipheriv, createDecipheriv, createDiffieHellman,
  createDiffieHellmanGroup, createECDH, createHash, createHmac, createPrivateKey, createPublicKey, createSecretKey, createSign,
  createVerify, Decipher, Decipheriv, DiffieHellman, diffieHellman, DiffieHellmanGroup, ECDH, generateKey, generateKeyPair,
  generateKeyPairSync, generateKeySync, generatePrime, generatePrimeSync, getCipherInfo, getCiphers, getCurves, getDiffieHellman,
  getFips, getHashes, getRandomValues, Hash, hash, hkdf, hkdfSync, Hmac, KeyObject, pbkdf2, pbkdf2Sync, privateDecrypt,
  privateEncrypt, pseudoRandomBytes, publicDecrypt, publicEncrypt, randomBytes, randomFill, randomFillSync, randomInt, randomUUID,
  scrypt, scryptSync, secureHeapUsed, setEngine, setFips, Sign, sign, subtle, timingSafeEqual, Verify, verify, webcrypto,
  X509Certificate,
};
