// node:path: texts of paths, for POSIX and for Windows. The working directory is "/".
import { needsString, wrongType } from "node:internal/errors";
import { win32 } from "node:internal/path_win32";
import { extensionOf, formatPath, normalizeParts } from "node:internal/path_parts";

const cwd = () => "/";
const text = (path, name = "path") => needsString(name, path);

const resolve = (...paths) => {
  let resolved = "";
  for (let at = paths.length - 1; at >= 0 && !resolved.startsWith("/"); at -= 1) {
    const path = text(paths[at], `paths[${at}]`);
    if (path !== "") resolved = resolved === "" ? path : `${path}/${resolved}`;
  }
  if (!resolved.startsWith("/")) resolved = resolved === "" ? cwd() : `${cwd()}/${resolved}`;
  const parts = normalizeParts(resolved.split("/"), false);
  return `/${parts.join("/")}`;
};
const isAbsolute = (path) => text(path).startsWith("/");
const normalize = (path) => {
  if (text(path) === "") return ".";
  const absolute = isAbsolute(path);
  let made = normalizeParts(path.split("/"), !absolute).join("/");
  if (made === "" && !absolute) made = ".";
  if (made !== "" && path.endsWith("/")) made += "/";
  return absolute ? `/${made}` : made;
};
const join = (...paths) => {
  const joined = paths.map((path) => text(path)).filter((path) => path !== "").join("/");
  return joined === "" ? "." : normalize(joined);
};
const relative = (from, to) => {
  if (text(from, "from") === text(to, "to")) return "";
  const [here, there] = [resolve(from), resolve(to)].map((path) => path.split("/").filter((part) => part !== ""));
  let shared = 0;
  while (shared < here.length && shared < there.length && here[shared] === there[shared]) shared += 1;
  return [...here.slice(shared).map(() => ".."), ...there.slice(shared)].join("/");
};
const toNamespacedPath = (path) => path;
const trimmed = (path) => {
  let end = path.length;
  while (end > 1 && path[end - 1] === "/") end -= 1;
  return path.slice(0, end);
};
const dirname = (path) => {
  if (text(path) === "") return ".";
  const whole = trimmed(path);
  const at = whole.lastIndexOf("/");
  if (at < 0) return ".";
  if (at === 0) return "/";
  if (at === 1 && whole.startsWith("/")) return "//";
  return whole.slice(0, at);
};
const basename = (path, suffix) => {
  if (suffix !== undefined) text(suffix, "suffix");
  if (suffix !== undefined && suffix === path) return "";
  const whole = text(path).replace(/\/+$/, "");
  const name = whole.slice(whole.lastIndexOf("/") + 1);
  return suffix !== undefined && name !== suffix && name.endsWith(suffix) ? name.slice(0, name.length - suffix.length) : name;
};
const extname = (path) => extensionOf(basename(text(path)));
const format = (parts) => {
  if (typeof parts !== "object" || parts === null) throw wrongType("pathObject", "Object", parts);
  return formatPath("/", parts);
};
const parse = (path) => {
  if (text(path) === "") return { root: "", dir: "", base: "", ext: "", name: "" };
  const root = path.startsWith("/") ? "/" : "";
  const base = basename(path);
  const whole = trimmed(path);
  const at = whole.lastIndexOf("/");
  const dir = at > 0 ? whole.slice(0, at) : root;
  const ext = extensionOf(base);
  return { root, dir, base, ext, name: base.slice(0, base.length - ext.length) };
};
const escaped = (part) => part.replace(/[.+^${}()|\\]/g, "\\$&");
const matchesGlob = (path, pattern) => {
  const source = pattern.split(/(\*\*\/?|\*|\?|\[[^\]]*\])/).map((part) => {
    if (part.startsWith("**")) return part.endsWith("/") ? "(?:.*/)?" : ".*";
    if (part === "*") return "[^/]*";
    if (part === "?") return "[^/]";
    return part.startsWith("[") ? part.replace(/^\[!/, "[^") : escaped(part);
  });
  return new RegExp(`^${source.join("")}$`).test(path);
};
const sep = "/";
const delimiter = ":";

const posix = {
  resolve, normalize, isAbsolute, join, relative, toNamespacedPath, dirname, basename, extname, format, parse, matchesGlob,
  sep, delimiter, win32, posix: undefined, _makeLong: toNamespacedPath,
};
posix.posix = posix;
win32.posix = posix;
win32.win32 = win32;

export {
  basename, delimiter, dirname, extname, format, isAbsolute, join, matchesGlob, normalize, parse, posix, relative, resolve, sep,
  toNamespacedPath, win32,
};
export default posix;
