/**
 * The globals that a tool has besides those of the language. Name it in `tsconfig.json`:
 * `"types": ["@openeve/core/globals"]`, with `"lib": ["ES2023"]`. It takes the place of the browser's
 * and Node's types, which promise more than there is.
 */

export {};

declare global {
  /** The variables that the folder names, and no others. */
  const process: { readonly env: { readonly [name: string]: string | undefined } };

  /** Lines in the log. Values of the folder's variables are cut out. */
  const console: {
    log(...values: unknown[]): void;
    info(...values: unknown[]): void;
    warn(...values: unknown[]): void;
    error(...values: unknown[]): void;
    debug(...values: unknown[]): void;
    trace(...values: unknown[]): void;
  };

  function setTimeout<Arguments extends unknown[]>(
    callback: (...values: Arguments) => void,
    delay?: number,
    ...values: Arguments
  ): number;
  function setInterval<Arguments extends unknown[]>(
    callback: (...values: Arguments) => void,
    delay?: number,
    ...values: Arguments
  ): number;
  function clearTimeout(id?: number): void;
  function clearInterval(id?: number): void;
  function queueMicrotask(callback: () => void): void;

  /** A copy, with cycles and sharing. Functions cannot be copied. */
  function structuredClone<Value>(value: Value): Value;
  function atob(text: string): string;
  function btoa(text: string): string;

  /** Milliseconds since the call began. */
  const performance: { now(): number };

  /** A key whose bytes scripts do not see, unless it may be exported. */
  interface CryptoKey {
    readonly type: "public" | "private" | "secret";
    readonly extractable: boolean;
    readonly algorithm: { readonly name: string; readonly hash?: { readonly name: string }; readonly namedCurve?: string; readonly length?: number };
    readonly usages: readonly KeyUsage[];
  }
  const CryptoKey: { readonly prototype: CryptoKey };
  type KeyUsage = "sign" | "verify" | "encrypt" | "decrypt";
  type KeyFormat = "raw" | "spki" | "pkcs8" | "jwk";
  type Bytes = ArrayBuffer | ArrayBufferView;
  /** `HMAC`, `AES-GCM`, `Ed25519`, `ECDSA` with P-256 or P-384, `RSASSA-PKCS1-v1_5`, `RSA-PSS`. */
  type KeyAlgorithm = string | { name: string; hash?: string | { name: string }; namedCurve?: string; length?: number; saltLength?: number; iv?: Bytes; additionalData?: Bytes; tagLength?: number };

  const crypto: {
    /** Web Cryptography, as far as the engine has it; what it lacks is a `NotSupportedError`. */
    readonly subtle: {
      digest(algorithm: string | { name: string }, data: Bytes): Promise<ArrayBuffer>;
      importKey(format: KeyFormat, data: Bytes | object, algorithm: KeyAlgorithm, extractable: boolean, usages: readonly KeyUsage[]): Promise<CryptoKey>;
      exportKey(format: "jwk", key: CryptoKey): Promise<{ [name: string]: unknown }>;
      exportKey(format: Exclude<KeyFormat, "jwk">, key: CryptoKey): Promise<ArrayBuffer>;
      generateKey(algorithm: KeyAlgorithm, extractable: boolean, usages: readonly KeyUsage[]): Promise<CryptoKey & { readonly privateKey: CryptoKey; readonly publicKey: CryptoKey }>;
      sign(algorithm: KeyAlgorithm, key: CryptoKey, data: Bytes): Promise<ArrayBuffer>;
      verify(algorithm: KeyAlgorithm, key: CryptoKey, signature: Bytes, data: Bytes): Promise<boolean>;
      encrypt(algorithm: KeyAlgorithm, key: CryptoKey, data: Bytes): Promise<ArrayBuffer>;
      decrypt(algorithm: KeyAlgorithm, key: CryptoKey, data: Bytes): Promise<ArrayBuffer>;
    };
    randomUUID(): `${string}-${string}-${string}-${string}-${string}`;
    /** Fills at most 65,536 bytes. */
    getRandomValues<View extends Int8Array | Uint8Array | Uint8ClampedArray | Int16Array | Uint16Array | Int32Array | Uint32Array | BigInt64Array | BigUint64Array>(array: View): View;
  };

  /** What `fetch` sends as a body: it is whole, not a stream. */
  type BodyInit = string | ArrayBuffer | ArrayBufferView | URLSearchParams;

  interface RequestInit {
    method?: string;
    headers?: HeadersInit;
    body?: BodyInit | null;
    signal?: AbortSignal | null;
    /** Default: `follow`. */
    redirect?: "follow" | "error" | "manual";
  }

  /** Sends a request. Bodies are whole: neither side streams. */
  function fetch(input: string | URL, init?: RequestInit): Promise<Response>;

  type HeadersInit = Headers | Iterable<readonly [string, string]> | { readonly [name: string]: string };

  class Headers {
    constructor(init?: HeadersInit | null);
    append(name: string, value: string): void;
    delete(name: string): void;
    get(name: string): string | null;
    getSetCookie(): string[];
    has(name: string): boolean;
    set(name: string, value: string): void;
    forEach(callback: (value: string, name: string, headers: Headers) => void): void;
    entries(): IterableIterator<[string, string]>;
    keys(): IterableIterator<string>;
    values(): IterableIterator<string>;
    [Symbol.iterator](): IterableIterator<[string, string]>;
  }

  interface ResponseInit {
    status?: number;
    statusText?: string;
    headers?: HeadersInit;
  }

  class Response {
    constructor(body?: BodyInit | null, init?: ResponseInit);
    static json(data: unknown, init?: ResponseInit): Response;
    readonly ok: boolean;
    readonly status: number;
    readonly statusText: string;
    readonly headers: Headers;
    readonly url: string;
    readonly redirected: boolean;
    readonly bodyUsed: boolean;
    json(): Promise<any>;
    text(): Promise<string>;
    bytes(): Promise<Uint8Array>;
    arrayBuffer(): Promise<ArrayBuffer>;
    clone(): Response;
  }

  class AbortSignal {
    private constructor();
    readonly aborted: boolean;
    readonly reason: any;
    throwIfAborted(): void;
    addEventListener(type: "abort", listener: () => void, options?: { once?: boolean }): void;
    removeEventListener(type: "abort", listener: () => void): void;
    static abort(reason?: unknown): AbortSignal;
    static any(signals: Iterable<AbortSignal>): AbortSignal;
    /** Aborts after so many milliseconds. */
    static timeout(ms: number): AbortSignal;
  }

  class AbortController {
    readonly signal: AbortSignal;
    abort(reason?: unknown): void;
  }

  class TextEncoder {
    readonly encoding: "utf-8";
    encode(text?: string): Uint8Array;
    encodeInto(text: string, target: Uint8Array): { read: number; written: number };
  }

  class TextDecoder {
    /** Only `utf-8` can be decoded. */
    constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
    readonly encoding: string;
    readonly fatal: boolean;
    readonly ignoreBOM: boolean;
    decode(source?: ArrayBuffer | ArrayBufferView, options?: { stream?: boolean }): string;
  }

  class URL {
    constructor(url: string | URL, base?: string | URL);
    static canParse(url: string | URL, base?: string | URL): boolean;
    static parse(url: string | URL, base?: string | URL): URL | null;
    href: string;
    protocol: string;
    username: string;
    password: string;
    host: string;
    hostname: string;
    port: string;
    pathname: string;
    search: string;
    hash: string;
    readonly origin: string;
    readonly searchParams: URLSearchParams;
    toString(): string;
    toJSON(): string;
  }

  class URLSearchParams {
    constructor(init?: string | URLSearchParams | Iterable<readonly [string, string]> | { readonly [name: string]: string });
    readonly size: number;
    append(name: string, value: string): void;
    delete(name: string, value?: string): void;
    get(name: string): string | null;
    getAll(name: string): string[];
    has(name: string, value?: string): boolean;
    set(name: string, value: string): void;
    sort(): void;
    forEach(callback: (value: string, name: string, params: URLSearchParams) => void): void;
    entries(): IterableIterator<[string, string]>;
    keys(): IterableIterator<string>;
    values(): IterableIterator<string>;
    [Symbol.iterator](): IterableIterator<[string, string]>;
    toString(): string;
  }

  class DOMException extends Error {
    constructor(message?: string, name?: string);
    readonly code: number;
  }
}
