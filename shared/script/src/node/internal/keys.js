// crypto's KeyObjects: PEM, DER and JWK in and out, for the keys that the engine can sign with.
import { subtle as grant } from "openeve:native";
import { Buffer } from "node:internal/buffer";
import { coded, needsFunction, wrongType } from "node:internal/errors";
import { bytesOf } from "node:internal/hashes";

let granted;
export const native = () => (granted ??= grant());

const CURVES = {
  "P-256": { oid: "2a8648ce3d030107", size: 32, name: "prime256v1" },
  "P-384": { oid: "2b81040022", size: 48, name: "secp384r1" },
};
const OIDS = { rsa: "2a864886f70d010101", "rsa-pss": "2a864886f70d01010a", ec: "2a8648ce3d0201", ed25519: "2b6570" };
const unsupported = (what) => coded(Error, "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM", `${what} is not available in tools; they have RSA, P-256, P-384 and Ed25519, also as crypto.subtle`);
const bad = (why = "DECODER routines::unsupported") => coded(Error, "ERR_OSSL_UNSUPPORTED", `error:1E08010C:${why}`);

// --- DER.
const hexOf = (bytes) => Buffer.from(bytes).toString("hex");
const read = (bytes, at = 0) => {
  let length = bytes[at + 1];
  let start = at + 2;
  if (length & 0x80) {
    const count = length & 0x7f;
    length = 0;
    for (let index = 0; index < count; index += 1) length = length * 256 + bytes[start + index];
    start += count;
  }
  if (!(start + length <= bytes.length)) throw bad("the key is cut short");
  return { tag: bytes[at], body: bytes.subarray(start, start + length), whole: bytes.subarray(at, start + length), end: start + length };
};
const items = (bytes) => {
  const found = [];
  for (let at = 0; at < bytes.length; at = found.at(-1).end) found.push(read(bytes, at));
  return found;
};
export const der = (tag, ...parts) => {
  const body = Buffer.concat(parts);
  if (body.length < 128) return Buffer.concat([Buffer.from([tag, body.length]), body]);
  const size = Buffer.from(body.length.toString(16).padStart(body.length < 256 ? 2 : body.length < 65536 ? 4 : 6, "0"), "hex");
  return Buffer.concat([Buffer.from([tag, 0x80 | size.length]), size, body]);
};
export const integer = (bytes) => {
  let from = 0;
  while (from < bytes.length - 1 && bytes[from] === 0) from += 1;
  const plain = Buffer.from(bytes.subarray(from));
  return der(2, plain[0] & 0x80 ? Buffer.concat([Buffer.from([0]), plain]) : plain);
};
const unsigned = (bytes) => (bytes[0] === 0 && bytes.length > 1 ? bytes.subarray(1) : bytes);
const oid = (hex) => der(6, Buffer.from(hex, "hex"));
const NULL = Buffer.from([5, 0]);
const VERSION = Buffer.from([2, 1, 0]);
const algorithm = (kind, curve) => der(0x30, oid(OIDS[kind]), ...(kind === "ec" ? [oid(CURVES[curve].oid)] : kind === "rsa" ? [NULL] : []));

// --- From the forms in which keys come.
const rsaParts = (pkcs1) => {
  const [n, e] = items(read(pkcs1).body).slice(pkcs1IsPrivate(pkcs1) ? 1 : 0).map(({ body }) => unsigned(body));
  return { n: Buffer.from(n), e: Buffer.from(e) };
};
const pkcs1IsPrivate = (pkcs1) => items(read(pkcs1).body).length > 2;
const rsaPrivate = (pkcs1) => ({ kind: "rsa", type: "private", pkcs1: Buffer.from(pkcs1), pkcs8: der(0x30, VERSION, algorithm("rsa"), der(4, pkcs1)), ...rsaParts(pkcs1) });
const rsaPublic = (pkcs1) => ({ kind: "rsa", type: "public", pkcs1: Buffer.from(pkcs1), ...rsaParts(pkcs1) });
const curveOf = (hex) => Object.keys(CURVES).find((name) => CURVES[name].oid === hex);
const ecPrivate = (sec1, given) => {
  const parts = items(read(sec1).body);
  const own = parts.find(({ tag }) => tag === 0xa0);
  const curve = given ?? (own && curveOf(hexOf(read(own.body).body)));
  if (curve === undefined) throw unsupported("this elliptic curve");
  const open = parts.find(({ tag }) => tag === 0xa1);
  if (open === undefined) throw unsupported("a private key without its public key");
  return { kind: "ec", type: "private", curve, d: Buffer.from(parts[1].body), point: Buffer.from(read(open.body).body.subarray(1)) };
};
const fromPkcs8 = (bytes) => {
  const [, method, held] = items(read(bytes).body);
  const [kind, parameters] = items(method.body);
  switch (hexOf(kind.body)) {
    case OIDS.rsa:
      return rsaPrivate(held.body);
    case OIDS.ec:
      return ecPrivate(held.body, curveOf(hexOf(parameters.body)));
    case OIDS.ed25519: {
      const d = Buffer.from(read(held.body).body);
      return { kind: "ed25519", type: "private", d, point: Buffer.from(native().ed25519Public(d)) };
    }
    default:
      throw unsupported("a key of this kind");
  }
};
const fromSpki = (bytes) => {
  const [method, held] = items(read(bytes).body);
  const [kind, parameters] = items(method.body);
  const open = held.body.subarray(1);
  switch (hexOf(kind.body)) {
    case OIDS.rsa:
      return rsaPublic(open);
    case OIDS.ec: {
      const curve = curveOf(hexOf(parameters.body));
      if (curve === undefined) throw unsupported("this elliptic curve");
      return { kind: "ec", type: "public", curve, point: Buffer.from(open) };
    }
    case OIDS.ed25519:
      return { kind: "ed25519", type: "public", point: Buffer.from(open) };
    default:
      throw unsupported("a key of this kind");
  }
};
// The key in a certificate: the first field of its body that is built as one.
const fromCertificate = (bytes) => {
  const fields = items(items(read(bytes).body)[0].body);
  const found = fields.filter(({ tag }) => tag === 0x30).find(({ body }) => items(body)[1]?.tag === 3);
  if (found === undefined) throw bad("no key in the certificate");
  return fromSpki(found.whole);
};
const PEM = /-----BEGIN ([A-Z0-9 ]+)-----([\s\S]+?)-----END \1-----/g;
const READERS = {
  "PRIVATE KEY": fromPkcs8, "RSA PRIVATE KEY": rsaPrivate, "EC PRIVATE KEY": (bytes) => ecPrivate(bytes),
  "PUBLIC KEY": fromSpki, "RSA PUBLIC KEY": rsaPublic, CERTIFICATE: fromCertificate, "X509 CERTIFICATE": fromCertificate,
};
const fromPem = (text, wantsPrivate) => {
  const found = [...String(text).matchAll(PEM)].find(([, label]) => READERS[label] !== undefined || label.includes("ENCRYPTED"));
  if (found === undefined) throw bad();
  const [, label, body] = found;
  if (label.includes("ENCRYPTED") || /Proc-Type: 4,ENCRYPTED/.test(body)) throw unsupported("an encrypted private key");
  const made = READERS[label](Buffer.from(body, "base64"));
  if (wantsPrivate && made.type !== "private") throw bad();
  return made;
};
const fromJwk = (jwk) => {
  const bytes = (text) => Buffer.from(text, "base64url");
  if (jwk.kty === "EC") {
    if (CURVES[jwk.crv] === undefined) throw unsupported(`the curve ${jwk.crv}`);
    const point = Buffer.concat([Buffer.from([4]), bytes(jwk.x), bytes(jwk.y)]);
    return jwk.d === undefined ? { kind: "ec", type: "public", curve: jwk.crv, point } : { kind: "ec", type: "private", curve: jwk.crv, point, d: bytes(jwk.d) };
  }
  if (jwk.kty === "OKP" && jwk.crv === "Ed25519") {
    const point = bytes(jwk.x);
    return jwk.d === undefined ? { kind: "ed25519", type: "public", point } : { kind: "ed25519", type: "private", point, d: bytes(jwk.d) };
  }
  if (jwk.kty === "RSA") {
    const parts = (...names) => names.map((name) => integer(bytes(jwk[name])));
    if (jwk.d === undefined) return rsaPublic(der(0x30, ...parts("n", "e")));
    return rsaPrivate(der(0x30, VERSION, ...parts("n", "e", "d", "p", "q", "dp", "dq", "qi")));
  }
  throw unsupported(`a JWK of ${jwk.kty} ${jwk.crv ?? ""}`.trim());
};
const openOf = (key) => ({ ...key, type: "public", d: undefined, pkcs8: undefined, pkcs1: key.kind === "rsa" ? der(0x30, integer(key.n), integer(key.e)) : undefined });

const parsed = (input, wantsPrivate) => {
  const given = typeof input === "object" && input !== null && !ArrayBuffer.isView(input) && !(input instanceof ArrayBuffer) && input.key !== undefined ? input : { key: input };
  if (given.key instanceof KeyObject) return given.key.parts;
  if (given.format === "jwk" || (typeof given.key === "object" && given.key.kty !== undefined)) return fromJwk(given.key);
  const bytes = bytesOf("key", given.key, given.encoding);
  if (given.format !== "der") return fromPem(Buffer.from(bytes).toString("latin1"), wantsPrivate);
  const readers = { pkcs8: fromPkcs8, spki: fromSpki, sec1: (sec1) => ecPrivate(sec1), pkcs1: (pkcs1) => (pkcs1IsPrivate(pkcs1) ? rsaPrivate(pkcs1) : rsaPublic(pkcs1)) };
  const reader = readers[given.type ?? (wantsPrivate ? "pkcs8" : "spki")];
  if (reader === undefined) throw bad();
  return reader(Buffer.from(bytes));
};

const MAKING = Symbol("making");
export class KeyObject {
  constructor(parts, secret) {
    if (secret !== MAKING) throw coded(TypeError, "ERR_INVALID_ARG_TYPE", "A KeyObject is made by createSecretKey, createPublicKey or createPrivateKey");
    Object.defineProperty(this, "parts", { value: parts });
  }
  static from(key) {
    throw unsupported(`KeyObject.from(${key?.type ?? ""})`);
  }
  get type() {
    return this.parts.type;
  }
  get [Symbol.toStringTag]() {
    return "KeyObject";
  }
  get symmetric() {
    return this.parts.type === "secret" ? this.parts.bytes : undefined;
  }
  get symmetricKeySize() {
    return this.symmetric?.length;
  }
  get asymmetricKeyType() {
    return this.parts.kind;
  }
  get asymmetricKeyDetails() {
    const { kind, n, e, curve } = this.parts;
    if (kind === "rsa") return { modulusLength: BigInt(`0x${hexOf(n)}`).toString(2).length, publicExponent: BigInt(`0x${hexOf(e)}`) };
    return kind === "ec" ? { namedCurve: CURVES[curve].name } : kind === undefined ? undefined : {};
  }
  equals(other) {
    const shape = (key) => JSON.stringify([key.type, key.parts.bytes, key.parts.pkcs8, key.parts.n, key.parts.e, key.parts.d, key.parts.point]);
    return other instanceof KeyObject && shape(this) === shape(other);
  }
  export(options = {}) {
    if (this.type === "secret") return options.format === "jwk" ? { kty: "oct", k: this.parts.bytes.toString("base64url") } : Buffer.from(this.parts.bytes);
    return exported(this.parts, options);
  }
}
const SPKI = (key) => der(0x30, algorithm(key.kind, key.curve), der(3, Buffer.from([0]), key.kind === "rsa" ? key.pkcs1 : key.point));
const sec1 = (key, named) => der(0x30, Buffer.from([2, 1, 1]), der(4, key.d), ...(named ? [der(0xa0, oid(CURVES[key.curve].oid))] : []), der(0xa1, der(3, Buffer.from([0]), key.point)));
const PKCS8 = (key) => key.pkcs8 ?? der(0x30, VERSION, algorithm(key.kind, key.curve), der(4, key.kind === "ec" ? sec1(key, false) : der(4, key.d)));
const jwkOf = (key) => {
  const text = (bytes) => Buffer.from(bytes).toString("base64url");
  if (key.kind === "ed25519") return { crv: "Ed25519", ...(key.d && { d: text(key.d) }), x: text(key.point), kty: "OKP" };
  if (key.kind === "ec") {
    const { size } = CURVES[key.curve];
    return { kty: "EC", x: text(key.point.subarray(1, 1 + size)), y: text(key.point.subarray(1 + size)), crv: key.curve, ...(key.d && { d: text(key.d) }) };
  }
  const names = ["n", "e", "d", "p", "q", "dp", "dq", "qi"];
  const numbers = items(read(key.pkcs1).body).slice(key.type === "private" ? 1 : 0).map(({ body }) => text(unsigned(body)));
  return { kty: "RSA", ...Object.fromEntries(numbers.slice(0, key.type === "private" ? 8 : 2).map((number, at) => [names[at], number])) };
};
const exported = (key, { format = "pem", type, cipher }) => {
  if (format === "jwk") return jwkOf(key);
  if (cipher !== undefined) throw unsupported("an encrypted private key");
  const form = type ?? (key.type === "private" ? "pkcs8" : "spki");
  const forms = { pkcs8: ["PRIVATE KEY", PKCS8], spki: ["PUBLIC KEY", SPKI], sec1: ["EC PRIVATE KEY", (one) => sec1(one, true)], pkcs1: [`RSA ${key.type === "private" ? "PRIVATE" : "PUBLIC"} KEY`, (one) => one.pkcs1] };
  const [label, make] = forms[form] ?? [];
  if (make === undefined) throw coded(TypeError, "ERR_INVALID_ARG_VALUE", `The property 'options.type' is invalid. Received '${form}'`);
  const bytes = Buffer.from(make(key));
  if (format === "der") return bytes;
  return `-----BEGIN ${label}-----\n${bytes.toString("base64").replace(/(.{64})(?=.)/g, "$1\n")}\n-----END ${label}-----\n`;
};

export const createSecretKey = (key, encoding) => new KeyObject({ type: "secret", bytes: Buffer.from(bytesOf("key", key, encoding)) }, MAKING);
export const createPrivateKey = (key) => {
  const parts = parsed(key, true);
  if (parts.type !== "private") throw coded(TypeError, "ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE", `Invalid key object type ${parts.type}, expected private.`);
  return new KeyObject(parts, MAKING);
};
export const createPublicKey = (key) => {
  const parts = parsed(key, false);
  if (parts.type === "secret") throw coded(TypeError, "ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE", "Invalid key object type secret, expected private or public.");
  return new KeyObject(parts.type === "private" ? openOf(parts) : parts, MAKING);
};
export const keyParts = (key, wantsPrivate) => (wantsPrivate ? createPrivateKey(key) : createPublicKey(key)).parts;

export const generateKeyPairSync = (type, options = {}) => {
  const curve = type === "ec" ? { "P-256": "P-256", prime256v1: "P-256", "P-384": "P-384", secp384r1: "P-384" }[options.namedCurve] : type === "ed25519" ? "Ed25519" : undefined;
  if (curve === undefined) throw unsupported(`making a key of ${type} ${options.namedCurve ?? ""}`.trim());
  const [d, point] = native().generate(curve).map((part) => Buffer.from(part));
  const kind = type === "ec" ? { kind: "ec", curve } : { kind: "ed25519" };
  const pair = { publicKey: new KeyObject({ ...kind, type: "public", point }, MAKING), privateKey: new KeyObject({ ...kind, type: "private", d, point }, MAKING) };
  if (options.publicKeyEncoding) pair.publicKey = pair.publicKey.export(options.publicKeyEncoding);
  if (options.privateKeyEncoding) pair.privateKey = pair.privateKey.export(options.privateKeyEncoding);
  return pair;
};
export const generateKeyPair = (type, options, callback) => {
  const done = needsFunction("callback", callback ?? options);
  const { publicKey, privateKey } = generateKeyPairSync(type, callback === undefined ? {} : options);
  setTimeout(() => done(null, publicKey, privateKey), 0);
};
export const generateKeySync = (type, { length } = {}) => {
  if (type !== "hmac" && type !== "aes") throw wrongType("type", "string", type);
  return createSecretKey(globalThis.crypto.getRandomValues(new Uint8Array(length / 8)));
};
export const generateKey = (type, options, callback) => {
  const made = generateKeySync(type, options);
  setTimeout(() => callback(null, made), 0);
};
