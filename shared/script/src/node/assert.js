// node:assert.
import { same } from "node:internal/compare";
import { absent, coded, needsFunction, wrongType } from "node:internal/errors";
import { inspect } from "node:internal/inspect";

const WORDS = {
  deepStrictEqual: "Expected values to be strictly deep-equal:", strictEqual: "Expected values to be strictly equal:",
  deepEqual: "Expected values to be loosely deep-equal:", notDeepStrictEqual: 'Expected "actual" not to be strictly deep-equal to:',
  notStrictEqual: 'Expected "actual" to be strictly unequal to:', notDeepEqual: 'Expected "actual" not to be loosely deep-equal to:',
};
const shown = (value) => inspect(value, { depth: 1000, maxArrayLength: Infinity, compact: 0, customInspect: false, sorted: true });
const described = (operator, actual, expected) => {
  const word = WORDS[operator];
  const [one, other] = [shown(actual), shown(expected)];
  if (word === undefined) return `${inspect(actual)} ${operator} ${inspect(expected)}`;
  if (operator === "deepEqual") return `${word}\n\n${one}\n\nshould loosely deep-equal\n\n${other}`;
  if (operator.startsWith("not")) return one.includes("\n") ? `${word}\n\n${one}\n` : `${word.replace(/:$/, one.length > 5 ? ":" : ":")} ${one}`;
  const isPlain = (value) => (typeof value !== "object" || value === null) && typeof value !== "function";
  if (isPlain(actual) && isPlain(expected) && !one.includes("\n") && !other.includes("\n") && one.length + other.length < 12) return `${word}\n\n${one} !== ${other}\n`;
  return `${word}\n+ actual - expected\n\n${one.split("\n").map((line) => `+ ${line}`).join("\n")}\n${other.split("\n").map((line) => `- ${line}`).join("\n")}`;
};

class AssertionError extends Error {
  constructor(options) {
    if (typeof options !== "object" || options === null) throw wrongType("options", "Object", options);
    const { message, operator, actual, expected } = options;
    super(message === undefined ? described(operator, actual, expected) : String(message));
    this.generatedMessage = message === undefined;
    this.code = "ERR_ASSERTION";
    this.actual = actual;
    this.expected = expected;
    this.operator = operator;
    Object.defineProperty(this, "name", { value: "AssertionError", writable: true, configurable: true });
  }
  toString() {
    return `${this.name} [${this.code}]: ${this.message}`;
  }
}
const failed = (operator, actual, expected, message) => {
  if (message instanceof Error) throw message;
  throw new AssertionError({ message, operator, actual, expected });
};

const truthy = (args) => {
  const [value, message] = args;
  if (value) return;
  if (args.length === 0) {
    const error = new AssertionError({ message: "No value argument passed to `assert.ok()`", operator: "==", actual: value, expected: true });
    error.generatedMessage = true;
    throw error;
  }
  if (message instanceof Error) throw message;
  const error = new AssertionError({ message: message ?? "The expression evaluated to a falsy value", operator: "==", actual: value, expected: true });
  error.generatedMessage = message === undefined;
  throw error;
};
function assert(...args) {
  truthy(args);
}
const ok = (...args) => truthy(args);
const fail = (message = "Failed") => {
  if (message instanceof Error) throw message;
  const error = new AssertionError({ message, operator: "fail" });
  error.generatedMessage = message === "Failed";
  throw error;
};
const looseEqual = (a, b) => a == b || (a !== a && b !== b);
const check = (operator, holds) => (actual, expected, message) => {
  if (!holds(actual, expected)) failed(operator, actual, expected, message);
};
const equal = check("==", looseEqual);
const notEqual = check("!=", (a, b) => !looseEqual(a, b));
const strictEqual = check("strictEqual", Object.is);
const notStrictEqual = check("notStrictEqual", (a, b) => !Object.is(a, b));
const deepEqual = check("deepEqual", (a, b) => same(a, b, false));
const notDeepEqual = check("notDeepEqual", (a, b) => !same(a, b, false));
const deepStrictEqual = check("deepStrictEqual", (a, b) => same(a, b, true));
const notDeepStrictEqual = check("notDeepStrictEqual", (a, b) => !same(a, b, true));

const fits = (error, expected, operator, message) => {
  if (expected === undefined) return;
  const refuse = (why) => failed(operator, error, expected, message ?? why);
  if (typeof expected === "function") {
    if (expected.prototype !== undefined && error instanceof expected) return;
    if (expected === Error || Error.isPrototypeOf(expected)) {
      if (message === undefined) throw error;
      refuse(`The error is expected to be an instance of "${expected.name}". Received "${error?.constructor?.name}"`);
    }
    if (expected.call({}, error) !== true) refuse(`The ${expected.name ? `"${expected.name}" ` : ""}validation function is expected to return "true". Received ${inspect(false)}\n\nCaught error:\n\n${error}`);
    return;
  }
  if (expected instanceof RegExp) {
    if (!expected.test(String(error))) refuse(`The input did not match the regular expression ${inspect(expected)}. Input:\n\n${inspect(String(error))}\n`);
    return;
  }
  const keys = Object.keys(expected);
  if (expected instanceof Error) keys.push("name", "message");
  for (const key of keys) {
    const isMatch = expected[key] instanceof RegExp && typeof error?.[key] === "string" ? expected[key].test(error[key]) : same(error?.[key], expected[key], true);
    if (!isMatch) refuse(undefined);
  }
};
const parted = (expected, message) => (typeof expected === "string" ? [undefined, expected] : [expected, message]);
const missing = (operator, expected, message) => {
  const name = typeof expected === "function" && expected.name ? ` (${expected.name})` : ".";
  failed(operator, undefined, expected, `Missing expected ${operator === "rejects" ? "rejection" : "exception"}${message === undefined ? name : `${name === "." ? ":" : `${name}:`} ${message}`}`);
};
const throws = (fn, first, second) => {
  needsFunction("fn", fn);
  const [expected, message] = parted(first, second);
  let thrown;
  try {
    fn();
  } catch (error) {
    thrown = { error };
  }
  if (thrown === undefined) return missing("throws", expected, message);
  return fits(thrown.error, expected, "throws", message);
};
const promiseOf = (value) => {
  const made = typeof value === "function" ? value() : value;
  if (typeof made?.then === "function") return made;
  if (typeof value === "function") throw coded(TypeError, "ERR_INVALID_RETURN_VALUE", `Expected instance of Promise to be returned from the "promiseFn" function but got ${made === undefined ? "undefined" : `type ${typeof made}`}.`);
  throw wrongType("promiseFn", ["function", "Promise"], value);
};
const rejects = async (promise, first, second) => {
  const [expected, message] = parted(first, second);
  let thrown;
  try {
    await promiseOf(promise);
  } catch (error) {
    if (error?.code === "ERR_INVALID_ARG_TYPE" || error?.code === "ERR_INVALID_RETURN_VALUE") throw error;
    thrown = { error };
  }
  if (thrown === undefined) return missing("rejects", expected, message);
  return fits(thrown.error, expected, "rejects", message);
};
const unwanted = (operator, error, first, second) => {
  const [expected, message] = parted(first, second);
  if (typeof expected === "function" && !(error instanceof expected)) throw error;
  failed(operator, error, expected, `Got unwanted ${operator === "doesNotReject" ? "rejection" : "exception"}${message ? `: ${message}` : "."}\nActual message: "${error?.message}"`);
};
const doesNotThrow = (fn, first, second) => {
  needsFunction("fn", fn);
  try {
    fn();
  } catch (error) {
    unwanted("doesNotThrow", error, first, second);
  }
};
const doesNotReject = async (promise, first, second) => {
  const made = promiseOf(promise);
  try {
    await made;
  } catch (error) {
    unwanted("doesNotReject", error, first, second);
  }
};
const ifError = (value) => {
  if (value === null || value === undefined) return;
  const message = `ifError got unwanted exception: ${typeof value === "object" && typeof value.message === "string" ? value.message || value.constructor?.name : inspect(value)}`;
  const error = new AssertionError({ message, operator: "ifError", actual: value, expected: null });
  error.generatedMessage = false;
  throw error;
};
const matching = (operator, wanted) => (string, regexp, message) => {
  if (!(regexp instanceof RegExp)) throw wrongType("regexp", "RegExp", regexp);
  if (typeof string === "string" && (regexp.exec(string) !== null) === wanted) return;
  const why = wanted ? "The input did not match the regular expression" : "The input was expected to not match the regular expression";
  const text = typeof string === "string" ? `${why} ${inspect(regexp)}. Input:\n\n${inspect(string)}\n` : `The "string" argument must be of type string. Received type ${typeof string} (${inspect(string)})`;
  failed(operator, string, regexp, message ?? text);
};
const match = matching("match", true);
const doesNotMatch = matching("doesNotMatch", false);
const partialDeepStrictEqual = check("partialDeepStrictEqual", function part(actual, expected) {
  if (typeof expected !== "object" || expected === null || Array.isArray(expected)) return same(actual, expected, true);
  return typeof actual === "object" && actual !== null && Object.keys(expected).every((key) => key in actual && part(actual[key], expected[key]));
});
const CallTracker = absent("assert.CallTracker");

const members = {
  fail, AssertionError, ok, equal, notEqual, deepEqual, notDeepEqual, deepStrictEqual, notDeepStrictEqual, strictEqual,
  notStrictEqual, throws, rejects, doesNotThrow, doesNotReject, ifError, match, doesNotMatch, partialDeepStrictEqual, CallTracker,
};
Object.assign(assert, members);
function strict(...args) {
  truthy(args);
}
Object.assign(strict, members, {
  equal: strictEqual, deepEqual: deepStrictEqual, notEqual: notStrictEqual, notDeepEqual: notDeepStrictEqual,
});
assert.strict = strict;
strict.strict = strict;

export {
  AssertionError, CallTracker, deepEqual, deepStrictEqual, doesNotMatch, doesNotReject, doesNotThrow, equal, fail, ifError, match,
  notDeepEqual, notDeepStrictEqual, notEqual, notStrictEqual, ok, partialDeepStrictEqual, rejects, strict, strictEqual, throws,
};
export default assert;
