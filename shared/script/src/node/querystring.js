// node:querystring.
import { Buffer } from "node:internal/buffer";
import { decode as textOf } from "node:internal/encodings";
import { coded } from "node:internal/errors";

const unescapeBuffer = (text) => {
  const source = Buffer.from(String(text));
  const made = Buffer.alloc(source.length);
  let length = 0;
  for (let at = 0; at < source.length; at += 1) {
    const pair = source[at] === 37 ? source.latin1Slice(at + 1, at + 3) : "";
    const byte = /^[0-9a-fA-F]{2}$/.test(pair) ? Number.parseInt(pair, 16) : undefined;
    made[length] = byte ?? source[at];
    if (byte !== undefined) at += 2;
    length += 1;
  }
  return made.subarray(0, length);
};
const unescape = (text) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return textOf(unescapeBuffer(text), "utf8");
  }
};
const escape = (value) => {
  const text = typeof value === "string" ? value : typeof value === "object" ? String(value) : `${value}`;
  if (!text.isWellFormed()) throw coded(URIError, "ERR_INVALID_URI", "URI malformed");
  return encodeURIComponent(text);
};
const plain = (value) => {
  if (typeof value === "string") return value;
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  return typeof value === "bigint" || typeof value === "boolean" ? String(value) : "";
};
const stringify = (object, separator, equals, options) => {
  if (object === null || typeof object !== "object") return "";
  const encode = typeof options?.encodeURIComponent === "function" ? options.encodeURIComponent : querystring.escape;
  const [sep, eq] = [separator || "&", equals || "="];
  const pairs = [];
  for (const key of Object.keys(object)) {
    const name = encode(plain(key)) + eq;
    const held = object[key];
    for (const value of Array.isArray(held) ? held : [held]) pairs.push(name + encode(plain(value)));
  }
  return pairs.join(sep);
};
const parse = (text, separator, equals, options) => {
  const found = Object.create(null);
  if (typeof text !== "string" || text.length === 0) return found;
  const max = typeof options?.maxKeys === "number" ? options.maxKeys : 1000;
  const decode = typeof options?.decodeURIComponent === "function" ? options.decodeURIComponent : querystring.unescape;
  const read = (part) => {
    const spaced = part.replaceAll("+", "%20");
    try {
      return decode(spaced);
    } catch {
      return unescape(spaced);
    }
  };
  const eq = equals ? String(equals) : "=";
  const pairs = text.split(separator ? String(separator) : "&").filter((pair) => pair !== "");
  for (const pair of max > 0 ? pairs.slice(0, max) : pairs) {
    const at = pair.indexOf(eq);
    const name = read(at < 0 ? pair : pair.slice(0, at));
    const value = at < 0 ? "" : read(pair.slice(at + eq.length));
    if (!(name in found)) found[name] = value;
    else if (Array.isArray(found[name])) found[name].push(value);
    else found[name] = [found[name], value];
  }
  return found;
};
const encode = stringify;
const decode = parse;
// Its own members can be replaced, and are then used.
const querystring = { unescapeBuffer, unescape, escape, stringify, encode, parse, decode };

export { decode, encode, escape, parse, stringify, unescape, unescapeBuffer };
export default querystring;
