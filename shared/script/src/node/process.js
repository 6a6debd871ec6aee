// node:process: what a tool's process answers. `env` is the host's; the rest stands on the prototype of
// the global, so that a script that only reads variables pays for nothing else.
import { monotonicNs } from "openeve:native";
import { Buffer } from "node:internal/buffer";
import { absent, coded, wrongType } from "node:internal/errors";

const VERSION = "v20.20.2";
// The engine that reads schemas has no clock, and says so by having no `performance`.
const now = () => {
  if (globalThis.performance !== undefined) return monotonicNs();
  throw coded(Error, "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM", "process has no clock here: a schema must not depend on the time");
};
const begun = globalThis.performance === undefined ? 0n : now();
const process = globalThis.process ?? {};

const hrtime = (before) => {
  const time = now();
  let [seconds, rest] = [Number(time / 1_000_000_000n), Number(time % 1_000_000_000n)];
  if (before !== undefined) {
    if (!Array.isArray(before)) throw wrongType("time", "Array", before);
    seconds -= before[0];
    rest -= before[1];
    if (rest < 0) [seconds, rest] = [seconds - 1, rest + 1_000_000_000];
  }
  return [seconds, rest];
};
hrtime.bigint = () => now();

const nextTick = (callback, ...args) => {
  if (typeof callback !== "function") throw wrongType("callback", "function", callback);
  queueMicrotask(() => callback(...args));
};
const emitWarning = (warning, type, code) => {
  const kind = typeof type === "object" && type !== null ? type : { type, code };
  const text = warning instanceof Error ? `${warning.name}: ${warning.message}` : `${kind.type ?? "Warning"}: ${warning}`;
  console.warn(kind.code ? `[${kind.code}] ${text}` : text);
};
const exit = (code) => {
  throw coded(Error, "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM", `process.exit(${code ?? ""}) is not available in tools: return from execute, or throw an error`);
};
const cwd = () => "/";
const uptime = () => Number(now() - begun) / 1e9;
const memoryUsage = () => ({ rss: 67108864, heapTotal: 67108864, heapUsed: 16777216, external: 0, arrayBuffers: 0 });
memoryUsage.rss = () => 67108864;
const cpuUsage = () => ({ user: Math.trunc(uptime() * 1e6), system: 0 });

// A stream of lines to the tool's log.
const output = (level, fd) => {
  let rest = "";
  const stream = {
    fd, isTTY: false, writable: true, columns: 80, rows: 24, writableLength: 0,
    write(chunk, encoding, done) {
      rest += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
      const lines = rest.split("\n");
      rest = lines.pop();
      for (const line of lines) console[level](line);
      const callback = typeof encoding === "function" ? encoding : done;
      if (typeof callback === "function") queueMicrotask(() => callback());
      return true;
    },
    end(chunk) {
      if (chunk !== undefined) stream.write(chunk);
      return stream;
    },
    getColorDepth: () => 1, hasColors: () => false, getWindowSize: () => [80, 24], cursorTo: () => true, clearLine: () => true, moveCursor: () => true,
  };
  return listening(stream);
};
// No signal and no event ever arrives, so that listening is harmless.
const listening = (target) => {
  for (const name of ["on", "once", "addListener", "off", "removeListener", "removeAllListeners", "prependListener", "prependOnceListener", "setMaxListeners"]) {
    target[name] = function () {
      return this;
    };
  }
  return Object.assign(target, { emit: () => false, listeners: () => [], rawListeners: () => [], listenerCount: () => 0, eventNames: () => [], getMaxListeners: () => 10 });
};

const stdout = output("log", 1);
const stderr = output("error", 2);
const stdin = listening({ fd: 0, isTTY: false, readable: false, read: () => null, resume: () => stdin, pause: () => stdin, setEncoding: () => stdin, pipe: (to) => to });
const refused = (name) => absent(`process.${name}`);
const members = {
  version: VERSION,
  versions: Object.freeze({ node: VERSION.slice(1), modules: "115", quickjs: "ng" }),
  arch: "x64", platform: "linux", title: "node", release: Object.freeze({ name: "node", lts: "Iron" }), argv: ["/usr/bin/node", "/tool.js"],
  argv0: "node", execArgv: [], execPath: "/usr/bin/node", pid: 1, ppid: 0, debugPort: 9229, exitCode: undefined, moduleLoadList: [],
  config: Object.freeze({ target_defaults: {}, variables: {} }), features: Object.freeze({ inspector: false, ipv6: true, tls: true }),
  allowedNodeEnvironmentFlags: new Set(), report: undefined, domain: null, sourceMapsEnabled: false,
  stdout, stderr, stdin, hrtime, nextTick, emitWarning, exit, reallyExit: exit, cwd, uptime, memoryUsage, cpuUsage,
  constrainedMemory: () => 67108864, availableMemory: () => 50331648, resourceUsage: () => ({ userCPUTime: cpuUsage().user, systemCPUTime: 0, maxRSS: 65536 }),
  getuid: () => 1000, geteuid: () => 1000, getgid: () => 1000, getegid: () => 1000, getgroups: () => [1000], umask: () => 18,
  getActiveResourcesInfo: () => [], setUncaughtExceptionCaptureCallback: () => {}, hasUncaughtExceptionCaptureCallback: () => false, setSourceMapsEnabled: () => {},
  getBuiltinModule: () => undefined, openStdin: () => stdin, assert: (value, message) => {
    if (!value) throw coded(Error, "ERR_ASSERTION", message ?? "assertion error");
  },
  abort: refused("abort"), kill: refused("kill"), chdir: refused("chdir"), dlopen: refused("dlopen"), binding: refused("binding"), loadEnvFile: refused("loadEnvFile"),
  initgroups: refused("initgroups"), setgroups: refused("setgroups"), setegid: refused("setegid"), seteuid: refused("seteuid"), setgid: refused("setgid"), setuid: refused("setuid"),
};
const prototype = listening({ ...members });
Object.defineProperty(prototype, Symbol.toStringTag, { value: "process", configurable: true });
// The global keeps its `env`; whoever put another global in its place keeps that.
if (Object.isExtensible(process)) Object.setPrototypeOf(process, prototype);

export const { env } = process;
export const {
  abort, allowedNodeEnvironmentFlags, arch, argv, argv0, assert, availableMemory, binding, chdir, config, constrainedMemory,
  debugPort, dlopen, domain, execArgv, execPath, exitCode, features, getActiveResourcesInfo, getBuiltinModule, getegid, geteuid,
  getgid, getgroups, getuid, hasUncaughtExceptionCaptureCallback, initgroups, kill, loadEnvFile, moduleLoadList, openStdin, pid,
  platform, ppid, reallyExit, release, report, resourceUsage, setegid, seteuid, setgid, setgroups, setSourceMapsEnabled, setuid,
  setUncaughtExceptionCaptureCallback, sourceMapsEnabled, title, umask, version, versions,
} = members;
export const { addListener, emit, eventNames, getMaxListeners, listenerCount, listeners, off, on, once, removeAllListeners, removeListener } = prototype;
export { cpuUsage, cwd, emitWarning, exit, hrtime, memoryUsage, nextTick, stderr, stdin, stdout, uptime };
export default process;
