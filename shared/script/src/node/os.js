// node:os: constant answers of a small Linux machine.
import { coded } from "node:internal/errors";
import { numbers } from "node:internal/numbers_of_linux";

const EOL = "\n";
const devNull = "/dev/null";
const constants = numbers;
const MEMORY = 67108864;
const arch = () => "x64";
const availableParallelism = () => 1;
const cpus = () => [{ model: "virtual", speed: 0, times: { user: 0, nice: 0, sys: 0, idle: 0, irq: 0 } }];
const endianness = () => "LE";
const freemem = () => MEMORY;
const totalmem = () => MEMORY;
const getPriority = () => 0;
const setPriority = () => {};
const homedir = () => "/";
const hostname = () => "localhost";
const loadavg = () => [0, 0, 0];
const machine = () => "x86_64";
const networkInterfaces = () => ({});
const platform = () => "linux";
const release = () => "0.0.0";
const tmpdir = () => "/tmp";
const type = () => "Linux";
const uptime = () => 0;
const version = () => "";
const userInfo = (options) => {
  if (options?.encoding === "buffer") throw coded(Error, "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM", "os.userInfo gives texts alone in tools");
  return { uid: 1000, gid: 1000, username: "tool", homedir: "/", shell: null };
};
for (const [call, answer] of [[arch, "x64"], [endianness, "LE"], [homedir, "/"], [hostname, "localhost"], [platform, "linux"], [tmpdir, "/tmp"], [type, "Linux"]]) {
  call[Symbol.toPrimitive] = () => answer;
}

export {
  arch, availableParallelism, constants, cpus, devNull, endianness, EOL, freemem, getPriority, homedir, hostname, loadavg, machine,
  networkInterfaces, platform, release, setPriority, tmpdir, totalmem, type, uptime, userInfo, version,
};
export default {
  arch, availableParallelism, constants, cpus, devNull, endianness, EOL, freemem, getPriority, homedir, hostname, loadavg, machine,
  networkInterfaces, platform, release, setPriority, tmpdir, totalmem, type, uptime, userInfo, version,
};
