// fetch, Request and Response, by the Fetch standard. What a server answers comes in pieces; a
// request's body is whole before it is sent.
(function (host, core) {
  "use strict";
  const { Headers } = core.use("headers");
  const OWN = Symbol("own");
  // So much of an answer is read ahead of the script.
  const AHEAD_BYTES = 262144;

  const isStream = (value) => value?.[Symbol.toStringTag] === "ReadableStream";
  const utf8 = (text) => new Uint8Array(host.utf8(String(text).toWellFormed()));
  // A body as bytes or a stream, with the content type it implies.
  const extract = (body) => {
    if (body === undefined || body === null) return [null, undefined];
    if (body instanceof Incoming) return [body, undefined];
    if (typeof body === "string") return [utf8(body), "text/plain;charset=UTF-8"];
    if (body instanceof ArrayBuffer) return [new Uint8Array(body.slice(0)), undefined];
    if (ArrayBuffer.isView(body)) {
      return [new Uint8Array(body.buffer, body.byteOffset, body.byteLength).slice(), undefined];
    }
    switch (body[Symbol.toStringTag]) {
      case "URLSearchParams":
        return [utf8(body), "application/x-www-form-urlencoded;charset=UTF-8"];
      case "FormData":
        return core.use("blob").encodeForm(body);
      case "Blob":
      case "File":
        return [core.use("blob").bytesOf(body), body.type || undefined];
      case "ReadableStream":
        if (body.locked || core.use("streams").stateOf(body).disturbed) {
          throw new TypeError("the stream is locked or was read from already");
        }
        return [body, undefined];
    }
    if (typeof body[Symbol.asyncIterator] === "function") {
      return [core.use("streams").ReadableStream.from(body), undefined];
    }
    throw new TypeError(
      "a body must be a string, bytes, URLSearchParams, FormData, a Blob or a stream; pass an object through JSON.stringify",
    );
  };

  const streamOf = (bytes) => new (core.use("streams").ReadableStream)({
    type: "bytes",
    start(controller) {
      if (bytes.length > 0) controller.enqueue(bytes.slice());
      controller.close();
    },
  });

  const readAll = async (stream) => {
    const parts = [];
    let total = 0;
    for await (const chunk of stream) {
      if (!(chunk instanceof Uint8Array)) throw new TypeError("a body's stream must give Uint8Arrays");
      total += chunk.length;
      if (total > core.bodyBytesMax) {
        throw new TypeError(`a body has at most ${core.bodyBytesMax} bytes when it is read whole`);
      }
      parts.push(chunk);
    }
    return parts.length === 1 ? parts[0] : core.use("blob").joined(parts);
  };

  class Body {
    // null, bytes or what comes in, which nobody looked at yet, or a stream.
    #source;
    #used = false;
    constructor(source) {
      this.#source = source;
    }
    get body() {
      if (this.#source instanceof Incoming) {
        const stream = this.#source.stream();
        if (this.#used) void stream.cancel();
        this.#source = stream;
      }
      if (this.#source instanceof Uint8Array) {
        const used = this.#used;
        this.#source = streamOf(this.#source);
        // What was read whole looks like a stream that was read.
        if (used) void this.#source.cancel();
      }
      return this.#source;
    }
    get bodyUsed() {
      if (!isStream(this.#source)) return this.#used;
      return core.use("streams").stateOf(this.#source).disturbed;
    }
    async bytes() {
      if (this.bodyUsed || (isStream(this.#source) && this.#source.locked)) {
        throw new TypeError("the body was read already, or is being read");
      }
      if (this.#source === null) return new Uint8Array(0);
      if (isStream(this.#source)) return readAll(this.#source);
      this.#used = true;
      if (this.#source instanceof Incoming) return readAll(this.#source);
      const bytes = this.#source;
      this.#source = new Uint8Array(0);
      return bytes;
    }
    async arrayBuffer() {
      const bytes = await this.bytes();
      return bytes.byteLength === bytes.buffer.byteLength ? bytes.buffer : bytes.slice().buffer;
    }
    async text() {
      const text = host.text(await this.bytes(), false);
      return text.startsWith("\ufeff") ? text.slice(1) : text;
    }
    async json() {
      return JSON.parse(await this.text());
    }
    async blob() {
      const type = this.headers.get("content-type") ?? "";
      return new (core.use("blob").Blob)([await this.bytes()], { type });
    }
    async formData() {
      const type = this.headers.get("content-type") ?? "";
      return core.use("blob").decodeForm(await this.bytes(), type);
    }
    // The source, which is this body's no more.
    _taken() {
      if (this.bodyUsed) throw new TypeError("the body was read already, or is being read");
      const source = this.#source;
      if (source !== null && !isStream(source)) [this.#source, this.#used] = [new Uint8Array(0), true];
      return source;
    }
    _empty() {
      return this.#source === null;
    }
    // The source for a second body; this one keeps the other half.
    _copied() {
      if (this.bodyUsed || (isStream(this.#source) && this.#source.locked)) {
        throw new TypeError("the body was read already, or is being read");
      }
      if (this.#source === null || this.#source instanceof Uint8Array) return this.#source?.slice() ?? null;
      const [mine, theirs] = this.body.tee();
      this.#source = mine;
      return theirs;
    }
  }
  const [copy, take, empty] = ["_copied", "_taken", "_empty"].map((name) => {
    const found = Body.prototype[name];
    delete Body.prototype[name];
    return found;
  });
  const copied = (holder) => copy.call(holder);
  const isEmpty = (holder) => empty.call(holder);

  const NO_BODY = new Set([101, 103, 204, 205, 304]);

  class Response extends Body {
    #own;
    constructor(body = null, init = {}) {
      const own = init?.[OWN];
      const { status = 200, statusText = "", headers } = init ?? {};
      const code = Number(status);
      if (own === undefined && !(Number.isInteger(code) && code >= 200 && code <= 599)) {
        throw new RangeError(`a response has a status from 200 to 599, not ${status}`);
      }
      const [source, type] = extract(body);
      if (source !== null && own === undefined && NO_BODY.has(code)) {
        throw new TypeError(`a response with status ${code} has no body`);
      }
      super(source);
      this.#own = {
        status: code, statusText: String(statusText), headers: new Headers(headers),
        url: own?.url ?? "", type: own?.type ?? "default",
      };
      if (type !== undefined && !this.headers.has("content-type")) {
        this.headers.set("content-type", type);
      }
    }
    static json(data, init = {}) {
      const text = JSON.stringify(data);
      if (text === undefined) throw new TypeError("the data have no JSON");
      const headers = new Headers(init?.headers);
      if (!headers.has("content-type")) headers.set("content-type", "application/json");
      return new Response(text, { ...init, headers });
    }
    static error() {
      return new Response(null, { status: 0, [OWN]: { type: "error" } });
    }
    static redirect(url, status = 302) {
      if (![301, 302, 303, 307, 308].includes(Number(status))) {
        throw new RangeError(`a redirect has one of five statuses, not ${status}`);
      }
      const headers = { location: new URL(url).href };
      return new Response(null, { status, headers });
    }
    get status() {
      return this.#own.status;
    }
    get statusText() {
      return this.#own.statusText;
    }
    get ok() {
      return this.status >= 200 && this.status < 300;
    }
    get headers() {
      return this.#own.headers;
    }
    get url() {
      return this.#own.url;
    }
    get type() {
      return this.#own.type;
    }
    get redirected() {
      return false;
    }
    clone() {
      const { status, statusText, headers, url, type } = this.#own;
      return new Response(copied(this), { status, statusText, headers, [OWN]: { url, type } });
    }
    get [Symbol.toStringTag]() {
      return "Response";
    }
  }

  const METHODS = /^(delete|get|head|options|post|put)$/i;
  const choice = (name, value, choices) => {
    const text = String(value);
    if (!choices.includes(text)) {
      throw new TypeError(`${name} is one of ${choices.join(", ")}, not ${JSON.stringify(text)}`);
    }
    return text;
  };

  class Request extends Body {
    #own;
    constructor(input, init = {}) {
      init ??= {};
      const from = input instanceof Request ? input : undefined;
      const method = String(init.method ?? from?.method ?? "GET");
      const given = init.body !== undefined && init.body !== null;
      if ((given || (from !== undefined && !isEmpty(from))) && /^(get|head)$/i.test(method)) {
        throw new TypeError(`a ${method.toUpperCase()} request cannot have a body`);
      }
      const [source, type] = given ? extract(init.body) : [from === undefined ? null : take.call(from), undefined];
      super(source);
      const headers = new Headers(init.headers ?? from?.headers);
      if (type !== undefined && !headers.has("content-type")) headers.set("content-type", type);
      const { signal = from?.signal } = init;
      if (signal !== undefined && signal !== null && typeof signal.addEventListener !== "function") {
        throw new TypeError("signal must be an AbortSignal");
      }
      this.#own = {
        url: from?.url ?? String(input?.href ?? input).toWellFormed(),
        method: METHODS.test(method) ? method.toUpperCase() : method,
        headers,
        signal: signal ?? undefined,
        redirect: choice("redirect", init.redirect ?? from?.redirect ?? "follow", ["follow", "error", "manual"]),
        cache: String(init.cache ?? from?.cache ?? "default"),
        credentials: String(init.credentials ?? from?.credentials ?? "same-origin"),
        mode: String(init.mode ?? from?.mode ?? "cors"),
        keepalive: Boolean(init.keepalive ?? from?.keepalive ?? false),
      };
    }
    get url() {
      return this.#own.url;
    }
    get method() {
      return this.#own.method;
    }
    get headers() {
      return this.#own.headers;
    }
    get signal() {
      return (this.#own.signal ??= new AbortController().signal);
    }
    get _signal() {
      return this.#own.signal;
    }
    get redirect() {
      return this.#own.redirect;
    }
    get cache() {
      return this.#own.cache;
    }
    get credentials() {
      return this.#own.credentials;
    }
    get mode() {
      return this.#own.mode;
    }
    get keepalive() {
      return this.#own.keepalive;
    }
    get duplex() {
      return "half";
    }
    clone() {
      const own = this.#own;
      return new Request(own.url, { ...own, body: copied(this) });
    }
    get [Symbol.toStringTag]() {
      return "Request";
    }
  }

  const { _signal: given } = Object.getOwnPropertyDescriptors(Request.prototype);
  delete Request.prototype._signal;
  // Its signal, without making one that nobody can abort.
  const signalOf = (request) => given.get.call(request);

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

  // What comes in for one request: the head, then pieces of the body, read a little ahead.
  class Incoming {
    #id;
    #signal;
    #ended;
    #queue = [];
    #queued = 0;
    #asked = false;
    #over = false;
    #failure;
    #wake;
    constructor(id, signal, ended) {
      [this.#id, this.#signal, this.#ended] = [id, signal, ended];
      this.abort = () => {
        host.abortFetch(id);
        this.#fail(signal.reason);
      };
      signal?.addEventListener("abort", this.abort);
      this.head = new Promise((resolve, reject) => {
        this.reject = reject;
        core.pending.set(id, {
          head: (head) => {
            resolve(head);
            this.#ask();
          },
          problem: (text) => this.#fail(new TypeError(text)),
          chunk: (bytes, last) => {
            this.#asked = false;
            if (bytes.byteLength > 0) this.#queue.push(new Uint8Array(bytes));
            this.#queued += bytes.byteLength;
            if (last) this.#end();
            else this.#ask();
            this.#wake?.();
          },
        });
      });
    }
    #ask() {
      if (this.#asked || this.#over || this.#queued >= AHEAD_BYTES) return;
      this.#asked = true;
      host.pullFetch(this.#id);
    }
    #end() {
      if (this.#over) return;
      this.#over = true;
      core.pending.delete(this.#id);
      this.#signal?.removeEventListener("abort", this.abort);
      this.#ended();
    }
    #fail(reason) {
      this.#end();
      this.#failure = { reason };
      this.#queue = [];
      this.reject(reason);
      this.#wake?.();
    }
    // The next piece; null at the end.
    async next() {
      while (this.#queue.length === 0 && !this.#over) await new Promise((wake) => (this.#wake = wake));
      if (this.#failure !== undefined) throw this.#failure.reason;
      const chunk = this.#queue.shift() ?? null;
      this.#queued -= chunk?.length ?? 0;
      this.#ask();
      return chunk;
    }
    cancel() {
      if (!this.#over) host.abortFetch(this.#id);
      this.#end();
      this.#queue = [];
    }
    async *[Symbol.asyncIterator]() {
      for (let chunk; (chunk = await this.next()) !== null; ) yield chunk;
    }
    stream() {
      return new (core.use("streams").ReadableStream)({
        type: "bytes",
        pull: async (controller) => {
          const chunk = await this.next();
          if (chunk === null) controller.close();
          else controller.enqueue(chunk);
        },
        cancel: () => this.cancel(),
      });
    }
  }

  const fetch = async (input, init = {}) => {
    const request = new Request(input, init);
    const signal = signalOf(request);
    signal?.throwIfAborted();
    const body = isEmpty(request) ? undefined : await request.bytes();
    await enter();
    let incoming;
    try {
      signal?.throwIfAborted();
      const flat = [...request.headers].flat();
      const { url, method, redirect } = request;
      const id = host.fetch(url, method, flat, body, redirect === "follow");
      incoming = new Incoming(id, signal, leave);
    } catch (error) {
      leave();
      throw error;
    }
    const head = await incoming.head;
    const pairs = [];
    for (let at = 0; at < head.headers.length; at += 2) {
      pairs.push([head.headers[at], head.headers[at + 1]]);
    }
    const bodiless = NO_BODY.has(head.status) || request.method === "HEAD";
    const refused = request.redirect === "error" && head.status >= 300 && head.status < 400;
    if (bodiless || refused) incoming.cancel();
    if (refused) {
      throw new TypeError("fetch failed: the server asked for a redirect");
    }
    return new Response(bodiless ? null : incoming, {
      status: head.status, statusText: head.statusText, headers: pairs,
      [OWN]: { url: request.url, type: "basic" },
    });
  };
  return { fetch, Request, Response };
})
