/** Values that every definition is made of. */

/** Any value that JSON can hold. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A value that lives in the environment. The artifact holds the variable's name alone. */
export interface EnvRef {
  readonly $env: string;
}

/**
 * Names an environment variable, such as `env("CONCIERGE_TOKEN")`. The value is looked up where the
 * agent runs; it never enters the folder, the manifest or the artifact.
 */
export declare function env(name: string): EnvRef;

/** What an adapter's or a sandbox's options may hold. */
export interface Options {
  readonly [key: string]: Json | EnvRef | Options | readonly (Json | EnvRef | Options)[];
}

/**
 * Who may approve, answer or reject: a user's id as the channel names it, `role:` and a role,
 * `requester` for whoever sent the message, or `anyone` who can reach the conversation.
 */
export type Approver = "requester" | "anyone" | `role:${string}` | (string & {});
