/** `channels/<name>.ts`: a way to reach the agent. */

import type { Approver, EnvRef } from "./values.js";

/** Asks callers for a bearer token. */
export interface BearerAuth {
  /** The variable that holds the token. */
  readonly bearer: EnvRef;
}

/** Asks callers for the bearer token that an environment variable holds: `bearer(env("TOKEN"))`. */
export declare function bearer(token: EnvRef): BearerAuth;

/** Where replies are posted, as signed Standard Webhooks. */
export interface Reply {
  /** The receiver's URL. */
  readonly url: EnvRef;
  /** The secret that signs every reply. Without it replies are not signed. */
  readonly secret?: EnvRef;
}

/** A way to reach the agent. The file's name is the channel's name. */
export interface Channel {
  /** How it is reached. Default: `http`. */
  readonly transport?: "http";
  /**
   * A path such as `/message`: letters, digits, `/`, `-`, `_`, `.` and `~`. Not below `/openeve`,
   * `/runs`, `/health`, `/readyz`, `/manifest` or `/routes`, which the host serves itself.
   */
  readonly route: `/${string}`;
  /** Default: `["POST"]`. */
  readonly methods?: readonly ("GET" | "POST" | "PUT" | "PATCH" | "DELETE")[];
  /** Who may call it. Without it the channel is open in development and closed elsewhere. */
  readonly auth?: BearerAuth;
  /** Where replies are posted. Without it they stay on the run, to be read there. */
  readonly reply?: Reply;
  /** Who may decide what waits in its conversations, unless the tool says so. Default: `requester`. */
  readonly approvers?: readonly Approver[];
  /** Whether an answer that is only the token `NO_REPLY` means silence. Default: `false`. */
  readonly judgedReplies?: boolean;
}

/** Defines a channel. The default export of `channels/<name>.ts`. */
export declare function defineChannel(channel: Channel): Channel;
