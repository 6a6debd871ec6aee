/** Packages that ship no types of their own. */
declare module "lodash-es" {
  export function chunk<T>(list: readonly T[], size: number): T[][];
  export function groupBy<T>(list: readonly T[], key: string): Record<string, T[]>;
  export function debounce(call: () => void, ms: number): () => void;
}
declare module "ms" {
  export default function ms(text: string): number;
  export default function ms(milliseconds: number, options?: { long?: boolean }): string;
}
declare module "jsonwebtoken" {
  type Claims = { who?: string };
  const jwt: {
    sign(claims: Claims, key: unknown, options?: { algorithm?: string; expiresIn?: string }): string;
    verify(token: string, key: unknown): Claims;
  };
  export default jwt;
}
/** What these tools use of Node's modules. */
declare module "node:buffer" {
  export const Buffer: { from(text: string, encoding: string): Uint8Array };
}
declare module "node:crypto" {
  export function createPublicKey(key: unknown): unknown;
  export function generateKeyPairSync(type: string, options: { namedCurve: string }): { privateKey: unknown };
}
declare module "node:stream" {
  export class Readable {
    static from(items: Iterable<unknown>): Readable;
    pipe(target: unknown): AsyncIterable<{ a: string; b: string }>;
  }
  export class Writable {
    constructor(options: { write(chunk: unknown, encoding: string, done: () => void): void });
  }
}
