// node:path/win32. The working directory is "C:\".
import { needsString, wrongType } from "node:internal/errors";
import { extensionOf, formatPath, normalizeParts } from "node:internal/path_parts";

const text = (path, name = "path") => needsString(name, path);
// Device or share, whether the rest is absolute, and the rest.
const split = (path) => {
  const share = /^[\\/]{2}([^\\/]+)[\\/]+([^\\/]+)/.exec(path);
  if (share !== null) {
    return { device: `\\\\${share[1]}\\${share[2]}`, absolute: true, rest: path.slice(share[0].length), length: share[0].length, share: true };
  }
  const device = /^[a-zA-Z]:/.exec(path)?.[0] ?? "";
  const rest = path.slice(device.length);
  return { device, absolute: /^[\\/]/.test(rest), rest, length: device.length, share: false };
};
const pieces = (path) => path.split(/[\\/]/);

const normalize = (path) => {
  if (text(path) === "") return ".";
  const { device, absolute, rest } = split(path);
  let made = normalizeParts(pieces(rest), !absolute).join("\\");
  if (made === "" && !absolute) made = ".";
  if (made !== "" && /[\\/]$/.test(rest)) made += "\\";
  // What looks like a device but was none must not become one.
  const misleads = device === "" && !absolute && (/^[a-zA-Z]:/.test(made) || /:([\\/]|$)/.test(path));
  return `${misleads ? ".\\" : ""}${device}${absolute ? "\\" : ""}${made}`;
};
const isAbsolute = (path) => /^([\\/]|[a-zA-Z]:[\\/])/.test(text(path));
const join = (...paths) => {
  const given = paths.map((path) => text(path)).filter((path) => path !== "");
  if (given.length === 0) return ".";
  const [first] = given;
  let joined = given.join("\\");
  // Only a first part that is itself a share may begin with two slashes.
  if (!/^[\\/]{2}[^\\/]/.test(first)) joined = joined.replace(/^[\\/]{2,}/, "\\");
  return normalize(joined);
};
const resolve = (...paths) => {
  let device = "";
  let tail = "";
  let absolute = false;
  for (const path of [...paths.map((path, at) => text(path, `paths[${at}]`))].reverse()) {
    if (path === "") continue;
    const part = split(path);
    if (part.device !== "" && device !== "" && part.device.toLowerCase() !== device.toLowerCase()) continue;
    if (device === "") device = part.device;
    if (!absolute) {
      tail = `${part.rest}\\${tail}`;
      absolute = part.absolute;
    }
    if (absolute && device !== "") break;
  }
  if (device === "") device = "C:";
  const made = normalizeParts(pieces(tail), false).join("\\");
  return `${device}\\${made}`;
};
const relative = (from, to) => {
  if (text(from, "from") === text(to, "to")) return "";
  const [here, there] = [resolve(from), resolve(to)];
  if (here.toLowerCase() === there.toLowerCase()) return "";
  const [a, b] = [here, there].map((path) => pieces(path).filter((part) => part !== ""));
  let shared = 0;
  while (shared < a.length && shared < b.length && a[shared].toLowerCase() === b[shared].toLowerCase()) shared += 1;
  if (shared === 0) return there;
  return [...a.slice(shared).map(() => ".."), ...b.slice(shared)].join("\\");
};
const toNamespacedPath = (path) => {
  if (typeof path !== "string" || path === "") return path;
  const whole = resolve(path);
  if (whole.startsWith("\\\\")) return /^\\\\[?.]\\/.test(whole) ? whole : `\\\\?\\UNC\\${whole.slice(2)}`;
  return /^[a-zA-Z]:\\/.test(whole) ? `\\\\?\\${whole}` : path;
};
const rootOf = (path) => {
  const { absolute, length, rest } = split(path);
  return path.slice(0, length + (absolute && rest !== "" ? 1 : 0));
};
const inner = (path) => path.slice(rootOf(path).length).replace(/[\\/]+$/, "");
const dirname = (path) => {
  if (text(path) === "") return ".";
  const root = rootOf(path);
  const body = inner(path);
  const at = Math.max(body.lastIndexOf("\\"), body.lastIndexOf("/"));
  if (at < 0) return root === "" ? "." : root;
  return root + body.slice(0, at);
};
const basename = (path, suffix) => {
  if (suffix !== undefined) text(suffix, "suffix");
  if (suffix !== undefined && suffix === path) return "";
  const body = text(path).replace(/^[a-zA-Z]:/, "").replace(/[\\/]+$/, "");
  const name = pieces(body).at(-1);
  return suffix !== undefined && name !== suffix && name.endsWith(suffix) ? name.slice(0, name.length - suffix.length) : name;
};
const extname = (path) => extensionOf(basename(path));
const format = (parts) => {
  if (typeof parts !== "object" || parts === null) throw wrongType("pathObject", "Object", parts);
  return formatPath("\\", parts);
};
const parse = (path) => {
  if (text(path) === "") return { root: "", dir: "", base: "", ext: "", name: "" };
  const root = rootOf(path);
  const body = inner(path);
  const at = Math.max(body.lastIndexOf("\\"), body.lastIndexOf("/"));
  const base = body.slice(at + 1);
  const ext = extensionOf(base);
  return { root, dir: at < 0 ? root : root + body.slice(0, at), base, ext, name: base.slice(0, base.length - ext.length) };
};
const matchesGlob = (path, pattern) => win32.posix.matchesGlob(path.replaceAll("\\", "/"), pattern.replaceAll("\\", "/"));

export const win32 = {
  resolve, normalize, isAbsolute, join, relative, toNamespacedPath, dirname, basename, extname, format, parse, matchesGlob,
  sep: "\\", delimiter: ";", win32: undefined, posix: undefined, _makeLong: toNamespacedPath,
};
