/**
 * `connections/<name>.ts`: services whose operations become tools. This version records them, bundles
 * their code and runs none of it yet.
 */

import type { BearerAuth } from "./channel.js";
import type { Approval, ApprovalPredicate } from "./tool.js";
import type { EnvRef } from "./values.js";

/** Which of a service's operations may be found: exactly one of the two lists. */
export type OperationFilter =
  | { readonly allow: readonly string[]; readonly block?: never }
  | { readonly block: readonly string[]; readonly allow?: never };

/** A grant that a person gives in a browser. Tokens stay in the encrypted store of grants. */
export interface OAuth {
  readonly oauth: {
    /** Where the person is sent to consent. */
    readonly authorizeUrl: string;
    /** Where the code is exchanged for a token. */
    readonly tokenUrl: string;
    /** The variable with the client's id. */
    readonly clientId: EnvRef;
    /** The variable with the client's secret. */
    readonly clientSecret?: EnvRef;
  };
}

/** What a function that gives tokens is given. */
export interface TokenContext {
  /** The connection's name. */
  readonly connection: string;
  /** Whose access is asked for; absent for the agent's own. */
  readonly requester?: string;
  /** What is asked of the service. */
  readonly scopes: readonly string[];
}

/** A token, and when it ends. */
export interface Token {
  readonly token: string;
  /** In milliseconds since 1970. Without it the token is asked for again each time. */
  readonly expiresAt?: number;
}

/** A token that code of the folder gives, such as from a service of one's own. */
export interface TokenAuth {
  getToken(ctx: TokenContext): string | Token | Promise<string | Token>;
}

/** One operation of a service, as it describes itself. */
export interface OperationDescription {
  readonly name: string;
  readonly description?: string;
}

/** Decides about each operation whether it may be found. */
export type OperationPredicate = (operation: OperationDescription) => boolean;

/** What every connection says. */
export interface ConnectionBase {
  /** What the service is for: what the model reads to decide whether to search it. */
  readonly description: string;
  /** What the agent needs the service for, such as `issues:read`. */
  readonly capabilities?: readonly string[];
  /** What is asked of the service when access is granted. */
  readonly scopes?: readonly string[];
  /** Whose access is used: the agent's own, or that of whoever the turn is for. Default: `agent`. */
  readonly subject?: "agent" | "requester";
  /** Whether the agent refuses to start without it. Default: `false`. */
  readonly required?: boolean;
  /** How the agent proves who it is. Secrets are named with `env`, never written out. */
  readonly auth?: BearerAuth | OAuth | TokenAuth;
  /** Headers of every request, such as `{ "x-api-key": env("SERVICE_KEY") }`. */
  readonly headers?: { readonly [name: string]: string | EnvRef };
  /** Words under which its operations are found. */
  readonly tags?: readonly string[];
  /** Whether a person must approve a call of one of its operations. Default: never. */
  readonly needsApproval?: boolean | Approval | ApprovalPredicate;
}

/** A server of the Model Context Protocol, over Streamable HTTP. */
export interface McpConnection extends ConnectionBase {
  readonly kind: "mcp";
  /** The server's endpoint. */
  readonly url: string | EnvRef;
  /** Which of its tools may be found. Default: all. */
  readonly tools?: OperationFilter | OperationPredicate;
}

/** An HTTP service with an OpenAPI description: every operation becomes a tool. */
export interface OpenApiConnection extends ConnectionBase {
  readonly kind: "openapi";
  /** Where the description is: a URL, or a path in the folder. */
  readonly spec: string | EnvRef;
  /** Where the service is, if the description does not say. */
  readonly baseUrl?: string | EnvRef;
  /** Which operations may be found, by their `operationId`. Default: all. */
  readonly operations?: OperationFilter | OperationPredicate;
}

/** An HTTP service without a description: tools and channels get a handle that sends requests. */
export interface HttpConnection extends ConnectionBase {
  readonly kind: "http";
  /** Where the service is. */
  readonly baseUrl: string | EnvRef;
}

/** A service that the agent may use. The file's name is the connection's name. */
export type Connection = McpConnection | OpenApiConnection | HttpConnection;

/** Defines a connection. The default export of `connections/<name>.ts`. */
export declare function defineConnection(connection: Connection): Connection;
