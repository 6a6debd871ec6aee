/**
 * The globals that a tool has besides those of the language. The `tsconfig.json` beside it includes it,
 * with `"lib": ["ES2023"]`; it takes the place of the browser's and Node's types, which promise more
 * than there is.
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

  /** What is sent as a body. A stream is read whole before the request leaves. */
  type BodyInit = string | ArrayBuffer | ArrayBufferView | URLSearchParams | FormData | Blob | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

  interface RequestInit {
    method?: string;
    headers?: HeadersInit;
    body?: BodyInit | null;
    signal?: AbortSignal | null;
    /** Default: `follow`. */
    redirect?: "follow" | "error" | "manual";
    /** Taken and without effect: there is no cache, no cookie jar and no page. */
    cache?: string;
    credentials?: string;
    mode?: string;
    keepalive?: boolean;
    duplex?: "half";
  }

  /** Sends a request. The answer's body comes in pieces, read a little ahead of the tool. */
  function fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;

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

  interface Body {
    readonly body: ReadableStream<Uint8Array> | null;
    readonly bodyUsed: boolean;
    json(): Promise<any>;
    text(): Promise<string>;
    bytes(): Promise<Uint8Array>;
    arrayBuffer(): Promise<ArrayBuffer>;
    blob(): Promise<Blob>;
    formData(): Promise<FormData>;
  }

  interface Response extends Body {}
  class Response {
    constructor(body?: BodyInit | null, init?: ResponseInit);
    static json(data: unknown, init?: ResponseInit): Response;
    static error(): Response;
    static redirect(url: string | URL, status?: number): Response;
    readonly ok: boolean;
    readonly status: number;
    readonly statusText: string;
    readonly headers: Headers;
    readonly type: "basic" | "default" | "error";
    readonly url: string;
    /** Always false: whether a redirect was followed is not told. */
    readonly redirected: boolean;
    clone(): Response;
  }

  interface Request extends Body {}
  class Request {
    constructor(input: string | URL | Request, init?: RequestInit);
    readonly method: string;
    readonly url: string;
    readonly headers: Headers;
    readonly signal: AbortSignal;
    readonly redirect: "follow" | "error" | "manual";
    readonly cache: string;
    readonly credentials: string;
    readonly mode: string;
    readonly keepalive: boolean;
    clone(): Request;
  }

  interface BlobPropertyBag {
    type?: string;
    endings?: "transparent" | "native";
  }
  class Blob {
    constructor(parts?: Iterable<string | ArrayBuffer | ArrayBufferView | Blob>, options?: BlobPropertyBag);
    readonly size: number;
    readonly type: string;
    slice(start?: number, end?: number, type?: string): Blob;
    bytes(): Promise<Uint8Array>;
    arrayBuffer(): Promise<ArrayBuffer>;
    text(): Promise<string>;
    stream(): ReadableStream<Uint8Array>;
  }
  class File extends Blob {
    constructor(parts: Iterable<string | ArrayBuffer | ArrayBufferView | Blob>, name: string, options?: BlobPropertyBag & { lastModified?: number });
    readonly name: string;
    readonly lastModified: number;
  }

  class FormData {
    append(name: string, value: string | Blob, filename?: string): void;
    set(name: string, value: string | Blob, filename?: string): void;
    delete(name: string): void;
    get(name: string): File | string | null;
    getAll(name: string): (File | string)[];
    has(name: string): boolean;
    forEach(callback: (value: File | string, name: string, form: FormData) => void): void;
    entries(): IterableIterator<[string, File | string]>;
    keys(): IterableIterator<string>;
    values(): IterableIterator<File | string>;
    [Symbol.iterator](): IterableIterator<[string, File | string]>;
  }

  interface QueuingStrategy<Chunk = any> {
    highWaterMark?: number;
    size?(chunk: Chunk): number;
  }
  class CountQueuingStrategy implements QueuingStrategy {
    constructor(init: { highWaterMark: number });
    readonly highWaterMark: number;
    size(chunk?: any): number;
  }
  class ByteLengthQueuingStrategy implements QueuingStrategy<ArrayBufferView> {
    constructor(init: { highWaterMark: number });
    readonly highWaterMark: number;
    size(chunk: ArrayBufferView): number;
  }

  interface ReadableStreamController<Chunk> {
    readonly desiredSize: number | null;
    enqueue(chunk: Chunk): void;
    close(): void;
    error(reason?: unknown): void;
  }
  interface UnderlyingSource<Chunk> {
    /** `bytes` for a stream of bytes, whose readers may bring their own buffer. */
    type?: "bytes";
    start?(controller: ReadableStreamController<Chunk>): unknown;
    pull?(controller: ReadableStreamController<Chunk>): void | PromiseLike<void>;
    cancel?(reason?: unknown): void | PromiseLike<void>;
  }
  type ReadResult<Chunk> = { readonly done: false; readonly value: Chunk } | { readonly done: true; readonly value: Chunk | undefined };
  interface ReadableStreamDefaultReader<Chunk = any> {
    readonly closed: Promise<void>;
    read(): Promise<ReadResult<Chunk>>;
    cancel(reason?: unknown): Promise<void>;
    releaseLock(): void;
  }
  interface ReadableStreamBYOBReader {
    readonly closed: Promise<void>;
    read<View extends ArrayBufferView>(view: View): Promise<ReadResult<View>>;
    cancel(reason?: unknown): Promise<void>;
    releaseLock(): void;
  }
  interface PipeOptions {
    preventClose?: boolean;
    preventAbort?: boolean;
    preventCancel?: boolean;
    signal?: AbortSignal;
  }
  class ReadableStream<Chunk = any> implements AsyncIterable<Chunk> {
    constructor(source?: UnderlyingSource<Chunk>, strategy?: QueuingStrategy<Chunk>);
    static from<Chunk>(iterable: Iterable<Chunk> | AsyncIterable<Chunk>): ReadableStream<Chunk>;
    readonly locked: boolean;
    cancel(reason?: unknown): Promise<void>;
    getReader(): ReadableStreamDefaultReader<Chunk>;
    getReader(options: { mode: "byob" }): ReadableStreamBYOBReader;
    tee(): [ReadableStream<Chunk>, ReadableStream<Chunk>];
    pipeTo(target: WritableStream<Chunk>, options?: PipeOptions): Promise<void>;
    pipeThrough<Other>(pair: { readonly writable: WritableStream<Chunk>; readonly readable: ReadableStream<Other> }, options?: PipeOptions): ReadableStream<Other>;
    values(options?: { preventCancel?: boolean }): AsyncIterableIterator<Chunk>;
    [Symbol.asyncIterator](options?: { preventCancel?: boolean }): AsyncIterableIterator<Chunk>;
  }

  interface WritableStreamDefaultController {
    readonly signal: AbortSignal;
    error(reason?: unknown): void;
  }
  interface UnderlyingSink<Chunk> {
    start?(controller: WritableStreamDefaultController): unknown;
    write?(chunk: Chunk, controller: WritableStreamDefaultController): void | PromiseLike<void>;
    close?(): void | PromiseLike<void>;
    abort?(reason?: unknown): void | PromiseLike<void>;
  }
  interface WritableStreamDefaultWriter<Chunk = any> {
    readonly closed: Promise<void>;
    readonly ready: Promise<void>;
    readonly desiredSize: number | null;
    write(chunk: Chunk): Promise<void>;
    close(): Promise<void>;
    abort(reason?: unknown): Promise<void>;
    releaseLock(): void;
  }
  class WritableStream<Chunk = any> {
    constructor(sink?: UnderlyingSink<Chunk>, strategy?: QueuingStrategy<Chunk>);
    readonly locked: boolean;
    getWriter(): WritableStreamDefaultWriter<Chunk>;
    close(): Promise<void>;
    abort(reason?: unknown): Promise<void>;
  }

  interface TransformStreamDefaultController<Chunk> {
    readonly desiredSize: number | null;
    enqueue(chunk: Chunk): void;
    error(reason?: unknown): void;
    terminate(): void;
  }
  interface Transformer<From, To> {
    start?(controller: TransformStreamDefaultController<To>): unknown;
    transform?(chunk: From, controller: TransformStreamDefaultController<To>): void | PromiseLike<void>;
    flush?(controller: TransformStreamDefaultController<To>): void | PromiseLike<void>;
    cancel?(reason?: unknown): void | PromiseLike<void>;
  }
  class TransformStream<From = any, To = any> {
    constructor(transformer?: Transformer<From, To>, writableStrategy?: QueuingStrategy<From>, readableStrategy?: QueuingStrategy<To>);
    readonly readable: ReadableStream<To>;
    readonly writable: WritableStream<From>;
  }
  class TextEncoderStream {
    readonly encoding: "utf-8";
    readonly readable: ReadableStream<Uint8Array>;
    readonly writable: WritableStream<string>;
  }
  class TextDecoderStream {
    constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
    readonly encoding: string;
    readonly readable: ReadableStream<string>;
    readonly writable: WritableStream<ArrayBuffer | ArrayBufferView>;
  }

  interface EventInit {
    bubbles?: boolean;
    cancelable?: boolean;
    composed?: boolean;
  }
  class Event {
    constructor(type: string, init?: EventInit);
    readonly type: string;
    readonly target: EventTarget | null;
    readonly currentTarget: EventTarget | null;
    readonly cancelable: boolean;
    readonly defaultPrevented: boolean;
    readonly timeStamp: number;
    preventDefault(): void;
    stopPropagation(): void;
    stopImmediatePropagation(): void;
  }
  class CustomEvent<Detail = any> extends Event {
    constructor(type: string, init?: EventInit & { detail?: Detail });
    readonly detail: Detail;
  }
  type EventListenerOrObject = ((event: Event) => void) | { handleEvent(event: Event): void };
  class EventTarget {
    addEventListener(type: string, listener: EventListenerOrObject | null, options?: boolean | { once?: boolean; passive?: boolean; capture?: boolean; signal?: AbortSignal }): void;
    removeEventListener(type: string, listener: EventListenerOrObject | null, options?: boolean | { capture?: boolean }): void;
    dispatchEvent(event: Event): boolean;
  }

  class AbortSignal extends EventTarget {
    private constructor();
    readonly aborted: boolean;
    readonly reason: any;
    onabort: ((event: Event) => void) | null;
    throwIfAborted(): void;
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
    /** UTF-8, UTF-16 in both orders and windows-1252, under their usual labels. */
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
