// node:timers.
import * as later from "node:timers/promises";

const { clearImmediate, clearInterval, clearTimeout, setImmediate, setInterval, setTimeout } = globalThis;
const { default: promises } = later;
const active = () => {};
const unenroll = () => {};
const enroll = () => {};

export { active, clearImmediate, clearInterval, clearTimeout, enroll, promises, setImmediate, setInterval, setTimeout, unenroll };
export default {
  setTimeout, clearTimeout, setImmediate, clearImmediate, setInterval, clearInterval, active, unenroll, enroll, promises,
};
