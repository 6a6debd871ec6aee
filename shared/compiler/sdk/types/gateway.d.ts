/** `gateway.ts`: the stack, slot by slot. */

import type { Options } from "./values.js";

/** An adapter, chosen by its kind. */
export interface Adapter<Kind extends string = string> {
  readonly kind: Kind;
  readonly options?: Options | undefined;
}

/**
 * Chooses an adapter for a slot of the gateway, such as `adapter("postgres")`.
 *
 * @param options Settings of the adapter. Secrets are named with `env`, never written out.
 */
export declare function adapter<const Kind extends string>(kind: Kind, options?: Options): Adapter<Kind>;

/** The same as `adapter("railway")`, for the slot `deploy`. */
export declare function railwayDeploy(options?: Options): Adapter<"railway">;

/** The same as `adapter("postgres")`, for the slot `state`. */
export declare function neonPostgres(options?: Options): Adapter<"postgres">;

/** The same as `adapter("r2")`, for the slot `blob`. */
export declare function r2Blob(options?: Options): Adapter<"r2">;

/** The same as `adapter("docker")`, for the slot `sandbox`. */
export declare function dockerSandbox(options?: Options): Adapter<"docker">;

/** The same as `adapter("docker")`, for the slot `deploy`. */
export declare function dockerDeploy(options?: Options): Adapter<"docker">;

/** The same as `adapter("fly")`, for the slot `deploy`. */
export declare function flyDeploy(options?: Options): Adapter<"fly">;

/** The same as `adapter("postgres")`, for the slot `state`. */
export declare function supabasePostgres(options?: Options): Adapter<"postgres">;

/** The same as `adapter("postgres")`, for the slot `state`. */
export declare function localPostgres(options?: Options): Adapter<"postgres">;

/** The same as `adapter("s3")`, for the slot `blob`. */
export declare function s3Blob(options?: Options): Adapter<"s3">;

/** The same as `adapter("s3")`, for the slot `blob`: MinIO speaks its protocol. */
export declare function minioBlob(options?: Options): Adapter<"s3">;

/** The same as `adapter("daytona")`, for the slot `sandbox`. */
export declare function daytonaSandbox(options?: Options): Adapter<"daytona">;

/** The same as `adapter("e2b")`, for the slot `sandbox`. */
export declare function e2bSandbox(options?: Options): Adapter<"e2b">;

/** The same as `adapter("modal")`, for the slot `sandbox`. */
export declare function modalSandbox(options?: Options): Adapter<"modal">;

/** Every kind of sandbox. `justbash` is another name of `virtual`. */
export type SandboxKind =
  | "virtual"
  | "docker"
  | "local"
  | "e2b"
  | "daytona"
  | "modal"
  | "vercel"
  | "microsandbox"
  | "justbash";

/** The stack, slot by slot. No slot forces another. */
export interface Gateway {
  /** Where the agent is deployed. */
  readonly deploy?: Adapter<"lambda" | "docker" | "railway" | "fly" | "local">;
  /** What hosts the runtime: five functions on Lambda, or one process. */
  readonly runtime?: Adapter<"lambda" | "node">;
  /** Where durable state lives. Every Postgres is `postgres`, whoever runs it. */
  readonly state?: Adapter<"postgres">;
  /** Where large things live. `folder` is for development. */
  readonly blob?: Adapter<"s3" | "r2" | "folder">;
  /**
   * The agent's computer. Default: `virtual`, a shell and a file system inside of the process without
   * access to the host. `local` is for trusted development alone.
   */
  readonly sandbox?: Adapter<SandboxKind>;
  /** What makes schedules fire: a cloud's clock (`gateway`), or a loop of the host. */
  readonly scheduler?: Adapter<"gateway" | "local" | "postgres">;
}

/** Defines the stack. The default export of `gateway.ts`. */
export declare function defineGateway(gateway: Gateway): Gateway;
