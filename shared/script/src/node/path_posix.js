// node:path/posix.
import { posix } from "node:path";

export const {
  basename, delimiter, dirname, extname, format, isAbsolute, join, matchesGlob, normalize, parse, posix, relative, resolve, sep,
  toNamespacedPath, win32,
} = posix;
export default posix;
