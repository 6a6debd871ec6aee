/** Whether two types are the same, as the type checker sees them. */
export type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Fails to compile unless the type is `true`. */
export function same<_Holds extends true>(): void {}
