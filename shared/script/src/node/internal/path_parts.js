// What POSIX and Windows paths share.

// Takes "." and "..", as far as there is something to take; a relative path keeps the rest.
export const normalizeParts = (parts, keepsAbove) => {
  const made = [];
  for (const part of parts) {
    if (part === "" || part === ".") continue;
    if (part !== "..") made.push(part);
    else if (made.length > 0 && made.at(-1) !== "..") made.pop();
    else if (keepsAbove) made.push("..");
  }
  return made;
};

export const extensionOf = (name) => {
  const at = name.lastIndexOf(".");
  return at <= 0 || name === ".." ? "" : name.slice(at);
};

export const formatPath = (separator, parts) => {
  const dir = parts.dir || parts.root;
  const ext = parts.ext ? (parts.ext.startsWith(".") ? parts.ext : `.${parts.ext}`) : "";
  const base = parts.base || `${parts.name || ""}${ext}`;
  if (!dir) return base;
  return dir === parts.root ? `${dir}${base}` : `${dir}${separator}${base}`;
};
