// Headers, by the Fetch standard.
(function () {
  "use strict";
  const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
  const nameOf = (name) => {
    const text = String(name);
    if (!NAME.test(text)) throw new TypeError(`${JSON.stringify(text)} is not a header's name`);
    return text.toLowerCase();
  };
  const valueOf = (name, value) => {
    const text = String(value).replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, "");
    // The value may be a key: it is not told.
    if (/[\0\n\r]|[^\0-\xff]/.test(text)) {
      throw new TypeError(`the header ${JSON.stringify(name)} has a value that cannot be sent`);
    }
    return text;
  };

  class Headers {
    #list = [];
    constructor(init) {
      if (init === undefined || init === null) return;
      if (typeof init !== "object") throw new TypeError("headers are made of an object or of pairs");
      if (typeof init[Symbol.iterator] !== "function") {
        for (const name of Object.keys(init)) this.append(name, init[name]);
        return;
      }
      for (const pair of init) {
        const items = [...pair];
        if (items.length !== 2) throw new TypeError("a header is a pair of name and value");
        this.append(items[0], items[1]);
      }
    }
    append(name, value) {
      this.#list.push([nameOf(name), valueOf(name, value)]);
    }
    delete(name) {
      const held = nameOf(name);
      this.#list = this.#list.filter(([other]) => other !== held);
    }
    set(name, value) {
      const pair = [nameOf(name), valueOf(name, value)];
      const at = this.#list.findIndex(([other]) => other === pair[0]);
      if (at < 0) {
        this.#list.push(pair);
        return;
      }
      this.#list[at] = pair;
      this.#list = this.#list.filter(([other], place) => place <= at || other !== pair[0]);
    }
    has(name) {
      const held = nameOf(name);
      return this.#list.some(([other]) => other === held);
    }
    get(name) {
      const held = nameOf(name);
      const values = this.#list.filter(([other]) => other === held).map(([, value]) => value);
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
  return { Headers };
})
