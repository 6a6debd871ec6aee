// fetch, Headers and Response. Bodies are whole: neither side streams.
(function (host, core) {
  "use strict";
  class Headers {
    #list = [];
    constructor(init) {
      if (init === undefined || init === null) return;
      const pairs = typeof init[Symbol.iterator] === "function" ? init : Object.entries(init);
      for (const [name, value] of pairs) this.append(name, value);
    }
    append(name, value) {
      this.#list.push([String(name).toLowerCase(), String(value).trim()]);
    }
    delete(name) {
      const key = String(name).toLowerCase();
      this.#list = this.#list.filter(([held]) => held !== key);
    }
    set(name, value) {
      this.delete(name);
      this.append(name, value);
    }
    has(name) {
      return this.get(name) !== null;
    }
    get(name) {
      const key = String(name).toLowerCase();
      const values = this.#list.filter(([held]) => held === key).map(([, value]) => value);
      return values.length === 0 ? null : values.join(", ");
    }
    getSetCookie() {
      return this.#list.filter(([name]) => name === "set-cookie").map(([, value]) => value);
    }
    forEach(callback, self) {
      for (const [name, value] of this) callback.call(self, value, name, this);
    }
    *entries() {
      const names = [...new Set(this.#list.map(([name]) => name))].sort();
      for (const name of names) {
        if (name !== "set-cookie") yield [name, this.get(name)];
        else for (const cookie of this.getSetCookie()) yield [name, cookie];
      }
    }
    *keys() {
      for (const [name] of this) yield name;
    }
    *values() {
      for (const [, value] of this) yield value;
    }
    [Symbol.iterator]() {
      return this.entries();
    }
    get [Symbol.toStringTag]() {
      return "Headers";
    }
  }

  // A body as bytes, with the content type it implies.
  const encode = (body) => {
    if (body === undefined || body === null) return [undefined, undefined];
    const text = (value) => new Uint8Array(host.utf8(String(value).toWellFormed()));
    if (typeof body === "string") return [text(body), "text/plain;charset=UTF-8"];
    if (body instanceof ArrayBuffer) return [new Uint8Array(body), undefined];
    if (ArrayBuffer.isView(body)) {
      return [new Uint8Array(body.buffer, body.byteOffset, body.byteLength), undefined];
    }
    if (body[Symbol.toStringTag] === "URLSearchParams") {
      return [text(body), "application/x-www-form-urlencoded;charset=UTF-8"];
    }
    throw new TypeError(
      "a body must be a string, bytes or URLSearchParams; pass an object through JSON.stringify",
    );
  };

  const SOURCE = Symbol("source");

  class Response {
    #bytes;
    #used = false;
    constructor(body, init = {}) {
      const source = init[SOURCE] ?? {};
      const [bytes, type] = encode(body);
      this.#bytes = bytes;
      this.status = init.status ?? 200;
      this.statusText = init.statusText ?? "";
      this.ok = this.status >= 200 && this.status < 300;
      this.headers = new Headers(init.headers);
      if (type !== undefined && !this.headers.has("content-type")) {
        this.headers.set("content-type", type);
      }
      this.url = source.url ?? "";
      this.type = source.url === undefined ? "default" : "basic";
      this.redirected = false;
    }
    static json(data, init = {}) {
      const headers = new Headers(init.headers);
      if (!headers.has("content-type")) headers.set("content-type", "application/json");
      return new Response(JSON.stringify(data), { ...init, headers });
    }
    get bodyUsed() {
      return this.#used;
    }
    #take() {
      if (this.#used) throw new TypeError("the body was read already");
      this.#used = this.#bytes !== undefined;
      return this.#bytes ?? new Uint8Array(0);
    }
    async bytes() {
      return this.#take().slice();
    }
    async arrayBuffer() {
      return this.#take().slice().buffer;
    }
    async text() {
      const text = host.text(this.#take(), false);
      return text.startsWith("\ufeff") ? text.slice(1) : text;
    }
    async json() {
      return JSON.parse(await this.text());
    }
    clone() {
      if (this.#used) throw new TypeError("the body was read already");
      return new Response(this.#bytes?.slice(), {
        status: this.status, statusText: this.statusText, headers: this.headers,
        [SOURCE]: { url: this.url },
      });
    }
    get [Symbol.toStringTag]() {
      return "Response";
    }
  }

  // Requests over the bound wait their turn here, where their bodies count as the script's memory.
  let active = 0;
  const waiting = [];
  const enter = async () => {
    if (active >= core.fetchesAtOnce) await new Promise((go) => waiting.push(go));
    else active++;
  };
  const leave = () => {
    const next = waiting.shift();
    if (next === undefined) active--;
    else next();
  };

  const answer = (id, signal) =>
    new Promise((resolve, reject) => {
      const abort = () => {
        core.pending.delete(id);
        host.abortFetch(id);
        reject(signal.reason);
      };
      signal?.addEventListener("abort", abort, { once: true });
      const done = (then) => (value) => {
        signal?.removeEventListener("abort", abort);
        then(value);
      };
      core.pending.set(id, { resolve: done(resolve), reject: done(reject) });
    });

  const fetch = async (input, init = {}) => {
    const url = String(input?.href ?? input).toWellFormed();
    const method = String(init.method ?? "GET");
    const [body, type] = encode(init.body);
    if (body !== undefined && /^(get|head)$/i.test(method)) {
      throw new TypeError(`a ${method.toUpperCase()} request cannot have a body`);
    }
    const headers = new Headers(init.headers);
    if (type !== undefined && !headers.has("content-type")) headers.set("content-type", type);
    const { signal, redirect = "follow" } = init;
    signal?.throwIfAborted?.();
    await enter();
    try {
      signal?.throwIfAborted?.();
      const flat = [...headers].flat();
      const id = host.fetch(url, method, flat, body, redirect === "follow");
      const [head, bytes] = await answer(id, signal ?? undefined);
      const pairs = [];
      for (let at = 0; at < head.headers.length; at += 2) {
        pairs.push([head.headers[at], head.headers[at + 1]]);
      }
      if (redirect === "error" && head.status >= 300 && head.status < 400) {
        throw new TypeError("fetch failed: the server asked for a redirect");
      }
      return new Response(bytes, {
        status: head.status, statusText: head.statusText, headers: pairs, [SOURCE]: { url },
      });
    } finally {
      leave();
    }
  };

  return { fetch, Headers, Response };
})
