// crypto.subtle over what Rust grants. A key's bytes stay in this file: a CryptoKey only names them.
(function (host) {
  "use strict";
  const native = host.subtle();
  const secrets = new WeakMap();
  const none = new Uint8Array(0);

  const fail = (name, why) => {
    throw new DOMException(why, name);
  };
  const unsupported = (what) => fail("NotSupportedError", `${what} is not supported here`);
  const view = (source) => {
    if (source instanceof ArrayBuffer) return new Uint8Array(source);
    if (ArrayBuffer.isView(source)) return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
    throw new TypeError("the data must be an ArrayBuffer or a view of one");
  };
  const named = (algorithm) => (typeof algorithm === "string" ? { name: algorithm } : algorithm ?? {});
  const hashOf = (hash) => {
    const name = String(named(hash).name ?? "").toUpperCase();
    return ["SHA-1", "SHA-256", "SHA-384", "SHA-512"].includes(name) ? name : unsupported(`the digest ${name}`);
  };
  const NAMES = ["HMAC", "AES-GCM", "Ed25519", "ECDSA", "RSASSA-PKCS1-v1_5", "RSA-PSS"];
  const nameOf = (algorithm) => {
    const wanted = String(named(algorithm).name);
    return NAMES.find((name) => name.toLowerCase() === wanted.toLowerCase()) ?? unsupported(wanted);
  };

  // --- Texts of JSON Web Keys, and the frames that keys of other forms stand in.
  const fromBase64 = (text) =>
    Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
  const toBase64 = (bytes) =>
    btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  const hex = (text) => Uint8Array.from(text.match(/../g), (pair) => Number.parseInt(pair, 16));
  const joined = (...parts) => {
    const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
      all.set(part, at);
      at += part.length;
    }
    return all;
  };
  const startsWith = (bytes, start) => start.every((byte, index) => bytes[index] === byte);
  const CURVES = {
    Ed25519: { size: 32, spki: hex("302a300506032b6570032100"), pkcs8: hex("302e020100300506032b657004220420") },
    "P-256": { size: 32, spki: hex("3059301306072a8648ce3d020106082a8648ce3d030107034200") },
    "P-384": { size: 48, spki: hex("3076301006072a8648ce3d020106052b81040022036200") },
  };
  const unframed = (bytes, frame) =>
    startsWith(bytes, frame) ? bytes.slice(frame.length) : fail("DataError", "the key is not in the form that was named");

  const sized = (point, curve) => {
    const { size } = CURVES[curve];
    const length = curve === "Ed25519" ? size : 2 * size + 1;
    return point.length === length ? point : fail("DataError", `a public key of ${curve} has ${length} bytes`);
  };

  // The parts of DER: what stands in a sequence or after a tag.
  const der = (bytes, at = 0) => {
    let length = bytes[at + 1];
    let start = at + 2;
    if (length & 0x80) {
      const count = length & 0x7f;
      length = 0;
      for (let index = 0; index < count; index += 1) length = length * 256 + bytes[start + index];
      start += count;
    }
    if (start + length > bytes.length) fail("DataError", "the key is cut short");
    return { tag: bytes[at], body: bytes.subarray(start, start + length), end: start + length };
  };
  const items = (bytes) => {
    const found = [];
    for (let at = 0; at < bytes.length; at = found.at(-1).end) found.push(der(bytes, at));
    return found;
  };
  // PKCS #8 of a curve: version, algorithm, ECPrivateKey { version, private, [0]?, [1] public }.
  const ecPrivate = (bytes) => {
    const inner = items(der(items(der(bytes).body)[2].body).body);
    const open = inner.find((item) => item.tag === 0xa1);
    if (open === undefined) fail("DataError", "the private key does not hold its public key");
    return { d: inner[1].body.slice(), point: der(open.body).body.slice(1) };
  };
  const rsaPublic = (spki) => items(der(spki).body)[1].body.slice(1);

  class CryptoKey {
    constructor(secret, type, extractable, algorithm, usages) {
      if (!(secret instanceof Secret)) throw new TypeError("Illegal constructor");
      secrets.set(this, secret);
      this.type = type;
      this.extractable = extractable;
      this.algorithm = Object.freeze(algorithm);
      this.usages = Object.freeze([...usages]);
      Object.freeze(this);
    }
    get [Symbol.toStringTag]() {
      return "CryptoKey";
    }
  }
  class Secret {
    constructor(parts) {
      Object.assign(this, parts);
    }
  }
  const make = (parts, type, extractable, algorithm, usages) =>
    new CryptoKey(new Secret(parts), type, type === "public" || Boolean(extractable), algorithm, usages);
  const held = (key, usage) => {
    const secret = secrets.get(key);
    if (secret === undefined) throw new TypeError("the key is not a CryptoKey");
    if (usage !== undefined && !key.usages.includes(usage)) fail("InvalidAccessError", `the key may not ${usage}`);
    return secret;
  };

  // --- Import.
  const importSecret = (name, format, data, algorithm, extractable, usages) => {
    const bytes = format === "jwk" ? fromBase64(data.k) : format === "raw" ? view(data).slice() : unsupported(`${format} of ${name}`);
    const details = name === "HMAC" ? { name, hash: { name: hashOf(algorithm.hash) }, length: bytes.length * 8 } : { name, length: bytes.length * 8 };
    if (name === "AES-GCM" && bytes.length !== 16 && bytes.length !== 32) unsupported(`AES-GCM with ${bytes.length * 8} bits`);
    return make({ bytes }, "secret", extractable, details, usages);
  };
  const importCurve = (curve, format, data, extractable, algorithm, usages) => {
    const { size, spki, pkcs8 } = CURVES[curve];
    const open = (point) => make({ point }, "public", true, algorithm, usages);
    const closed = (d, point) => make({ d, point }, "private", extractable, algorithm, usages);
    switch (format) {
      case "raw":
        return open(sized(view(data).slice(), curve));
      case "spki":
        return open(sized(unframed(view(data), spki), curve));
      case "pkcs8": {
        if (pkcs8 === undefined) {
          const { d, point } = ecPrivate(view(data));
          return closed(d, point);
        }
        const seed = unframed(view(data), pkcs8).slice(0, size);
        return closed(seed, new Uint8Array(native.ed25519Public(seed)));
      }
      case "jwk": {
        const x = fromBase64(data.x);
        const point = curve === "Ed25519" ? x : joined(new Uint8Array([4]), x, fromBase64(data.y));
        return data.d === undefined ? open(point) : closed(fromBase64(data.d), point);
      }
      default:
        return unsupported(`${format} of ${curve}`);
    }
  };
  const importRsa = (name, format, data, algorithm, extractable, usages) => {
    const details = { name, hash: { name: hashOf(algorithm.hash) } };
    switch (format) {
      case "spki":
        return make({ spki: view(data).slice(), rsa: rsaPublic(view(data)) }, "public", true, details, usages);
      case "pkcs8":
        return make({ pkcs8: view(data).slice() }, "private", extractable, details, usages);
      case "jwk":
        if (data.d !== undefined) return unsupported("a private RSA key as JWK; import it as pkcs8");
        return make({ n: fromBase64(data.n), e: fromBase64(data.e) }, "public", true, details, usages);
      default:
        return unsupported(`${format} of ${name}`);
    }
  };
  const curveOf = (name, algorithm) => {
    const curve = name === "Ed25519" ? name : named(algorithm).namedCurve;
    return curve in CURVES ? curve : unsupported(`the curve ${curve}`);
  };
  const importKey = (format, data, algorithm, extractable, usages) => {
    const name = nameOf(algorithm);
    if (name === "HMAC" || name === "AES-GCM") return importSecret(name, format, data, named(algorithm), extractable, usages);
    if (name.startsWith("RSA")) return importRsa(name, format, data, named(algorithm), extractable, usages);
    const curve = curveOf(name, algorithm);
    const details = name === "Ed25519" ? { name } : { name, namedCurve: curve };
    return importCurve(curve, format, data, extractable, details, usages);
  };

  // --- Export.
  const jwkOf = (key, secret) => {
    const more = { key_ops: [...key.usages], ext: key.extractable };
    const { name, namedCurve } = key.algorithm;
    if (secret.bytes) return { kty: "oct", k: toBase64(secret.bytes), ...more };
    if (secret.n) return { kty: "RSA", n: toBase64(secret.n), e: toBase64(secret.e), ...more };
    if (!secret.point) return unsupported(`jwk of ${name}`);
    const d = secret.d ? { d: toBase64(secret.d) } : {};
    if (name === "Ed25519") return { kty: "OKP", crv: name, x: toBase64(secret.point), ...d, ...more };
    const half = (secret.point.length - 1) / 2;
    const [x, y] = [secret.point.slice(1, 1 + half), secret.point.slice(1 + half)];
    return { kty: "EC", crv: namedCurve, x: toBase64(x), y: toBase64(y), ...d, ...more };
  };
  const exportKey = (format, key) => {
    const secret = held(key);
    if (!key.extractable) fail("InvalidAccessError", "the key may not be exported");
    const curve = CURVES[key.algorithm.namedCurve ?? key.algorithm.name];
    if (format === "jwk") return jwkOf(key, secret);
    if (format === "raw" && (secret.bytes || key.type === "public") && !secret.spki) return (secret.bytes ?? secret.point).slice().buffer;
    if (format === "spki" && key.type === "public") return (secret.spki ?? joined(curve.spki, secret.point)).slice().buffer;
    if (format === "pkcs8" && secret.pkcs8) return secret.pkcs8.slice().buffer;
    if (format === "pkcs8" && curve?.pkcs8 && secret.d) return joined(curve.pkcs8, secret.d).buffer;
    return unsupported(`${format} of this key`);
  };

  const generateKey = (algorithm, extractable, usages) => {
    const name = nameOf(algorithm);
    if (name === "HMAC" || name === "AES-GCM") {
      const hash = name === "HMAC" ? hashOf(algorithm.hash) : undefined;
      const bits = algorithm.length ?? (hash === "SHA-384" || hash === "SHA-512" ? 1024 : 512);
      if (bits > 65_536 * 8) fail("OperationError", "the key is too long");
      const bytes = new Uint8Array(host.random(bits / 8));
      return importSecret(name, "raw", bytes, named(algorithm), extractable, usages);
    }
    if (name.startsWith("RSA")) return unsupported(`making a key of ${name}`);
    const curve = curveOf(name, algorithm);
    const [d, point] = native.generate(curve).map((part) => new Uint8Array(part));
    const details = name === "Ed25519" ? { name } : { name, namedCurve: curve };
    const may = (usage) => usages.filter((one) => one === usage);
    return {
      privateKey: make({ d, point }, "private", extractable, details, may("sign")),
      publicKey: make({ point }, "public", true, details, may("verify")),
    };
  };

  // --- Signatures. A curve signs with the digest of its own size, as ring does.
  const signature = (algorithm, key) => {
    const { name, namedCurve, hash } = key.algorithm;
    if (nameOf(algorithm) !== name) fail("InvalidAccessError", `the key is one of ${name}`);
    if (name === "ECDSA") {
      const wanted = hashOf(named(algorithm).hash);
      if (wanted !== (namedCurve === "P-256" ? "SHA-256" : "SHA-384")) unsupported(`${namedCurve} with ${wanted}`);
      return namedCurve;
    }
    const salt = named(algorithm).saltLength;
    const own = { "SHA-256": 32, "SHA-384": 48, "SHA-512": 64 }[hash?.name];
    if (name === "RSA-PSS" && salt !== undefined && salt !== own) unsupported(`a salt of ${salt} bytes`);
    return name.startsWith("RSA") ? `${name} ${hash.name}` : name;
  };
  const sign = (algorithm, key, data) => {
    const secret = held(key, "sign");
    if (key.algorithm.name === "HMAC") return native.hmacSign(key.algorithm.hash.name, secret.bytes, view(data));
    return native.sign(signature(algorithm, key), secret.d ?? secret.pkcs8, secret.point ?? none, view(data));
  };
  const verify = (algorithm, key, signed, data) => {
    const secret = held(key, "verify");
    if (key.algorithm.name === "HMAC") return native.hmacVerify(key.algorithm.hash.name, secret.bytes, view(signed), view(data));
    const name = signature(algorithm, key);
    if (secret.n) return native.verifyRsa(name, secret.n, secret.e, view(signed), view(data));
    return native.verify(name, secret.point ?? secret.rsa, view(signed), view(data));
  };
  const gcm = (seals, algorithm, key, data) => {
    const secret = held(key, seals ? "encrypt" : "decrypt");
    if (nameOf(algorithm) !== "AES-GCM") unsupported(algorithm.name);
    if ((algorithm.tagLength ?? 128) !== 128) unsupported(`a tag of ${algorithm.tagLength} bits`);
    const aad = algorithm.additionalData === undefined ? none : view(algorithm.additionalData);
    return native.aesGcm(seals, secret.bytes, view(algorithm.iv), aad, view(data)) ?? fail("OperationError", "the data was tampered with, or the key is another");
  };

  const subtle = {
    async digest(algorithm, data) {
      return native.digest(hashOf(algorithm), view(data));
    },
    async importKey(format, data, algorithm, extractable, usages) {
      return importKey(format, data, algorithm, extractable, usages);
    },
    async exportKey(format, key) {
      return exportKey(format, key);
    },
    async generateKey(algorithm, extractable, usages) {
      return generateKey(named(algorithm), extractable, usages);
    },
    async sign(algorithm, key, data) {
      return sign(algorithm, key, data);
    },
    async verify(algorithm, key, signed, data) {
      return verify(algorithm, key, signed, data);
    },
    async encrypt(algorithm, key, data) {
      return gcm(true, algorithm, key, data);
    },
    async decrypt(algorithm, key, data) {
      return gcm(false, algorithm, key, data);
    },
  };
  return { subtle: Object.freeze(subtle), CryptoKey };
})
