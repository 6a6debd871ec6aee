// node:buffer: Buffer and what stands beside it.
import { isAscii as nativeIsAscii, isUtf8 as nativeIsUtf8 } from "openeve:native";
import { Buffer, LENGTH_MAX } from "node:internal/buffer";
import { decode, encodingOf } from "node:internal/encodings";
import { absent, coded, wrongType } from "node:internal/errors";

const known = (encoding) => {
  const name = encodingOf(encoding);
  if (name === undefined) throw coded(TypeError, "ERR_UNKNOWN_ENCODING", `Unknown encoding: ${encoding}`);
  return name;
};
function SlowBuffer(size) {
  return Buffer.allocUnsafeSlow(size);
}
const transcode = (source, fromEncoding, toEncoding) => {
  if (!(source instanceof Uint8Array)) throw wrongType("source", ["Buffer", "Uint8Array"], source);
  const text = decode(source, known(fromEncoding));
  const lossy = ["ascii", "latin1"].includes(known(toEncoding)) ? text.replace(/[^\0-\xff]/gu, "?") : text;
  return Buffer.from(lossy, toEncoding);
};
const isUtf8 = (input) => nativeIsUtf8(new Uint8Array(input.buffer ?? input, input.byteOffset ?? 0, input.byteLength));
const isAscii = (input) => nativeIsAscii(new Uint8Array(input.buffer ?? input, input.byteOffset ?? 0, input.byteLength));
const constants = { MAX_LENGTH: LENGTH_MAX, MAX_STRING_LENGTH: 2 ** 29 - 24 };
const kMaxLength = LENGTH_MAX;
const kStringMaxLength = constants.MAX_STRING_LENGTH;
const INSPECT_MAX_BYTES = 50;
const resolveObjectURL = absent("buffer.resolveObjectURL");
const { atob, btoa, Blob, File } = globalThis;

export { atob, Blob, btoa, Buffer, constants, File, INSPECT_MAX_BYTES, isAscii, isUtf8, kMaxLength, kStringMaxLength, resolveObjectURL, SlowBuffer, transcode };
export default { Buffer, SlowBuffer, transcode, isUtf8, isAscii, kMaxLength, kStringMaxLength, btoa, atob, constants, INSPECT_MAX_BYTES, Blob, resolveObjectURL, File };
