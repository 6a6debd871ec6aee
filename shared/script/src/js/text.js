// TextEncoder, and TextDecoder of UTF-8, UTF-16 and windows-1252, by the Encoding standard.
(function (host) {
  "use strict";
  const bytes = (source) => {
    if (source === undefined) return new Uint8Array(0);
    if (source instanceof ArrayBuffer) return new Uint8Array(source);
    if (ArrayBuffer.isView(source)) {
      return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
    }
    throw new TypeError("the input must be an ArrayBuffer or a view of one");
  };

  class TextEncoder {
    get encoding() {
      return "utf-8";
    }
    encode(text = "") {
      return new Uint8Array(host.utf8(String(text).toWellFormed()));
    }
    encodeInto(text, target) {
      let read = 0;
      let written = 0;
      for (const character of String(text).toWellFormed()) {
        const piece = new Uint8Array(host.utf8(character));
        if (written + piece.length > target.length) break;
        target.set(piece, written);
        written += piece.length;
        read += character.length;
      }
      return { read, written };
    }
    get [Symbol.toStringTag]() {
      return "TextEncoder";
    }
  }

  // How many bytes at the end begin a character that the next chunk completes.
  const unfinished = {
    "utf-8": (chunk) => {
      for (let back = 1; back <= Math.min(3, chunk.length); back++) {
        const byte = chunk[chunk.length - back];
        if ((byte & 0xc0) === 0x80) continue;
        const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
        return length > back ? back : 0;
      }
      return 0;
    },
    "utf-16le": (chunk) => half(chunk, 1),
    "utf-16be": (chunk) => half(chunk, 2),
    "windows-1252": () => 0,
  };
  // An odd byte, and a high surrogate whose other half is missing; `at` is its place from the end.
  const half = (chunk, at) => {
    const odd = chunk.length % 2;
    const high = chunk[chunk.length - odd - at];
    return odd + (chunk.length - odd >= 2 && (high & 0xfc) === 0xd8 ? 2 : 0);
  };

  const units = (chunk, fatal, big) => {
    const codes = [];
    for (let at = 0; at + 1 < chunk.length; at += 2) {
      codes.push(big ? (chunk[at] << 8) | chunk[at + 1] : chunk[at] | (chunk[at + 1] << 8));
    }
    let text = "";
    for (let at = 0; at < codes.length; at += 4096) {
      text += String.fromCharCode(...codes.slice(at, at + 4096));
    }
    const odd = chunk.length % 2 === 1;
    if (fatal && (odd || !text.isWellFormed())) throw new TypeError("the bytes are not UTF-16");
    return text.toWellFormed() + (odd ? "\ufffd" : "");
  };
  // Where windows-1252 is not Latin 1: 0x80 to 0x9f.
  const UPPER =
    "\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f" +
    "\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178";
  const decoders = {
    "utf-8": (chunk, fatal) => host.text(chunk, fatal),
    "utf-16le": (chunk, fatal) => units(chunk, fatal, false),
    "utf-16be": (chunk, fatal) => units(chunk, fatal, true),
    "windows-1252": (chunk) => {
      let text = "";
      for (const byte of chunk) {
        text += byte >= 0x80 && byte < 0xa0 ? UPPER[byte - 0x80] : String.fromCharCode(byte);
      }
      return text;
    },
  };
  const LABELS = {
    "utf-8": ["utf-8", "utf8", "unicode-1-1-utf-8", "unicode11utf8", "unicode20utf8", "x-unicode20utf8"],
    "utf-16le": ["utf-16le", "utf-16", "ucs-2", "unicode", "csunicode", "iso-10646-ucs-2", "unicodefeff"],
    "utf-16be": ["utf-16be", "unicodefffe"],
    "windows-1252": [
      "windows-1252", "cp1252", "x-cp1252", "ascii", "us-ascii", "latin1", "l1", "iso-8859-1",
      "iso8859-1", "iso_8859-1", "iso88591", "iso-ir-100", "ansi_x3.4-1968", "cp819", "ibm819",
      "csisolatin1", "iso_8859-1:1987",
    ],
  };

  class TextDecoder {
    #encoding;
    #fatal;
    #keepBom;
    #rest = new Uint8Array(0);
    #begun = false;
    constructor(label = "utf-8", options = {}) {
      const asked = String(label).trim().toLowerCase();
      const found = Object.entries(LABELS).find(([, labels]) => labels.includes(asked));
      if (found === undefined) {
        throw new RangeError(
          `only ${Object.keys(LABELS).join(", ")} can be decoded, not ${label}`,
        );
      }
      [this.#encoding] = found;
      this.#fatal = Boolean(options?.fatal);
      this.#keepBom = Boolean(options?.ignoreBOM);
    }
    get encoding() {
      return this.#encoding;
    }
    get fatal() {
      return this.#fatal;
    }
    get ignoreBOM() {
      return this.#keepBom;
    }
    decode(source, options) {
      const stream = Boolean(options?.stream);
      let chunk = bytes(source);
      if (this.#rest.length > 0) {
        const joined = new Uint8Array(this.#rest.length + chunk.length);
        joined.set(this.#rest);
        joined.set(chunk, this.#rest.length);
        chunk = joined;
      }
      const kept = stream ? unfinished[this.#encoding](chunk) : 0;
      this.#rest = chunk.slice(chunk.length - kept);
      let text;
      try {
        text = decoders[this.#encoding](chunk.subarray(0, chunk.length - kept), this.#fatal);
      } catch (error) {
        [this.#rest, this.#begun] = [new Uint8Array(0), false];
        throw error;
      }
      const marked = this.#encoding !== "windows-1252" && text.startsWith("\ufeff");
      const whole = text !== "";
      if (!this.#begun && !this.#keepBom && marked) text = text.slice(1);
      this.#begun = stream && (this.#begun || whole);
      return text;
    }
    get [Symbol.toStringTag]() {
      return "TextDecoder";
    }
  }

  return { TextEncoder, TextDecoder };
})
