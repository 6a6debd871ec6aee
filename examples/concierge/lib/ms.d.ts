/** The part of the package `ms` that the tools use; it ships no types of its own. */
declare module "ms" {
  export default function ms(milliseconds: number, options?: { long?: boolean }): string;
}
