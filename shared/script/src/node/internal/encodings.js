// Texts to bytes and back, in the encodings that Node knows.
import { base64, base64Bytes, hex, hexBytes, latin1, text, utf8 } from "openeve:native";

const NAMES = {
  utf8: "utf8", "utf-8": "utf8", hex: "hex", base64: "base64", base64url: "base64url", latin1: "latin1",
  binary: "latin1", ascii: "ascii", ucs2: "utf16le", "ucs-2": "utf16le", utf16le: "utf16le", "utf-16le": "utf16le",
};
const CHUNK = 8192;

// The one name of an encoding; undefined if there is none.
export const encodingOf = (name) => {
  if (name === undefined || name === null || name === "") return "utf8";
  return typeof name === "string" ? NAMES[name] ?? NAMES[name.toLowerCase()] : undefined;
};
export const isEncoding = (name) => typeof name === "string" && name !== "" && encodingOf(name) !== undefined;

const units = (string, size, write) => {
  const bytes = new Uint8Array(string.length * size);
  for (let at = 0; at < string.length; at += 1) write(bytes, at, string.charCodeAt(at));
  return bytes;
};

export const encode = (string, encoding) => {
  switch (encoding) {
    case "utf8":
      return new Uint8Array(utf8(string.toWellFormed()));
    case "hex":
      return new Uint8Array(hexBytes(string.toWellFormed()));
    case "base64":
    case "base64url":
      return new Uint8Array(base64Bytes(string.toWellFormed()));
    case "utf16le":
      return units(string, 2, (bytes, at, unit) => {
        bytes[2 * at] = unit;
        bytes[2 * at + 1] = unit >> 8;
      });
    default:
      return units(string, 1, (bytes, at, unit) => {
        bytes[at] = unit;
      });
  }
};

const utf16 = (bytes) => {
  let made = "";
  const count = bytes.length >> 1;
  for (let from = 0; from < count; from += CHUNK) {
    const part = new Array(Math.min(CHUNK, count - from));
    for (let at = 0; at < part.length; at += 1) {
      const place = 2 * (from + at);
      part[at] = bytes[place] | (bytes[place + 1] << 8);
    }
    made += String.fromCharCode.apply(null, part);
  }
  return made;
};

export const decode = (bytes, encoding) => {
  switch (encoding) {
    case "utf8":
      return text(bytes);
    case "hex":
      return hex(bytes);
    case "base64":
      return base64(bytes, false);
    case "base64url":
      return base64(bytes, true);
    case "latin1":
      return latin1(bytes, 0xff);
    case "ascii":
      return latin1(bytes, 0x7f);
    default:
      return utf16(bytes);
  }
};

export const lengthOf = (string, encoding) => {
  switch (encoding) {
    case "hex":
      return string.length >>> 1;
    case "utf16le":
      return string.length * 2;
    case "base64":
    case "base64url": {
      const rest = string.endsWith("==") ? 2 : string.endsWith("=") ? 1 : 0;
      return Math.floor(((string.length - rest) * 3) / 4);
    }
    case "utf8":
      return encode(string, encoding).length;
    default:
      return string.length;
  }
};
