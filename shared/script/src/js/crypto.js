// Random bytes of the operating system.
(function (host, core) {
  "use strict";
  let made;
  const subtle = () => (made ??= host.load("subtle")(host, core));
  class CryptoKey {
    static [Symbol.hasInstance](value) {
      return made !== undefined && value instanceof made.CryptoKey;
    }
    constructor() {
      throw new TypeError("Illegal constructor");
    }
  }
  const crypto = {
    get subtle() {
      return subtle().subtle;
    },
    getRandomValues(array) {
      if (!ArrayBuffer.isView(array) || array instanceof DataView) {
        throw new TypeError("getRandomValues needs a typed array of integers");
      }
      if (array.byteLength > 65536) {
        throw new DOMException("at most 65536 bytes at once", "QuotaExceededError");
      }
      const target = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
      target.set(new Uint8Array(host.random(target.length)));
      return array;
    },
    randomUUID() {
      const bytes = new Uint8Array(host.random(16));
      bytes[6] = (bytes[6] & 0x0f) | 0x40;
      bytes[8] = (bytes[8] & 0x3f) | 0x80;
      const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
      return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
    },
  };
  return { crypto: Object.freeze(crypto), CryptoKey };
})
