// node:string_decoder: bytes that arrive in pieces, to text.
import { Buffer } from "node:internal/buffer";
import { encodingOf } from "node:internal/encodings";
import { coded, wrongType } from "node:internal/errors";

// How many bytes at the end begin what the next piece completes.
const unfinished = {
  utf8(bytes) {
    for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
      const byte = bytes[bytes.length - back];
      if ((byte & 0xc0) === 0x80) continue;
      const length = byte >= 0xf5 ? 1 : byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc2 ? 2 : 1;
      if (length <= back) return 0;
      const second = bytes[bytes.length - back + 1];
      const low = { 0xe0: 0xa0, 0xf0: 0x90 }[byte] ?? 0x80;
      const high = { 0xed: 0x9f, 0xf4: 0x8f }[byte] ?? 0xbf;
      return back > 1 && (second < low || second > high) ? 0 : back;
    }
    return 0;
  },
  utf16le(bytes) {
    const odd = bytes.length % 2;
    const last = bytes.length - odd - 1;
    return last > 0 && bytes[last] >= 0xd8 && bytes[last] <= 0xdb ? odd + 2 : odd;
  },
  base64: (bytes) => bytes.length % 3,
  base64url: (bytes) => bytes.length % 3,
};

class Decoder {
  constructor(encoding) {
    const name = encodingOf(encoding);
    if (name === undefined) throw coded(TypeError, "ERR_UNKNOWN_ENCODING", `Unknown encoding: ${encoding}`);
    this.encoding = name;
    this.lastChar = Buffer.alloc(0);
  }
  get lastNeed() {
    return this.lastChar.length;
  }
  write(piece) {
    if (typeof piece === "string") return piece;
    if (!ArrayBuffer.isView(piece)) throw wrongType("buf", ["Buffer", "TypedArray", "DataView"], piece);
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    const whole = this.lastChar.length > 0 ? Buffer.concat([this.lastChar, bytes]) : bytes;
    const rest = unfinished[this.encoding]?.(whole) ?? 0;
    this.lastChar = Buffer.from(whole.subarray(whole.length - rest));
    return whole.toString(this.encoding, 0, whole.length - rest);
  }
  end(piece) {
    const text = piece === undefined ? "" : this.write(piece);
    const rest = this.lastChar;
    this.lastChar = Buffer.alloc(0);
    return text + rest.toString(this.encoding);
  }
  text(piece, offset) {
    this.lastChar = Buffer.alloc(0);
    return this.write(piece.subarray(offset));
  }
}
// Callable without `new`, and on an object of another class.
function StringDecoder(encoding) {
  const made = new Decoder(encoding);
  if (new.target !== undefined) return Object.setPrototypeOf(made, new.target.prototype);
  return Object.assign(this, made);
}
StringDecoder.prototype = Decoder.prototype;

export { StringDecoder };
export default { StringDecoder };
