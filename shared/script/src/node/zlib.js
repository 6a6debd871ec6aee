// node:zlib: deflate, gzip and their kin, each as a whole. Brotli is not there.
import { crc32 as nativeCrc32, unzip as nativeUnzip, zip as nativeZip } from "openeve:native";
import { Transform } from "node:stream";
import { Buffer } from "node:internal/buffer";
import { absent, coded, needsFunction, outOfRange, wrongType } from "node:internal/errors";
import { zlib as constants } from "node:internal/numbers_of_linux";

const ERRORS = {
  Z_DATA_ERROR: ["incorrect data: this is not what it should be, or it was changed", -3],
  Z_BUF_ERROR: ["unexpected end of file", -5],
};
const bytesOf = (value) => {
  if (typeof value === "string") return Buffer.from(value);
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  throw wrongType("buffer", ["string", "Buffer", "TypedArray", "DataView", "ArrayBuffer"], value);
};
const headline = (kind, data) => {
  if (data.length < 2) return undefined;
  if (kind === "gzip") return data[0] === 0x1f && data[1] === 0x8b ? undefined : "incorrect header check";
  return kind === "deflate" && ((data[0] & 15) !== 8 || (data[0] * 256 + data[1]) % 31 !== 0) ? "incorrect header check" : undefined;
};
const unzip = (kind, data, options) => {
  const max = options?.maxOutputLength ?? Number.MAX_SAFE_INTEGER;
  try {
    return Buffer.from(nativeUnzip(kind, data, max));
  } catch (error) {
    const [text, errno] = ERRORS[error.message] ?? [];
    if (text !== undefined) throw Object.assign(coded(Error, error.message, errno === -3 ? headline(kind, data) ?? text : text), { errno });
    if (error.message === "ERR_BUFFER_TOO_LARGE") throw coded(RangeError, error.message, `Cannot create a Buffer larger than ${Math.min(max, 50331648)} bytes`);
    throw error;
  }
};
const zip = (kind, data, options) => {
  const level = options?.level ?? -1;
  if (!(level >= -1 && level <= 9)) throw outOfRange("options.level", ">= -1 and <= 9", level);
  return Buffer.from(nativeZip(kind, level === -1 ? 6 : level, data));
};
const kindOf = (data) => (data[0] === 0x1f && data[1] === 0x8b ? "gzip" : "deflate");
const WAYS = {
  gzip: (data, options) => zip("gzip", data, options),
  deflate: (data, options) => zip("deflate", data, options),
  deflateRaw: (data, options) => zip("raw", data, options),
  gunzip: (data, options) => unzip("gzip", data, options),
  inflate: (data, options) => unzip("deflate", data, options),
  inflateRaw: (data, options) => unzip("raw", data, options),
  unzip: (data, options) => unzip(kindOf(data), data, options),
};
const sync = (way) => (data, options) => WAYS[way](bytesOf(data), options);
const later = (way) => (data, options, callback) => {
  const done = needsFunction("callback", callback ?? options);
  const bytes = bytesOf(data);
  let made;
  try {
    made = [null, WAYS[way](bytes, callback === undefined ? {} : options)];
  } catch (error) {
    made = [error];
  }
  setTimeout(() => done(...made), 0);
};
// A stream that works on the whole when it ends.
const streaming = (way) => {
  const Kind = class extends Transform {
    #parts = [];
    #options;
    constructor(options) {
      super(options);
      this.#options = options;
      this.bytesWritten = 0;
    }
    _transform(chunk, encoding, callback) {
      const bytes = typeof chunk === "string" ? Buffer.from(chunk, encoding) : chunk;
      this.bytesWritten += bytes.length;
      this.#parts.push(bytes);
      callback();
    }
    _flush(callback) {
      try {
        callback(null, WAYS[way](Buffer.concat(this.#parts), this.#options));
      } catch (error) {
        callback(error);
      }
    }
    flush(kind, callback) {
      const done = typeof kind === "function" ? kind : callback;
      if (done) queueMicrotask(done);
    }
    close(callback) {
      if (callback) this.once("close", callback);
      this.destroy();
    }
    params(level, strategy, callback) {
      queueMicrotask(callback);
    }
    reset() {
      this.#parts = [];
    }
  };
  function Made(options) {
    return Reflect.construct(Kind, [options], new.target ?? Made);
  }
  Made.prototype = Kind.prototype;
  Object.setPrototypeOf(Made, Kind);
  return Made;
};
const [Deflate, Inflate, Gzip, Gunzip, DeflateRaw, InflateRaw, Unzip] = ["deflate", "inflate", "gzip", "gunzip", "deflateRaw", "inflateRaw", "unzip"].map(streaming);
const [createDeflate, createInflate, createGzip, createGunzip, createDeflateRaw, createInflateRaw, createUnzip] = [Deflate, Inflate, Gzip, Gunzip, DeflateRaw, InflateRaw, Unzip].map((Kind) => (options) => new Kind(options));
const [deflateSync, gzipSync, deflateRawSync, unzipSync, inflateSync, gunzipSync, inflateRawSync] = ["deflate", "gzip", "deflateRaw", "unzip", "inflate", "gunzip", "inflateRaw"].map(sync);
const [deflate, gzip, deflateRaw, unzipLater, inflate, gunzip, inflateRaw] = ["deflate", "gzip", "deflateRaw", "unzip", "inflate", "gunzip", "inflateRaw"].map(later);
const crc32 = (data, before = 0) => nativeCrc32(bytesOf(data), before);
const codes = Object.freeze(Object.fromEntries(Object.entries(constants).filter(([name]) => /^Z_(OK|STREAM_END|NEED_DICT|ERRNO|.*_ERROR)$/.test(name)).flatMap(([name, value]) => [[name, value], [value, name]])));
const no = (name) => absent(`zlib.${name}`, "use gzip or deflate");
const [brotliCompress, brotliCompressSync, brotliDecompress, brotliDecompressSync, createBrotliCompress, createBrotliDecompress, BrotliCompress, BrotliDecompress] = [
  "brotliCompress", "brotliCompressSync", "brotliDecompress", "brotliDecompressSync", "createBrotliCompress", "createBrotliDecompress", "BrotliCompress", "BrotliDecompress",
].map(no);

export {
  BrotliCompress, brotliCompress, brotliCompressSync, BrotliDecompress, brotliDecompress, brotliDecompressSync, codes, constants,
  crc32, createBrotliCompress, createBrotliDecompress, createDeflate, createDeflateRaw, createGunzip, createGzip, createInflate,
  createInflateRaw, createUnzip, Deflate, deflate, DeflateRaw, deflateRaw, deflateRawSync, deflateSync, Gunzip, gunzip,
  gunzipSync, Gzip, gzip, gzipSync, Inflate, inflate, InflateRaw, inflateRaw, inflateRawSync, inflateSync, Unzip,
  unzipLater as unzip, unzipSync,
};
export default {
  ...constants, BrotliCompress, brotliCompress, brotliCompressSync, BrotliDecompress, brotliDecompress, brotliDecompressSync, codes, constants,
  crc32, createBrotliCompress, createBrotliDecompress, createDeflate, createDeflateRaw, createGunzip, createGzip, createInflate,
  createInflateRaw, createUnzip, Deflate, deflate, DeflateRaw, deflateRaw, deflateRawSync, deflateSync, Gunzip, gunzip,
  gunzipSync, Gzip, gzip, gzipSync, Inflate, inflate, InflateRaw, inflateRaw, inflateRawSync, inflateSync, Unzip,
  unzip: unzipLater, unzipSync,
};
