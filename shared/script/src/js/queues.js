// What both sides of streams are made of: promises that are settled later, queues with sizes, and
// the strategies that size them.
(function () {
  "use strict";
  const later = (promise, then, otherwise) => void promise.then(then, otherwise);
  const handled = (promise) => {
    later(promise, () => {}, () => {});
    return promise;
  };
  const deferred = () => {
    const made = {};
    made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }));
    handled(made.promise);
    return made;
  };
  const method = (source, name) => {
    const found = source?.[name];
    if (found === undefined) return () => undefined;
    if (typeof found !== "function") throw new TypeError(`${name} of a stream's source is no function`);
    return found.bind(source);
  };
  // Runs an author's function and makes a promise of whatever comes of it.
  const promised = (run) => {
    try {
      return Promise.resolve(run());
    } catch (error) {
      return Promise.reject(error);
    }
  };
  const highWaterMark = (strategy, fallback) => {
    const mark = strategy?.highWaterMark;
    if (mark === undefined) return fallback;
    const number = Number(mark);
    if (Number.isNaN(number) || number < 0) {
      throw new RangeError(`highWaterMark must be a number from 0 on, not ${mark}`);
    }
    return number;
  };
  const sizeOf = (strategy) => {
    const size = strategy?.size;
    if (size === undefined) return () => 1;
    if (typeof size !== "function") throw new TypeError("size of a strategy is no function");
    return (chunk) => size(chunk);
  };

  class CountQueuingStrategy {
    constructor({ highWaterMark: mark }) {
      this.highWaterMark = Number(mark);
    }
    size() {
      return 1;
    }
  }
  class ByteLengthQueuingStrategy {
    constructor({ highWaterMark: mark }) {
      this.highWaterMark = Number(mark);
    }
    size(chunk) {
      return chunk.byteLength;
    }
  }

  // A queue whose chunks have sizes.
  class Queue {
    items = [];
    total = 0;
    push(value, size) {
      const number = Number(size);
      if (Number.isNaN(number) || number < 0 || number === Infinity) {
        throw new RangeError(`the size of a chunk must be a finite number from 0 on, not ${size}`);
      }
      this.items.push({ value, size: number });
      this.total += number;
    }
    shift() {
      const { value, size } = this.items.shift();
      this.total = this.items.length === 0 ? 0 : Math.max(0, this.total - size);
      return value;
    }
    clear() {
      this.items = [];
      this.total = 0;
    }
    get length() {
      return this.items.length;
    }
  }

  return {
    ByteLengthQueuingStrategy, CountQueuingStrategy, Queue,
    deferred, handled, highWaterMark, later, method, promised, sizeOf,
  };
})
