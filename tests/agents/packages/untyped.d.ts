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
