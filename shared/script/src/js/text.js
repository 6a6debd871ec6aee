// TextEncoder and TextDecoder, UTF-8 alone.
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
  }

  // How many bytes at the end begin a character that the next chunk completes.
  const unfinished = (chunk) => {
    for (let back = 1; back <= Math.min(3, chunk.length); back++) {
      const byte = chunk[chunk.length - back];
      if ((byte & 0xc0) === 0x80) continue;
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
      return length > back ? back : 0;
    }
    return 0;
  };

  class TextDecoder {
    #fatal;
    #keepBom;
    #rest = new Uint8Array(0);
    #begun = false;
    constructor(label = "utf-8", options = {}) {
      if (!/^\s*(utf-?8|unicode-1-1-utf-8)\s*$/i.test(label)) {
        throw new RangeError(`only utf-8 can be decoded, not ${label}`);
      }
      this.#fatal = Boolean(options.fatal);
      this.#keepBom = Boolean(options.ignoreBOM);
    }
    get encoding() {
      return "utf-8";
    }
    get fatal() {
      return this.#fatal;
    }
    get ignoreBOM() {
      return this.#keepBom;
    }
    decode(source, { stream = false } = {}) {
      let chunk = bytes(source);
      if (this.#rest.length > 0) {
        const joined = new Uint8Array(this.#rest.length + chunk.length);
        joined.set(this.#rest);
        joined.set(chunk, this.#rest.length);
        chunk = joined;
      }
      const kept = stream ? unfinished(chunk) : 0;
      this.#rest = chunk.slice(chunk.length - kept);
      let text = host.text(chunk.subarray(0, chunk.length - kept), this.#fatal);
      if (!this.#begun && !this.#keepBom && text.startsWith("\ufeff")) text = text.slice(1);
      this.#begun = stream && (this.#begun || text !== "");
      return text;
    }
  }

  return { TextEncoder, TextDecoder };
})
