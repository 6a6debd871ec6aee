/** `context.ts`: what a turn's request is made of. This version records it and uses the default. */

/** How much of the conversation enters a request. */
export interface RecentHistory {
  /** Most messages. Default: 20. */
  readonly maxMessages?: number;
  /** Most bytes of text. Default: 32768. */
  readonly maxBytes?: number;
}

/** What can be said about the default context. */
export interface DefaultContextOptions {
  /** How much of the conversation enters a request. */
  readonly recentHistory?: RecentHistory;
}

/** The context every agent has unless it says otherwise. */
export interface DefaultContext extends DefaultContextOptions {
  readonly kind: "default";
}

/** A context of the folder's own. */
export interface CustomContext {
  readonly kind: "custom";
  /** Its name, as runs and the manifest show it. */
  readonly name: string;
  /** What it is made from. */
  readonly extends: Context;
}

/** What a turn's request is made of. */
export type Context = DefaultContext | CustomContext;

/**
 * The default context: instructions, the event, recent history, the shape of memory and files, the
 * index of skills and tools.
 */
export declare function defaultContext(options?: DefaultContextOptions): DefaultContext;

/** Defines a context. An export of `context.ts`. */
export declare function defineContext(context: CustomContext): CustomContext;
