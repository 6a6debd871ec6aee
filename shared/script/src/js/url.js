// URL and URLSearchParams over the `url` crate: Rust parses and serialises, these hold the parts.
(function (host) {
  "use strict";
  const NAMES = ["href", "origin", "protocol", "username", "password", "host", "hostname", "port",
    "pathname", "search", "hash"];
  const text = (value) => String(value).toWellFormed();

  class URLSearchParams {
    #pairs = [];
    #changed = () => {};
    constructor(init = "", changed) {
      if (changed !== undefined) this.#changed = changed;
      if (typeof init === "object" && init !== null) {
        const entries = typeof init[Symbol.iterator] === "function" ? init : Object.entries(init);
        for (const [name, value] of entries) this.#pairs.push([text(name), text(value)]);
      } else {
        this.reset(text(init));
      }
    }
    // For URL alone: its `search` was set.
    reset(query) {
      const flat = host.formParse(query.startsWith("?") ? query.slice(1) : query);
      this.#pairs = [];
      for (let at = 0; at < flat.length; at += 2) this.#pairs.push([flat[at], flat[at + 1]]);
    }
    get size() {
      return this.#pairs.length;
    }
    append(name, value) {
      this.#pairs.push([text(name), text(value)]);
      this.#changed(this);
    }
    delete(name, value) {
      this.#pairs = this.#pairs.filter(
        ([key, held]) => key !== text(name) || (value !== undefined && held !== text(value)),
      );
      this.#changed(this);
    }
    get(name) {
      return this.#pairs.find(([key]) => key === text(name))?.[1] ?? null;
    }
    getAll(name) {
      return this.#pairs.filter(([key]) => key === text(name)).map(([, value]) => value);
    }
    has(name, value) {
      return this.#pairs.some(
        ([key, held]) => key === text(name) && (value === undefined || held === text(value)),
      );
    }
    set(name, value) {
      const first = this.#pairs.find(([key]) => key === text(name));
      if (first === undefined) return this.append(name, value);
      first[1] = text(value);
      this.#pairs = this.#pairs.filter((pair) => pair === first || pair[0] !== first[0]);
      this.#changed(this);
    }
    sort() {
      this.#pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
      this.#changed(this);
    }
    forEach(callback, self) {
      for (const [name, value] of this) callback.call(self, value, name, this);
    }
    *entries() {
      for (const [name, value] of this.#pairs) yield [name, value];
    }
    *keys() {
      for (const [name] of this.#pairs) yield name;
    }
    *values() {
      for (const [, value] of this.#pairs) yield value;
    }
    [Symbol.iterator]() {
      return this.entries();
    }
    toString() {
      return host.formSerialize(this.#pairs.flat());
    }
    get [Symbol.toStringTag]() {
      return "URLSearchParams";
    }
  }

  class URL {
    #parts;
    #params;
    constructor(href, base) {
      const parts = host.url(text(href), base === undefined ? undefined : text(base));
      if (parts === undefined) throw new TypeError(`invalid URL: ${text(href)}`);
      this.#parts = parts;
    }
    static canParse(href, base) {
      return host.url(text(href), base === undefined ? undefined : text(base)) !== undefined;
    }
    static parse(href, base) {
      return URL.canParse(href, base) ? new URL(href, base) : null;
    }
    get searchParams() {
      this.#params ??= new URLSearchParams(this.search, (params) => {
        this.#parts = host.urlSet(this.href, "search", params.toString()) ?? this.#parts;
      });
      return this.#params;
    }
    toString() {
      return this.href;
    }
    toJSON() {
      return this.href;
    }
    get [Symbol.toStringTag]() {
      return "URL";
    }
    static {
      NAMES.forEach((name, at) => {
        const set = name === "origin" ? undefined : function (value) {
          const parts = host.urlSet(this.href, name, text(value));
          if (parts === undefined && name === "href") {
            throw new TypeError(`invalid URL: ${text(value)}`);
          }
          this.#parts = parts ?? this.#parts;
          this.#params?.reset(this.search);
        };
        Object.defineProperty(URL.prototype, name, {
          get() {
            return this.#parts[at];
          },
          set,
          enumerable: true,
          configurable: true,
        });
      });
    }
  }

  return { URL, URLSearchParams };
})
