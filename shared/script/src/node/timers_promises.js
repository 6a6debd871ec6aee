// node:timers/promises.
import { coded } from "node:internal/errors";

const abortError = (signal) => {
  const error = coded(Error, "ABORT_ERR", "The operation was aborted");
  error.name = "AbortError";
  if (signal.reason !== undefined) error.cause = signal.reason;
  return error;
};
const waiting = (start, stop, value, { signal } = {}) =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(abortError(signal));
      return;
    }
    const onAbort = () => {
      stop(timer);
      reject(abortError(signal));
    };
    const timer = start(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve(value);
    });
    signal?.addEventListener("abort", onAbort, { once: true });
  });
const setTimeout = (delay, value, options) => waiting((done) => globalThis.setTimeout(done, delay), (timer) => globalThis.clearTimeout(timer), value, options);
const setImmediate = (value, options) => waiting((done) => globalThis.setTimeout(done, 0), (timer) => globalThis.clearTimeout(timer), value, options);
async function* setInterval(delay, value, options) {
  while (true) yield await setTimeout(delay, value, options);
}
const scheduler = { wait: (delay, options) => setTimeout(delay, undefined, options), yield: () => setImmediate() };

export { scheduler, setImmediate, setInterval, setTimeout };
export default { setTimeout, setImmediate, setInterval, scheduler };
