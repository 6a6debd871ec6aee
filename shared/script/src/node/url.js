// node:url: the web's URL, paths of files, and the old parser.
import { coded, needsString, wrongType } from "node:internal/errors";
import * as punycode from "node:punycode";
import querystring from "node:querystring";

const { URL, URLSearchParams } = globalThis;

const domainToASCII = (domain) => {
  try {
    return new URL(`ws://${domain}`).hostname;
  } catch {
    return "";
  }
};
const domainToUnicode = (domain) => {
  const ascii = domainToASCII(domain);
  return ascii === "" ? "" : punycode.toUnicode(ascii);
};
const fileURLToPath = (path) => {
  const url = typeof path === "string" ? new URL(path) : path;
  if (typeof url?.href !== "string" || typeof url.protocol !== "string") throw wrongType("path", ["string", "URL"], path);
  if (url.protocol !== "file:") throw coded(TypeError, "ERR_INVALID_URL_SCHEME", "The URL must be of scheme file");
  if (url.hostname !== "") throw coded(TypeError, "ERR_INVALID_FILE_URL_HOST", 'File URL host must be "localhost" or empty on linux');
  if (/%2f/i.test(url.pathname)) throw coded(TypeError, "ERR_INVALID_FILE_URL_PATH", "File URL path must not include encoded / characters");
  return decodeURIComponent(url.pathname);
};
const ESCAPES = { "%": "%25", "\\": "%5C", "\n": "%0A", "\r": "%0D", "\t": "%09", "?": "%3F", "#": "%23" };
const pathToFileURL = (path) => {
  const whole = needsString("path", path).startsWith("/") ? path : `/${path}`;
  const url = new URL("file:///");
  const parts = [];
  for (const part of whole.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  const slash = path.endsWith("/") && parts.length > 0 ? "/" : "";
  url.pathname = `/${parts.join("/")}${slash}`.replace(/[%\\\n\r\t?#]/g, (one) => ESCAPES[one]);
  return url;
};
const urlToHttpOptions = (url) => {
  const options = {
    protocol: url.protocol, hostname: url.hostname.replace(/^\[|\]$/g, ""), hash: url.hash, search: url.search,
    pathname: url.pathname, path: `${url.pathname || ""}${url.search || ""}`, href: url.href,
  };
  if (url.port !== "") options.port = Number(url.port);
  if (url.username || url.password) options.auth = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return options;
};

// --- The old parser.
const SLASHED = new Set(["http", "http:", "https", "https:", "ftp", "ftp:", "gopher", "gopher:", "file", "file:", "ws", "ws:", "wss", "wss:"]);
const BARE = new Set(["javascript", "javascript:"]);
const FIELDS = ["protocol", "slashes", "auth", "host", "port", "hostname", "hash", "search", "query", "pathname", "path", "href"];
function Url() {
  for (const field of FIELDS) this[field] = null;
}
const escaped = (text) => text.replace(/[\t\n\r "'<>\\^`{|}]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`);

const takeHost = (url, rest) => {
  const end = rest.search(/[/?#]/);
  let host = end < 0 ? rest : rest.slice(0, end);
  let tail = end < 0 ? "" : rest.slice(end);
  const at = host.lastIndexOf("@");
  if (at >= 0) {
    url.auth = decodeURIComponent(host.slice(0, at));
    host = host.slice(at + 1);
  }
  const stop = host.search(/[\t\n\r "%';<>\\^`{|}]/);
  if (stop >= 0) [host, tail] = [host.slice(0, stop), host.slice(stop) + tail];
  const port = /:(\d*)$/.exec(host);
  if (port !== null) {
    if (port[1] !== "") url.port = port[1];
    host = host.slice(0, port.index);
  }
  const isAddress = host.startsWith("[") && host.endsWith("]");
  const name = host.toLowerCase();
  url.hostname = isAddress ? name.slice(1, -1) : /[^\0-\x7f]/.test(name) ? punycode.toASCII(name) : name;
  if (url.hostname.length > 255) url.hostname = "";
  url.host = (isAddress ? name : url.hostname) + (url.port === null ? "" : `:${url.port}`);
  return !isAddress && tail !== "" && !/^[/?#]/.test(tail) ? `/${tail}` : tail;
};
const parse = (text, parsesQuery = false, slashesDenoteHost = false) => {
  if (text instanceof Url) return text;
  const url = new Url();
  let rest = needsString("url", text).trim();
  const mark = rest.search(/[?#]/);
  const head = (mark < 0 ? rest : rest.slice(0, mark)).replaceAll("\\", "/");
  rest = head + (mark < 0 ? "" : rest.slice(mark));
  const protocol = /^[a-z0-9.+-]+:/i.exec(rest)?.[0].toLowerCase();
  if (protocol !== undefined) {
    url.protocol = protocol;
    rest = rest.slice(protocol.length);
  }
  const slashed = rest.startsWith("//") && (slashesDenoteHost || protocol !== undefined || /^\/\/[^@/]+@[^@/]+/.test(rest));
  if (slashed && !BARE.has(protocol)) {
    url.slashes = true;
    rest = rest.slice(2);
  }
  if (!BARE.has(protocol) && (slashed || (protocol !== undefined && !SLASHED.has(protocol)))) rest = takeHost(url, rest);
  if (!BARE.has(protocol)) rest = escaped(rest);
  const hash = rest.indexOf("#");
  if (hash >= 0) [url.hash, rest] = [rest.slice(hash), rest.slice(0, hash)];
  const query = rest.indexOf("?");
  if (query >= 0) {
    url.search = rest.slice(query);
    url.query = parsesQuery ? querystring.parse(rest.slice(query + 1)) : rest.slice(query + 1);
    rest = rest.slice(0, query);
  } else if (parsesQuery) {
    url.search = null;
    url.query = Object.create(null);
  }
  if (rest !== "") url.pathname = rest;
  if (SLASHED.has(protocol) && url.hostname && !url.pathname) url.pathname = "/";
  if (url.pathname || url.search) url.path = (url.pathname || "") + (url.search || "");
  url.href = url.format();
  return url;
};

const encodeAuth = (auth) => encodeURIComponent(auth).replace(/%3A/gi, ":");
Object.assign(Url.prototype, {
  parse(text, parsesQuery, slashesDenoteHost) {
    return Object.assign(this, parse(text, parsesQuery, slashesDenoteHost));
  },
  format() {
    const auth = this.auth ? `${encodeAuth(this.auth)}@` : "";
    let protocol = this.protocol || "";
    let pathname = this.pathname || "";
    let hash = this.hash || "";
    let host = "";
    if (this.host) host = auth + this.host;
    else if (this.hostname) {
      const isAddress = this.hostname.includes(":") && !this.hostname.startsWith("[");
      host = auth + (isAddress ? `[${this.hostname}]` : this.hostname) + (this.port ? `:${this.port}` : "");
    }
    const query = this.query !== null && typeof this.query === "object" ? querystring.stringify(this.query) : "";
    let search = this.search || (query ? `?${query}` : "");
    if (protocol && !protocol.endsWith(":")) protocol += ":";
    pathname = pathname.replace(/[?#]/g, encodeURIComponent);
    if (this.slashes || SLASHED.has(protocol)) {
      if (this.slashes || host) {
        if (pathname && !pathname.startsWith("/")) pathname = `/${pathname}`;
        host = `//${host}`;
      } else if (protocol.startsWith("file")) {
        host = "//";
      }
    }
    search = search.replaceAll("#", "%23");
    if (hash && !hash.startsWith("#")) hash = `#${hash}`;
    if (search && !search.startsWith("?")) search = `?${search}`;
    return protocol + host + pathname + search + hash;
  },
  resolve(relative) {
    return this.resolveObject(parse(relative, false, true)).format();
  },
  resolveObject(relative) {
    const target = typeof relative === "string" ? parse(relative, false, true) : relative;
    const made = Object.assign(new Url(), this);
    made.hash = target.hash;
    if (target.href === "") {
      made.href = made.format();
      return made;
    }
    return resolved(made, target);
  },
});
const merged = (base, target) => {
  if (!target.pathname) return base.pathname ?? "";
  if (target.pathname.startsWith("/")) return target.pathname;
  const from = base.pathname ?? "";
  if (from === "" && base.host) return `/${target.pathname}`;
  return from.slice(0, from.lastIndexOf("/") + 1) + target.pathname;
};
const tidy = (path, hasHost) => {
  const absolute = path.startsWith("/") || Boolean(hasHost && path);
  const parts = path.replace(/^\//, "").split("/");
  const made = [];
  for (const part of parts) {
    if (part === "..") {
      if (made.length > 0 && made.at(-1) !== "..") made.pop();
      else if (!absolute) made.push("..");
    } else if (part !== ".") {
      made.push(part);
    }
  }
  const ends = ["", ".", ".."].includes(parts.at(-1)) && made.at(-1) !== "" && made.length > 0;
  if (ends) made.push("");
  return (absolute ? "/" : "") + made.join("/");
};
const resolved = (made, target) => {
  if (target.slashes && !target.protocol) {
    const { protocol } = made;
    Object.assign(made, target, { protocol });
    if (SLASHED.has(protocol) && made.hostname && !made.pathname) made.path = made.pathname = "/";
  } else if (target.protocol && target.protocol !== made.protocol) {
    Object.assign(made, target);
    if (target.pathname && made.host) made.pathname = tidy(target.pathname, true);
  } else {
    if (target.host || target.host === "") {
      Object.assign(made, { host: target.host, hostname: target.hostname, port: target.port, auth: target.auth || (target.host ? null : made.auth) });
      made.pathname = tidy(target.pathname ?? "", made.host);
      made.search = target.search;
      made.query = target.query;
    } else if (target.pathname) {
      made.pathname = tidy(merged(made, target), made.host);
      made.search = target.search;
      made.query = target.query;
    } else if (target.search !== null && target.search !== undefined) {
      made.search = target.search;
      made.query = target.query;
    }
  }
  if (made.pathname || made.search) made.path = (made.pathname || "") + (made.search || "");
  made.slashes ||= target.slashes;
  made.href = made.format();
  return made;
};

const format = (url, options) => {
  if (typeof url === "string") return parse(url).format();
  if (typeof url !== "object" || url === null) throw wrongType("urlObject", ["Object", "string"], url);
  if (!(url instanceof URL)) return Url.prototype.format.call(url);
  const { auth = true, fragment = true, search = true, unicode = false } = options ?? {};
  const login = auth && (url.username || url.password) ? `${url.username}${url.password ? `:${url.password}` : ""}@` : "";
  const host = unicode ? punycode.toUnicode(url.host) : url.host;
  return `${url.protocol}${url.host || url.href.startsWith(`${url.protocol}//`) ? "//" : ""}${login}${host}${url.pathname}${search ? url.search : ""}${fragment ? url.hash : ""}`;
};
const resolve = (from, to) => parse(from, false, true).resolve(to);
const resolveObject = (from, to) => (from ? parse(from, false, true).resolveObject(to) : to);

export {
  domainToASCII, domainToUnicode, fileURLToPath, format, parse, pathToFileURL, resolve, resolveObject, Url, URL, URLSearchParams,
  urlToHttpOptions,
};
export default {
  Url, parse, resolve, resolveObject, format, URL, URLSearchParams, domainToASCII, domainToUnicode, pathToFileURL, fileURLToPath,
  urlToHttpOptions,
};
