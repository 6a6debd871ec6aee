// node:stream/consumers: a whole stream as one value.
import { Buffer } from "node:internal/buffer";

const buffer = async (stream) => {
  const parts = [];
  for await (const chunk of stream) parts.push(typeof chunk === "string" ? Buffer.from(chunk) : Buffer.from(chunk.buffer ?? chunk, chunk.byteOffset, chunk.byteLength));
  return Buffer.concat(parts);
};
const arrayBuffer = async (stream) => {
  const { buffer: held, byteOffset, byteLength } = await buffer(stream);
  return held.slice(byteOffset, byteOffset + byteLength);
};
const text = async (stream) => (await buffer(stream)).toString();
const json = async (stream) => JSON.parse(await text(stream));
const blob = async (stream) => new Blob([await buffer(stream)]);

export { arrayBuffer, blob, buffer, json, text };
export default { arrayBuffer, blob, buffer, json, text };
