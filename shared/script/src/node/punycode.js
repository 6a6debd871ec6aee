// node:punycode: RFC 3492.
const BASE = 36;
const [T_MIN, T_MAX, SKEW, DAMP, BIAS, FIRST] = [1, 26, 38, 700, 72, 128];
const refuse = (why) => {
  throw new RangeError(why);
};
const adapt = (delta, count, first) => {
  let rest = first ? Math.floor(delta / DAMP) : delta >> 1;
  rest += Math.floor(rest / count);
  let k = 0;
  for (; rest > ((BASE - T_MIN) * T_MAX) >> 1; k += BASE) rest = Math.floor(rest / (BASE - T_MIN));
  return Math.floor(k + ((BASE - T_MIN + 1) * rest) / (rest + SKEW));
};
const threshold = (k, bias) => Math.min(Math.max(k - bias, T_MIN), T_MAX);
const digitOf = (unit) => {
  if (unit >= 48 && unit < 58) return unit - 22;
  if (unit >= 65 && unit < 91) return unit - 65;
  return unit >= 97 && unit < 123 ? unit - 97 : BASE;
};

const decode = (input) => {
  const at = Math.max(input.lastIndexOf("-"), 0);
  const points = [...input.slice(0, at)].map((letter) => {
    const point = letter.codePointAt(0);
    return point >= FIRST ? refuse("Illegal input >= 0x80 (not a basic code point)") : point;
  });
  let [n, i, bias] = [FIRST, 0, BIAS];
  for (let index = at > 0 ? at + 1 : 0; index < input.length; ) {
    const before = i;
    for (let weight = 1, k = BASE; ; k += BASE) {
      if (index >= input.length) refuse("Invalid input");
      const digit = digitOf(input.charCodeAt(index));
      index += 1;
      if (digit >= BASE) refuse("Invalid input");
      i += digit * weight;
      const t = threshold(k, bias);
      if (digit < t) break;
      weight *= BASE - t;
    }
    bias = adapt(i - before, points.length + 1, before === 0);
    n += Math.floor(i / (points.length + 1));
    if (n > 0x10ffff) refuse("Overflow: input needs wider integers to process");
    i %= points.length + 1;
    points.splice(i, 0, n);
    i += 1;
  }
  return String.fromCodePoint(...points);
};
const letterOf = (digit) => String.fromCharCode(digit + (digit < 26 ? 97 : 22));
const encode = (input) => {
  const points = [...input].map((letter) => letter.codePointAt(0));
  let made = points.filter((point) => point < FIRST).map((point) => String.fromCharCode(point)).join("");
  const basic = made.length;
  let handled = basic;
  if (basic > 0) made += "-";
  let [n, delta, bias] = [FIRST, 0, BIAS];
  while (handled < points.length) {
    const next = Math.min(...points.filter((point) => point >= n));
    delta += (next - n) * (handled + 1);
    n = next;
    for (const point of points) {
      if (point < n) delta += 1;
      if (point !== n) continue;
      let rest = delta;
      for (let k = BASE; ; k += BASE) {
        const t = threshold(k, bias);
        if (rest < t) break;
        made += letterOf(t + ((rest - t) % (BASE - t)));
        rest = Math.floor((rest - t) / (BASE - t));
      }
      made += letterOf(rest);
      bias = adapt(delta, handled + 1, handled === basic);
      delta = 0;
      handled += 1;
    }
    delta += 1;
    n += 1;
  }
  return made;
};
const labels = (domain, change) => {
  const at = domain.indexOf("@");
  const [user, host] = at < 0 ? ["", domain] : [domain.slice(0, at + 1), domain.slice(at + 1)];
  return user + host.replace(/[\u3002\uff0e\uff61]/g, ".").split(".").map(change).join(".");
};
const toUnicode = (domain) => labels(domain, (label) => (/^xn--/.test(label) ? decode(label.slice(4).toLowerCase()) : label));
const toASCII = (domain) => labels(domain, (label) => (/[^\0-\x7f]/.test(label) ? `xn--${encode(label)}` : label));
const ucs2 = {
  decode: (text) => Array.from(text, (letter) => letter.codePointAt(0)),
  encode: (points) => String.fromCodePoint(...points),
};
const version = "2.1.0";

export { decode, encode, toASCII, toUnicode, ucs2, version };
export default { version, ucs2, decode, encode, toASCII, toUnicode };
