// node:assert/strict.
import { strict } from "node:assert";

export const {
  AssertionError, CallTracker, deepEqual, deepStrictEqual, doesNotMatch, doesNotReject, doesNotThrow, equal, fail, ifError, match,
  notDeepEqual, notDeepStrictEqual, notEqual, notStrictEqual, ok, partialDeepStrictEqual, rejects, strictEqual, throws,
} = strict;
export { strict };
export default strict;
