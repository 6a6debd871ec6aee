// crypto's ciphers: AES-GCM with 128 or 256 bits, as the engine has it.
import { Transform } from "node:stream";
import { Buffer } from "node:internal/buffer";
import { absent, coded } from "node:internal/errors";
import { bytesOf } from "node:internal/hashes";
import { native } from "node:internal/keys";

const KEYS = { "aes-128-gcm": 16, "aes-256-gcm": 32, "id-aes128-gcm": 16, "id-aes256-gcm": 32 };
const TAG = 16;

class Gcm extends Transform {
  constructor(algorithm, key, iv, options) {
    super(options);
    const size = KEYS[String(algorithm).toLowerCase()];
    if (size === undefined) {
      throw coded(Error, "ERR_CRYPTO_UNKNOWN_CIPHER", `The cipher ${algorithm} is not available in tools; they have aes-256-gcm and aes-128-gcm, also as AES-GCM of crypto.subtle`);
    }
    this._key = key?.symmetric ?? bytesOf("key", key);
    this._iv = bytesOf("iv", iv);
    if (this._key.length !== size) throw coded(RangeError, "ERR_CRYPTO_INVALID_KEYLEN", "Invalid key length");
    if (this._iv.length !== 12) throw coded(TypeError, "ERR_CRYPTO_INVALID_IV", "Invalid initialization vector: tools take one of 12 bytes");
    if ((options?.authTagLength ?? TAG) !== TAG) throw coded(TypeError, "ERR_CRYPTO_INVALID_AUTH_TAG", "Invalid authentication tag length: tools take one of 16 bytes");
    this._chunks = [];
    this._aad = [];
    this._done = false;
  }
  _transform(chunk, encoding, callback) {
    this.update(chunk, encoding);
    callback();
  }
  _flush(callback) {
    try {
      this.push(this.final());
      callback();
    } catch (error) {
      callback(error);
    }
  }
  // What is sealed is sealed as a whole: everything comes out of `final`, and `update` gives nothing.
  update(data, inputEncoding, outputEncoding) {
    if (this._done) throw coded(Error, "ERR_CRYPTO_INVALID_STATE", "Unsupported state");
    this._chunks.push(Buffer.from(bytesOf("data", data, inputEncoding)));
    return outputEncoding === undefined || outputEncoding === "buffer" ? Buffer.alloc(0) : "";
  }
  setAAD(data, options) {
    this._aad.push(Buffer.from(bytesOf("buffer", data, options?.encoding)));
    return this;
  }
  setAutoPadding() {
    return this;
  }
  _finish(seals, data) {
    if (this._done) throw coded(Error, "ERR_CRYPTO_INVALID_STATE", "Unsupported state");
    this._done = true;
    return native().aesGcm(seals, this._key, this._iv, Buffer.concat(this._aad), data);
  }
}
const shown = (bytes, encoding) => (encoding === undefined || encoding === "buffer" ? bytes : bytes.toString(encoding));
export class Cipheriv extends Gcm {
  final(encoding) {
    const sealed = Buffer.from(this._finish(true, Buffer.concat(this._chunks)));
    this._tag = sealed.subarray(sealed.length - TAG);
    return shown(sealed.subarray(0, sealed.length - TAG), encoding);
  }
  getAuthTag() {
    if (this._tag === undefined) throw coded(Error, "ERR_CRYPTO_INVALID_STATE", "Invalid state for operation getAuthTag");
    return this._tag;
  }
}
export class Decipheriv extends Gcm {
  setAuthTag(tag, encoding) {
    this._tag = Buffer.from(bytesOf("buffer", tag, encoding));
    if (this._tag.length !== TAG) throw coded(TypeError, "ERR_CRYPTO_INVALID_AUTH_TAG", `Invalid authentication tag length: ${this._tag.length}`);
    return this;
  }
  final(encoding) {
    const opened = this._finish(false, Buffer.concat([...this._chunks, this._tag ?? Buffer.alloc(0)]));
    if (opened === undefined || opened === null) throw new Error("Unsupported state or unable to authenticate data");
    return shown(Buffer.from(opened), encoding);
  }
}
export const createCipheriv = (algorithm, key, iv, options) => new Cipheriv(algorithm, key, iv, options);
export const createDecipheriv = (algorithm, key, iv, options) => new Decipheriv(algorithm, key, iv, options);
export const getCiphers = () => ["aes-128-gcm", "aes-256-gcm"];
export const getCipherInfo = (name) => {
  const keyLength = KEYS[String(name).toLowerCase()];
  return keyLength === undefined ? undefined : { mode: "gcm", name: String(name).toLowerCase(), nid: keyLength === 16 ? 895 : 901, blockSize: 1, ivLength: 12, keyLength };
};
export const publicEncrypt = absent("crypto.publicEncrypt", "encrypt with AES-GCM, or in a service that holds the key");
export const privateDecrypt = absent("crypto.privateDecrypt", "decrypt with AES-GCM, or in a service that holds the key");
export const privateEncrypt = absent("crypto.privateEncrypt", "sign with crypto.sign or crypto.subtle");
export const publicDecrypt = absent("crypto.publicDecrypt", "verify with crypto.verify or crypto.subtle");
