// crypto's signatures: RSA (PKCS #1 v1.5 and PSS), ECDSA with the digest of its curve, Ed25519.
import { Writable } from "node:stream";
import { Buffer } from "node:internal/buffer";
import { coded, wrongType } from "node:internal/errors";
import { bytesOf, hashName, sizeOf } from "node:internal/hashes";
import { der, integer, keyParts, native } from "node:internal/keys";

const PSS = 6;
const none = new Uint8Array(0);
const unsupported = (what) => coded(Error, "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM", `${what} is not available in tools; they sign with RSA and SHA-256, SHA-384 or SHA-512, with P-256 and SHA-256, with P-384 and SHA-384, and with Ed25519, also as crypto.subtle`);
const WEB = { sha256: "SHA-256", sha384: "SHA-384", sha512: "SHA-512" };

const scheme = (key, algorithm, options) => {
  if (key.kind === "ed25519") return "Ed25519";
  const name = algorithm === null || algorithm === undefined ? "sha256" : hashName(algorithm);
  if (name === undefined) throw coded(Error, "ERR_CRYPTO_INVALID_DIGEST", `Invalid digest: ${algorithm}`);
  if (key.kind === "ec") {
    if (name !== (key.curve === "P-256" ? "sha256" : "sha384")) throw unsupported(`${key.curve} with ${name}`);
    return key.curve;
  }
  if (WEB[name] === undefined) throw unsupported(`RSA with ${name}`);
  if (options.padding !== PSS) return `RSASSA-PKCS1-v1_5 ${WEB[name]}`;
  const salt = options.saltLength;
  if (salt !== undefined && salt !== -1 && salt !== -2 && salt !== sizeOf(name)) throw unsupported(`a salt of ${salt} bytes`);
  return `RSA-PSS ${WEB[name]}`;
};
const toDer = (signed) => der(0x30, integer(signed.subarray(0, signed.length / 2)), integer(signed.subarray(signed.length / 2)));
const fromDer = (signed, size) => {
  const part = (at) => {
    const length = signed[at + 1];
    const plain = signed.subarray(at + 2, at + 2 + length);
    const bare = plain.subarray(Math.max(0, plain.length - size));
    return [Buffer.concat([Buffer.alloc(size - bare.length), bare]), at + 2 + length];
  };
  const start = signed[1] & 0x80 ? 3 : 2;
  const [r, next] = part(start);
  return Buffer.concat([r, part(next)[0]]);
};
const optionsOf = (key) => (typeof key === "object" && key !== null && key.key !== undefined ? key : {});

export const signWith = (algorithm, data, key) => {
  const [options, parts] = [optionsOf(key), keyParts(key, true)];
  const name = scheme(parts, algorithm, options);
  const signed = Buffer.from(native().sign(name, parts.d ?? parts.pkcs8, parts.point ?? none, bytesOf("data", data)));
  return parts.kind === "ec" && options.dsaEncoding !== "ieee-p1363" ? toDer(signed) : signed;
};
export const verifyWith = (algorithm, data, key, signature) => {
  const [options, parts] = [optionsOf(key), keyParts(key, false)];
  const name = scheme(parts, algorithm, options);
  let signed = bytesOf("signature", signature);
  if (parts.kind === "rsa") return native().verifyRsa(name, parts.n, parts.e, signed, bytesOf("data", data));
  try {
    if (parts.kind === "ec" && options.dsaEncoding !== "ieee-p1363") signed = fromDer(Buffer.from(signed), parts.curve === "P-256" ? 32 : 48);
  } catch {
    return false;
  }
  return native().verify(name, parts.point, signed, bytesOf("data", data));
};

class Signing extends Writable {
  constructor(algorithm, options) {
    super(options);
    if (typeof algorithm !== "string") throw wrongType("algorithm", "string", algorithm);
    if (hashName(algorithm) === undefined) throw coded(Error, "ERR_CRYPTO_INVALID_DIGEST", `Invalid digest: ${algorithm}`);
    this._algorithm = algorithm;
    this._chunks = [];
  }
  _write(chunk, encoding, callback) {
    this.update(chunk, encoding);
    callback();
  }
  update(data, encoding) {
    this._chunks.push(Buffer.from(bytesOf("data", data, encoding)));
    return this;
  }
}
export class Sign extends Signing {
  sign(key, encoding) {
    const signed = signWith(this._algorithm, Buffer.concat(this._chunks), key);
    return encoding === undefined || encoding === "buffer" ? signed : signed.toString(encoding);
  }
}
export class Verify extends Signing {
  verify(key, signature, encoding) {
    return verifyWith(this._algorithm, Buffer.concat(this._chunks), key, bytesOf("signature", signature, encoding));
  }
}
export const createSign = (algorithm, options) => new Sign(algorithm, options);
export const createVerify = (algorithm, options) => new Verify(algorithm, options);
const told = (callback, work) => {
  if (typeof callback !== "function") return work();
  const made = work();
  setTimeout(() => callback(null, made), 0);
  return undefined;
};
export const sign = (algorithm, data, key, callback) => told(callback, () => signWith(algorithm, data, key));
export const verify = (algorithm, data, key, signature, callback) => told(callback, () => verifyWith(algorithm, data, key, signature));
