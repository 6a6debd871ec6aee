// node:console: the tool's log.
import { format, inspect } from "node:internal/inspect";

const names = [
  "log", "warn", "dir", "time", "timeEnd", "timeLog", "trace", "assert", "clear", "count", "countReset", "group", "groupEnd", "table",
  "debug", "info", "dirxml", "error", "groupCollapsed", "profile", "profileEnd", "timeStamp", "context", "createTask",
];
const own = globalThis.console ?? {};
// What the global has; a name that it has not does nothing.
const members = Object.fromEntries(names.map((name) => [name, typeof own[name] === "function" ? own[name].bind(own) : () => {}]));

function Console(options, stderr) {
  const to = options?.stdout ?? options;
  const errors = options?.stderr ?? stderr ?? to;
  const line = (stream) => (...values) => {
    stream.write(`${format(...values)}\n`);
  };
  Object.assign(this, members, {
    log: line(to), info: line(to), debug: line(to), warn: line(errors), error: line(errors), trace: line(errors),
    dir: (value, how) => line(to)(inspect(value, how)),
  });
}
const console = own;
for (const [name, member] of Object.entries({ ...members, Console })) if (!(name in own)) own[name] = member;

export const {
  assert, clear, context, count, countReset, createTask, debug, dir, dirxml, error, group, groupCollapsed, groupEnd, info, log,
  profile, profileEnd, table, time, timeEnd, timeLog, timeStamp, trace, warn,
} = members;
export { Console };
export default console;
