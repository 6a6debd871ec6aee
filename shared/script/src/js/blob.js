// Blob, File and FormData, and the multipart form that carries them.
(function (host, core) {
  "use strict";
  const key = Symbol("blob");
  const utf8 = (text) => new Uint8Array(host.utf8(text));
  const part = (value, endings) => {
    if (value instanceof Blob) return bytesOf(key, value);
    if (value instanceof ArrayBuffer) return new Uint8Array(value.slice(0));
    if (ArrayBuffer.isView(value)) {
      return new Uint8Array(value.buffer, value.byteOffset, value.byteLength).slice();
    }
    const text = String(value).toWellFormed();
    return utf8(endings === "native" ? text.replace(/\r\n?/g, "\n") : text);
  };
  const joined = (parts) => {
    const whole = new Uint8Array(parts.reduce((sum, one) => sum + one.length, 0));
    let at = 0;
    for (const one of parts) {
      whole.set(one, at);
      at += one.length;
    }
    return whole;
  };
  // A type that is no ASCII is none.
  const typeOf = (type) => {
    const text = type === undefined ? "" : String(type);
    return /^[\x20-\x7e]*$/.test(text) ? text.toLowerCase() : "";
  };

  class Blob {
    #bytes;
    #type;
    constructor(parts, options = {}) {
      if (parts === undefined) parts = [];
      if (typeof parts !== "object" || parts === null || typeof parts[Symbol.iterator] !== "function") {
        throw new TypeError("a Blob is made of a sequence of parts");
      }
      const { endings = "transparent", type } = options ?? {};
      if (endings !== "transparent" && endings !== "native") {
        throw new TypeError(`endings are "transparent" or "native", not ${endings}`);
      }
      this.#bytes = joined(Array.from(parts, (one) => part(one, endings)));
      this.#type = typeOf(type);
    }
    get size() {
      return this.#bytes.length;
    }
    get type() {
      return this.#type;
    }
    slice(start = 0, end = this.size, type = "") {
      const made = new Blob([], { type });
      const clamp = (at) => {
        const whole = Math.trunc(Number(at) || 0);
        return whole < 0 ? Math.max(this.size + whole, 0) : Math.min(whole, this.size);
      };
      const from = clamp(start);
      made.#bytes = this.#bytes.subarray(from, Math.max(from, clamp(end)));
      return made;
    }
    async bytes() {
      return this.#bytes.slice();
    }
    async arrayBuffer() {
      return this.#bytes.slice().buffer;
    }
    async text() {
      const text = host.text(this.#bytes, false);
      return text.startsWith("\ufeff") ? text.slice(1) : text;
    }
    stream() {
      const bytes = this.#bytes;
      const { ReadableStream } = core.use("streams");
      let at = 0;
      return new ReadableStream({
        type: "bytes",
        pull(controller) {
          if (at < bytes.length) controller.enqueue(bytes.slice(at, (at += 65536)));
          if (at >= bytes.length) controller.close();
        },
      });
    }
    get [Symbol.toStringTag]() {
      return "Blob";
    }
    static bytes(secret, blob) {
      if (secret !== key) throw new TypeError("Illegal invocation");
      return blob.#bytes;
    }
  }
  const bytesOf = Blob.bytes;
  delete Blob.bytes;

  class File extends Blob {
    #name;
    #lastModified;
    constructor(parts, name, options = {}) {
      if (arguments.length < 2) throw new TypeError("a File needs its parts and a name");
      super(parts, options);
      this.#name = String(name).toWellFormed();
      const { lastModified = Date.now() } = options ?? {};
      this.#lastModified = Math.trunc(Number(lastModified)) || 0;
    }
    get name() {
      return this.#name;
    }
    get lastModified() {
      return this.#lastModified;
    }
    get webkitRelativePath() {
      return "";
    }
    get [Symbol.toStringTag]() {
      return "File";
    }
  }

  class FormData {
    #list = [];
    constructor(form) {
      if (form !== undefined) throw new TypeError("a FormData is made of nothing: there are no forms here");
    }
    #entry(name, value, filename) {
      const text = String(name).toWellFormed();
      if (!(value instanceof Blob)) {
        if (filename !== undefined) throw new TypeError("only a Blob has a file name");
        return [text, String(value).toWellFormed()];
      }
      if (value instanceof File && filename === undefined) return [text, value];
      const called = filename ?? "blob";
      const { lastModified } = value;
      return [text, new File([value], called, { type: value.type, lastModified })];
    }
    append(name, value, filename) {
      this.#list.push(this.#entry(name, value, filename));
    }
    set(name, value, filename) {
      const entry = this.#entry(name, value, filename);
      const at = this.#list.findIndex(([held]) => held === entry[0]);
      if (at < 0) {
        this.#list.push(entry);
        return;
      }
      this.#list[at] = entry;
      this.#list = this.#list.filter(([held], place) => place <= at || held !== entry[0]);
    }
    delete(name) {
      this.#list = this.#list.filter(([held]) => held !== String(name));
    }
    get(name) {
      return this.#list.find(([held]) => held === String(name))?.[1] ?? null;
    }
    getAll(name) {
      return this.#list.filter(([held]) => held === String(name)).map(([, value]) => value);
    }
    has(name) {
      return this.#list.some(([held]) => held === String(name));
    }
    forEach(callback, self) {
      for (const [name, value] of this) callback.call(self, value, name, this);
    }
    *entries() {
      for (const [name, value] of this.#list) yield [name, value];
    }
    *keys() {
      for (const [name] of this.#list) yield name;
    }
    *values() {
      for (const [, value] of this.#list) yield value;
    }
    [Symbol.iterator]() {
      return this.entries();
    }
    get [Symbol.toStringTag]() {
      return "FormData";
    }
  }

  const quoted = (name) =>
    name.replace(/\r\n?|\n/g, "%0D%0A").replace(/"/g, "%22");

  // The bytes of a form, and the content type that says where its parts end.
  const encodeForm = (form) => {
    const bytes = new Uint8Array(host.random(12));
    const boundary = `----formdata-openeve-${Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("")}`;
    const parts = [];
    for (const [name, value] of form) {
      const head = `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"`;
      if (value instanceof Blob) {
        const type = value.type || "application/octet-stream";
        parts.push(utf8(`${head}; filename="${quoted(value.name)}"\r\nContent-Type: ${type}\r\n\r\n`));
        parts.push(bytesOf(key, value), utf8("\r\n"));
      } else {
        parts.push(utf8(`${head}\r\n\r\n${value.replace(/\r\n?|\n/g, "\r\n")}\r\n`));
      }
    }
    parts.push(utf8(`--${boundary}--\r\n`));
    return [joined(parts), `multipart/form-data; boundary=${boundary}`];
  };

  const find = (bytes, wanted, from) => {
    for (let at = bytes.indexOf(wanted[0], from); at >= 0; at = bytes.indexOf(wanted[0], at + 1)) {
      let same = 1;
      while (same < wanted.length && bytes[at + same] === wanted[same]) same++;
      if (same === wanted.length) return at;
    }
    return -1;
  };
  const parameter = (header, name) => {
    const found = new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^;\\s]*))`, "i").exec(header);
    return found === null ? null : (found[1]?.replace(/\\(.)/g, "$1") ?? found[2]);
  };

  // The form that a body of this content type holds.
  const decodeForm = (bytes, type) => {
    const form = new FormData();
    if (/^\s*application\/x-www-form-urlencoded/i.test(type)) {
      for (const [name, value] of new URLSearchParams(host.text(bytes, false))) form.append(name, value);
      return form;
    }
    const boundary = /^\s*multipart\/form-data/i.test(type) ? parameter(type, "boundary") : null;
    if (boundary === null) throw new TypeError(`a body of the type ${type || "none"} holds no form`);
    const broken = () => new TypeError("the form broke off: a part has no end");
    const [mark, blank] = [utf8(`\r\n--${boundary}`), utf8("\r\n\r\n")];
    const whole = joined([utf8("\r\n"), bytes]);
    let at = find(whole, mark, 0);
    if (at < 0) throw broken();
    for (;;) {
      at += mark.length;
      if (whole[at] === 45 && whole[at + 1] === 45) return form;
      const headed = find(whole, blank, at);
      const end = find(whole, mark, at);
      if (headed < 0 || end < 0) throw broken();
      const lines = host.text(whole.subarray(at, headed), false).split("\r\n");
      const header = (name) => lines.find((line) => line.toLowerCase().startsWith(`${name}:`)) ?? "";
      const disposition = header("content-disposition");
      const name = parameter(disposition, "name");
      if (name === null) throw new TypeError("a part of the form has no name");
      const plain = (text) => text.replace(/%0D%0A/gi, "\r\n").replace(/%22/g, '"');
      const body = whole.slice(Math.min(headed + blank.length, end), end);
      const filename = parameter(disposition, "filename");
      if (filename === null) form.append(plain(name), host.text(body, false));
      else {
        const kind = header("content-type").slice("content-type:".length).trim() || "text/plain";
        form.append(plain(name), new File([body], plain(filename), { type: kind }));
      }
      at = end;
    }
  };

  return { Blob, File, FormData, bytesOf: (blob) => bytesOf(key, blob), decodeForm, encodeForm, joined };
})
