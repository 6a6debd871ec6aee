// node:path/win32.
import { win32 } from "node:path";

export const {
  basename, delimiter, dirname, extname, format, isAbsolute, join, matchesGlob, normalize, parse, posix, relative, resolve, sep,
  toNamespacedPath, win32,
} = win32;
export default win32;
