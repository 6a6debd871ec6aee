// Prints what Node says to each expression below, one JSON line each:
//   node node_cases.mjs > node_cases.jsonl
// The test runs the same expressions in the engine and compares.
import { createRequire } from "node:module";

const EXPRESSIONS = String.raw`
Buffer.from("é😀a\ud800b").toString("hex")
["utf8", "hex", "base64", "base64url", "latin1", "ascii", "ucs2"].map((e) => Buffer.from("68656c6c6f", e).toString("base64"))
["utf8", "hex", "base64", "base64url", "latin1", "binary", "ascii", "utf16le"].map((e) => Buffer.from([0, 128, 255, 65, 66, 0xe2]).toString(e))
Buffer.from("zz68", "hex").length + Buffer.from("686", "hex").length
Buffer.from("a-_b==\n").toString("hex") + Buffer.from("a-_b", "base64").toString("hex")
Buffer.from({ type: "Buffer", data: [1, 2, 300] })
Buffer.from(new Uint16Array([1, 500]))
Buffer.from(new Uint8Array([1, 2, 3, 4]).buffer, 1, 2)
Buffer.from(5)
Buffer.from(null)
Buffer.from("a", "nope")
Buffer.alloc(5, "ab")
Buffer.alloc(3, "6162", "hex")
Buffer.alloc("a")
Buffer.concat([Buffer.from("a"), Buffer.from("bc"), new Uint8Array([1])], 3)
Buffer.byteLength("é€") + Buffer.byteLength("aGk=", "base64")
[Buffer.compare(Buffer.from("a"), Buffer.from("b")), Buffer.from("abc").compare(Buffer.from("xabcx"), 1, 4)]
[Buffer.isBuffer(Buffer.alloc(1)), Buffer.isBuffer(new Uint8Array(1)), Buffer.isEncoding("UTF-8"), Buffer.isEncoding("x")]
[Buffer.from("abcdef").slice(-2), Buffer.from("abcdef").subarray(1, -1), Buffer.from("abcdef").slice(5, 2)]
["cd", "c", "", "z", 99].map((n) => [Buffer.from("abcdefabc").indexOf(n), Buffer.from("abcdefabc").lastIndexOf(n), Buffer.from("abcdefabc").includes(n)])
Buffer.from("abcdefabc").indexOf("c", -3)
(() => { const b = Buffer.alloc(5); return [b.write("é😀"), b, b.write("6162", 1, "hex"), b]; })()
(() => { const t = Buffer.alloc(4); return [Buffer.from("abcdef").copy(t, 1, 2, 4), t]; })()
[Buffer.from([1, 2, 3, 4]).swap16(), Buffer.from([1, 2, 3, 4]).swap32()]
Buffer.from([1]).swap16()
JSON.stringify(Buffer.from("ab"))
["readUInt8", "readInt8", "readUInt16LE", "readUInt16BE", "readInt16LE", "readUInt32LE", "readInt32BE", "readFloatLE", "readDoubleBE"].map((k) => Buffer.from("81028304850687089900", "hex")[k](1))
[Buffer.from("8102830485068708", "hex").readBigUInt64LE(0), Buffer.from("8102830485068708", "hex").readBigInt64BE(0)].map(String)
[1, 3, 5, 6].map((n) => [Buffer.from("8102830485068708", "hex").readUIntLE(0, n), Buffer.from("8102830485068708", "hex").readIntBE(0, n)])
Buffer.alloc(2).readUInt32LE(0)
Buffer.alloc(8).readUInt8(8)
Buffer.alloc(8).readUInt8(1.5)
(() => { const b = Buffer.alloc(16); b.writeUInt8(255, 0); b.writeInt16BE(-2, 1); b.writeUInt32LE(4294967295, 3); b.writeDoubleLE(1.5, 7); return b; })()
(() => { const b = Buffer.alloc(14); b.writeUIntBE(0x123456789abc, 0, 6); b.writeIntLE(-5, 6, 3); b.writeFloatBE(0.5, 9); return b; })()
Buffer.alloc(2).writeUInt8(256)
Buffer.alloc(9).writeUInt32LE(2 ** 40)
Buffer.from("abc").map((x) => x + 1).toString()
[Buffer("ab"), new Buffer("ab"), new Buffer([1]), new Buffer.alloc(1), new Buffer.from("a")]
util.inspect(Buffer.alloc(60)).length + util.inspect(Buffer.from("hi"))
[buffer.isUtf8(Buffer.from([0xff])), buffer.isAscii(Buffer.from("a")), buffer.constants.MAX_LENGTH > 1e9, buffer.Buffer === Buffer]
buffer.transcode(Buffer.from("€é"), "utf8", "latin1")
path.join("/a", "..", "b", "./c") + path.normalize("a//b/../c/") + path.resolve("/a", "b", "../c") + path.relative("/a/b/c", "/a/d")
["/a/b.txt", ".bashrc", "a/", "a.b.c", "/", ""].map((p) => [path.basename(p), path.dirname(p), path.extname(p), path.parse(p)])
path.format({ dir: "/x", name: "a", ext: "b" }) + path.basename("a/b.html", ".html") + path.sep + path.delimiter + path.isAbsolute("/a")
path.join(1)
["C:\\a\\..\\b", "\\\\srv\\share\\x\\..", "C:a"].map((p) => [path.win32.normalize(p), path.win32.dirname(p), path.win32.parse(p)])
path.win32.relative("C:\\a\\b", "C:\\a\\c") + path.posix.sep + (path.posix === path)
[1, -0, "a'b", "a\nb", null, undefined, 10n, Symbol("s"), [1, , 3], {}, new Map([["a", { b: 1 }]]), new Set([1]), /a/g, new Date(0), () => 1, class A {}].map((v) => util.inspect(v))
util.inspect({ a: { b: { c: { d: 1 } } }, l: Array.from({ length: 120 }, (_, i) => i), s: "x".repeat(50), t: "y".repeat(50) })
util.inspect({ a: { b: { c: { d: 1 } } } }, { depth: 0 }) + util.inspect({ a: { b: { c: { d: 1 } } } }, { depth: null })
(() => { const c = { a: 1 }; c.self = c; return util.inspect(c); })()
util.inspect(new (class Foo { x = 1; [util.inspect.custom]() { return "own"; } })()) + util.inspect(new (class Foo { x = 1; get y() { return 1; } })()) + util.inspect(Object.create(null))
util.format("%s %d %i %f %j %O %%", "a", 1.5, 2.7, "3.1", { a: 1 }, [1]) + util.format("a", "b", { c: 1 }) + util.format("%s", null, undefined)
util.promisify((a, cb) => cb(null, a + 1))(1)
util.promisify((cb) => cb(new Error("no")))()
util.promisify(1)
new Promise((r) => util.callbackify(async (a) => a + 1)(1, (e, v) => r([e, v])))
(() => { function A() {} function B() {} util.inherits(A, B); return new A() instanceof B && A.super_ === B; })()
[util.isDeepStrictEqual({ a: [1, new Map([[1, { b: 2 }]])] }, { a: [1, new Map([[1, { b: 2 }]])] }), util.isDeepStrictEqual([1], ["1"]), util.isDeepStrictEqual(new Date(1), new Date(1)), util.isDeepStrictEqual(-0, 0)]
[util.types.isDate(new Date()), util.types.isPromise(Promise.resolve()), util.types.isTypedArray(Buffer.alloc(1)), util.types.isRegExp(/a/), util.types.isNativeError(new TypeError()), util.types.isAsyncFunction(async () => {}), util.types.isProxy({}), util.types.isMap(new Map())]
util.styleText("red", "x") + util.stripVTControlCharacters("\u001b[31mx\u001b[0m") + util.toUSVString("a\ud800").length
(() => { const e = new EventEmitter(); const log = []; e.on("a", (x) => log.push(x)); e.once("a", (x) => log.push("once" + x)); e.prependListener("a", () => log.push("first")); e.emit("a", 1); e.emit("a", 2); return [log, e.listenerCount("a"), e.eventNames(), e.emit("none")]; })()
new EventEmitter().emit("error", new Error("boom"))
new EventEmitter().emit("error", "text")
(() => { const e = new EventEmitter(); const log = []; e.on("newListener", (t) => log.push("+" + String(t))); e.on("removeListener", (t) => log.push("-" + t)); const f = () => {}; e.on("x", f); e.off("x", f); e.on(EventEmitter.errorMonitor, () => log.push("seen")); e.on("error", () => log.push("err")); e.emit("error", 1); return log.map(String).filter((t) => !t.includes("Symbol")); })()
(async () => { const e = new EventEmitter(); setTimeout(() => e.emit("x", 1, 2), 1); return events.once(e, "x"); })()
(async () => { const e = new EventEmitter(); const out = []; setTimeout(() => { e.emit("x", 1); e.emit("x", 2); e.emit("end"); }, 1); for await (const [v] of events.on(e, "x", { close: ["end"] })) { out.push(v); if (v === 2) break; } return out; })()
new EventEmitter().on("x", 1)
[assert.equal(1, "1"), assert.deepStrictEqual({ a: 1 }, { a: 1 }), assert.throws(() => { throw new TypeError("x"); }, TypeError), assert.throws(() => { throw new Error("abc"); }, /b/)].length
assert(false, "m")
assert.equal(1, 2)
assert.strictEqual(1, 2)
assert.throws(() => {})
assert.rejects(Promise.resolve(1))
assert.rejects(Promise.reject(new Error("x")), { message: "x" })
assert.strict.deepEqual([1], [1])
assert.ifError(new Error("q"))
assert.match("abc", /x/)
[qs.parse("a=1&a=2&b=%20+x&c"), qs.stringify({ a: [1, "x y"], b: "é", c: null }), qs.escape("a b&"), qs.unescape("%41%zz")]
(() => { const d = new sd.StringDecoder("utf8"); const b = Buffer.from("é€😀"); return Array.from(b, (x) => d.write(Buffer.from([x]))).join("|") + d.end(Buffer.from([0xe2])); })()
url.parse("http://user:pass@Host.com:8080/p/a?query=string#hash")
url.parse("mailto:a@b.c?x=1", true)
["g", "./g", "/g", "//g", "?y", "#s", "..", "../g", "http://x.y/z"].map((r) => url.resolve("http://a.com/b/c/d;p?q", r))
url.format({ protocol: "http", host: "a.com", pathname: "x", query: { a: 1, b: [2, 3] } })
[url.fileURLToPath("file:///a/b%20c"), url.pathToFileURL("/a b#c?").href, url.domainToASCII("español.com"), url.domainToUnicode("xn--fiq228c.com")]
url.fileURLToPath("http://x")
["md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha512-256", "RSA-SHA256"].map((h) => crypto.createHash(h).update("é").update(new Uint8Array([1])).digest("hex"))
["md5", "sha1", "sha224", "sha256", "sha512"].map((h) => crypto.createHmac(h, "key").update("data").digest("base64"))
crypto.createHmac("sha256", Buffer.alloc(200, 1)).update("x").digest("base64url")
(() => { const h = crypto.createHash("md5").update("a"); const c = h.copy(); return [c.update("b").digest("hex"), h.digest("hex")]; })()
(() => { const h = crypto.createHash("md5"); h.digest(); h.update("a"); })()
new Promise((r) => { const h = crypto.createHash("sha1"); h.on("readable", () => { const d = h.read(); if (d) r(d.toString("hex")); }); h.write("ab"); h.end(); })
crypto.pbkdf2Sync("p", "s", 1000, 40, "sha256")
new Promise((r) => crypto.pbkdf2("p", "s", 1, 20, "sha1", (e, k) => r(k)))
Buffer.from(crypto.hkdfSync("sha256", "k", "s", "i", 70))
[crypto.timingSafeEqual(Buffer.from("a"), Buffer.from("a")), crypto.timingSafeEqual(Buffer.from("a"), Buffer.from("b"))]
crypto.timingSafeEqual(Buffer.from("a"), Buffer.from("bb"))
[crypto.randomBytes(8).length, crypto.randomUUID().length, crypto.randomInt(5, 6), crypto.randomFillSync(Buffer.alloc(3)).length]
crypto.randomInt(5, 5)
(() => { const c = crypto.createCipheriv("aes-256-gcm", Buffer.alloc(32, 1), Buffer.alloc(12, 2)); c.setAAD(Buffer.from("aad")); const sealed = Buffer.concat([c.update("hello", "utf8"), c.final()]); const d = crypto.createDecipheriv("aes-256-gcm", Buffer.alloc(32, 1), Buffer.alloc(12, 2)); d.setAAD(Buffer.from("aad")); d.setAuthTag(c.getAuthTag()); return [sealed, c.getAuthTag(), Buffer.concat([d.update(sealed), d.final()]).toString()]; })()
(() => { const d = crypto.createDecipheriv("aes-128-gcm", Buffer.alloc(16), Buffer.alloc(12)); d.setAuthTag(Buffer.alloc(16)); d.update("aa", "hex"); return d.final(); })()
(() => { const k = crypto.createSecretKey("abc", "utf8"); return [k.type, k.symmetricKeySize, k.export({ format: "jwk" })]; })()
crypto.sign("RSA-SHA256", Buffer.from("text"), RSA).toString("base64")
crypto.createSign("RSA-SHA512").update("te").update("xt").sign(RSA, "hex")
crypto.createVerify("SHA256").update("text").verify(crypto.createPublicKey(RSA), crypto.createSign("SHA256").update("text").sign({ key: RSA, padding: 6 }), "hex") + "" + crypto.verify("sha256", Buffer.from("text"), { key: RSA, padding: 6 }, crypto.sign("sha256", Buffer.from("text"), { key: RSA, padding: 6, saltLength: 32 }))
crypto.createPublicKey(RSA).export({ type: "spki", format: "pem" })
crypto.createPublicKey(RSA).export({ format: "jwk" })
crypto.createPublicKey(EC).export({ format: "jwk" })
[crypto.verify("sha256", Buffer.from("a"), EC, crypto.sign("sha256", Buffer.from("a"), EC)), crypto.verify("sha256", Buffer.from("b"), EC, crypto.sign("sha256", Buffer.from("a"), EC)), crypto.sign("sha256", Buffer.from("a"), { key: EC, dsaEncoding: "ieee-p1363" }).length]
crypto.sign(null, Buffer.from("a"), ED).toString("hex")
crypto.verify(null, Buffer.from("a"), ED, crypto.sign(null, Buffer.from("a"), ED))
[crypto.createPrivateKey(EC).asymmetricKeyType, crypto.createPublicKey(ED).asymmetricKeyType, crypto.createPublicKey(RSA).asymmetricKeyDetails.modulusLength]
crypto.createPrivateKey("nonsense").type === 1 
(() => { const { publicKey, privateKey } = crypto.generateKeyPairSync("ed25519"); return crypto.verify(null, Buffer.from("a"), publicKey, crypto.sign(null, Buffer.from("a"), privateKey)); })()
crypto.subtle.digest("SHA-256", Buffer.from("a")).then((d) => Buffer.from(d))
["gzip", "deflate", "deflateRaw"].map((w) => zlib[{ gzip: "gunzip", deflate: "inflate", deflateRaw: "inflateRaw" }[w] + "Sync"](zlib[w + "Sync"]("hello".repeat(100))).length)
zlib.unzipSync(Buffer.from("789ccb48cdc9c907000" + "62c0215", "hex")).toString() + zlib.gunzipSync(Buffer.from("H4sIAAAAAAAAA8tIzcnJBwCGphA2BQAAAA==", "base64")).toString()
zlib.gunzipSync(Buffer.from("not gzip at all"))
zlib.inflateSync(zlib.deflateSync("hello").subarray(0, 8))
util.promisify(zlib.gzip)("x").then((b) => util.promisify(zlib.gunzip)(b)).then(String)
(async () => { const g = zlib.createGzip(); g.end("stream"); const parts = []; for await (const c of g) parts.push(c); return zlib.gunzipSync(Buffer.concat(parts)).toString(); })()
(async () => { const out = []; await stream.promises.pipeline(stream.Readable.from(["a", "b"]), new stream.Transform({ transform(c, e, cb) { cb(null, String(c).toUpperCase()); }, flush(cb) { this.push("!"); cb(); } }), new stream.Writable({ write(c, e, cb) { out.push(String(c)); cb(); } })); return out; })()
(async () => { const out = []; for await (const c of stream.Readable.from([1, { a: 1 }])) out.push(c); return out; })()
(async () => { const log = []; const w = new stream.Writable({ highWaterMark: 3, write(c, e, cb) { log.push(String(c)); setTimeout(cb, 1); } }); for (const e of ["drain", "finish", "close"]) w.on(e, () => log.push(e)); log.push(w.write("ab"), w.write("cd")); await new Promise((r) => w.once("drain", r)); w.end("e"); await new Promise((r) => w.on("close", r)); return log; })()
(async () => { const r = new stream.Readable({ read() {} }); const p = new Promise((q) => stream.finished(r, (e) => q(e.code))); r.destroy(); return p; })()
(async () => { const w = new stream.Writable({ write(c, e, cb) { cb(); } }); w.end(); const p = new Promise((r) => w.on("error", (e) => r(e.code))); w.write("x"); return p; })()
(async () => { class D extends stream.Duplex { constructor() { super({ objectMode: true }); this.n = 0; } _read() { this.push(this.n < 2 ? { n: this.n++ } : null); } _write(c, e, cb) { this.got = c; cb(); } } const d = new D(); d.write({ x: 1 }); d.end(); return [await d.toArray(), d.got, d instanceof stream.Writable]; })()
(async () => [await consumers.text(stream.Readable.from(["a", "b"])), await consumers.json(stream.Readable.from(['{"a":', "1}"]))])()
(async () => { const p = new stream.PassThrough(); stream.Readable.from(["x", "y"]).pipe(p); return String(await consumers.buffer(p)); })()
[typeof process.nextTick, process.cwd().length > 0, process.platform, process.versions.node.split(".")[0], Array.isArray(process.argv), typeof process.hrtime.bigint(), process.hrtime().length, String(process)]
(async () => { const log = []; process.nextTick((x) => log.push(x), "tick"); setImmediate(() => log.push("immediate")); await new Promise((r) => setTimeout(r, 5)); return log; })()
(async () => [await timers.setTimeout(1, "v"), await timers.setImmediate("w")])()
(() => { const t = setTimeout(() => {}, 5); return [typeof t.unref, t.unref() === t, t.hasRef !== undefined, clearTimeout(t)]; })()
[os.EOL, os.platform(), os.type(), os.endianness(), os.constants.signals.SIGTERM]
[punycode.encode("mañana"), punycode.decode("maana-pta"), punycode.toASCII("mañana.com"), punycode.toUnicode("xn--maana-pta.com")]
(() => { const s = new asyncHooks.AsyncLocalStorage(); return [s.run(1, () => s.getStore()), s.getStore() === undefined, s.run(1, () => s.run(2, () => s.getStore())), s.run(1, () => s.exit(() => s.getStore() === undefined))]; })()
(async () => { const s = new asyncHooks.AsyncLocalStorage(); const seen = await s.run("a", async () => { await null; const one = s.getStore(); await new Promise((r) => setTimeout(r, 1)); return [one, s.getStore()]; }); return [seen, s.getStore() === undefined]; })()
(async () => { const s = new asyncHooks.AsyncLocalStorage(); const both = await Promise.all(["a", "b"].map((id) => s.run(id, () => new Promise((r) => setTimeout(() => Promise.resolve().then(() => r(s.getStore())), 1))))); return both; })()
(() => { const c = channels.channel("x"); const seen = []; const f = (m, n) => seen.push([m, n]); c.subscribe(f); c.publish(1); c.unsubscribe(f); c.publish(2); return [seen, c.hasSubscribers]; })()
[global === globalThis, typeof setImmediate, typeof Buffer, typeof process]
`;

const require = createRequire(import.meta.url);
const keys = require("node:crypto");
const fixed = {
  RSA: keys.generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ type: "pkcs1", format: "pem" }),
  EC: keys.generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ type: "sec1", format: "pem" }),
  ED: keys.generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }),
};
const names = {
  buffer: "buffer", path: "path", util: "util", events: "events", assert: "assert", qs: "querystring", sd: "string_decoder", url: "url",
  crypto: "crypto", zlib: "zlib", stream: "stream", consumers: "stream/consumers", os: "os", timers: "timers/promises",
  punycode: "punycode", asyncHooks: "async_hooks", channels: "diagnostics_channel",
};
export const told = (value) => {
  if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString("hex")}`;
  if (Array.isArray(value)) return value.map(told);
  if (typeof value === "object" && value !== null && Object.getPrototypeOf(value)?.constructor?.name !== "Date") return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, told(held)]));
  return value === undefined ? null : value;
};
const scope = { EventEmitter: require("events"), ...fixed, ...Object.fromEntries(Object.entries(names).map(([name, id]) => [name, require(id)])) };
const lines = [JSON.stringify(fixed)];
for (const expression of EXPRESSIONS.split("\n").filter((line) => line.trim() !== "")) {
  let said;
  try {
    said = told(await new Function(...Object.keys(scope), `return (${expression});`)(...Object.values(scope)));
  } catch (error) {
    said = `${error.name} ${error.code}: ${error.message}`;
  }
  lines.push(JSON.stringify([expression, said]));
}
console.log(lines.join("\n"));
process.exit();
