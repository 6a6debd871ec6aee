/**
 * `sandbox.ts` or `sandbox/sandbox.ts`: the agent's computer, or a subagent's. This version records it,
 * bundles its code and runs none of it yet.
 */

import type { Adapter, SandboxKind } from "./gateway.js";
import type { EnvRef, Options } from "./values.js";

/** When a checkpoint of the computer is kept. */
export interface SnapshotPolicy {
  /**
   * `never`, the default; `manual`: when the run's metadata asks for it; `on_failure`: when the run
   * failed; `always`: after every run, for debugging alone.
   */
  readonly mode?: "never" | "manual" | "on_failure" | "always";
  /** How many are kept, the newest ones. */
  readonly retainLast?: number;
  /** Why, for whoever looks at them. */
  readonly reason?: string;
}

/** What a command said. A non-zero exit code throws nothing. */
export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A computer that is running. Paths that are not absolute begin at `/workspace`. */
export interface SandboxSession {
  /** Runs a command in a shell and waits for its end. */
  run(command: {
    readonly command: string;
    readonly env?: { readonly [name: string]: string };
    readonly workingDirectory?: string;
  }): Promise<CommandResult>;
  /** A file's text. */
  readTextFile(file: { readonly path: string }): Promise<string>;
  /** Writes a file, with the folders above it. */
  writeTextFile(file: { readonly path: string; readonly content: string }): Promise<void>;
}

/** Which session a computer is for. */
export interface SessionContext {
  readonly session: {
    readonly id: string;
    /** Who the turn is for, as the channel says. */
    readonly auth: { readonly requester: string | null; readonly roles: readonly string[] };
  };
  readonly turn: { readonly id: string };
}

/** What `bootstrap` is given. */
export interface BootstrapInput {
  /** Opens the computer that the template is made from. */
  use(options?: Options): Promise<SandboxSession>;
}

/** What `onSession` is given. */
export interface SessionInput {
  readonly ctx: SessionContext;
  /** Opens the live computer of the current turn. */
  use(options?: Options): Promise<SandboxSession>;
}

/** What every sandbox says. */
export interface SandboxBase {
  /** For people and catalogues. */
  readonly description?: string;
  /** The image it starts from, such as `node:22`. */
  readonly image?: string;
  /** The provider's region, such as `iad1`. A provider that cannot honour it refuses to start. */
  readonly region?: string;
  /** Variables of its environment. */
  readonly env?: { readonly [name: string]: string | EnvRef };
  /** How long a session may live, in milliseconds. */
  readonly timeout?: number;
  /** How long the provider keeps a session's own snapshot, in milliseconds. */
  readonly snapshotExpiration?: number;
  /** How many snapshots of a session the provider keeps. */
  readonly keepLastSnapshots?: { readonly count: number; readonly deleteEvicted?: boolean };
  /** When a checkpoint of the computer is kept. Default: never. */
  readonly snapshot?: SnapshotPolicy;
  /** Whether a provider that can keeps a conversation's computer as it is. Default: `false`. */
  readonly persist?: boolean;
  /** Runs once for each live computer before it is used, such as to write the session's settings. */
  onSession?(input: SessionInput): void | Promise<void>;
}

/** What runs the sandbox, said once. */
export type SandboxBackend =
  | {
      /** What runs it. Default: what `gateway.ts` says, else `virtual`. */
      readonly adapter?: SandboxKind;
      readonly backend?: never;
    }
  | {
      readonly adapter?: never;
      /** The same with options, or a function that makes it when it is first needed. */
      readonly backend: Adapter<SandboxKind> | (() => Adapter<SandboxKind>);
    };

/** A sandbox with a template: what `bootstrap` did is there in every new computer. */
export interface SandboxWithBootstrap extends SandboxBase {
  /** Prepares the template. It runs once for each template, not for each session. */
  bootstrap(input: BootstrapInput): void | Promise<void>;
  /**
   * Says which state of the world outside of the folder the template was made from. It is asked once
   * when the agent is built, without network, environment, time and chance, and kept in the artifact.
   * Another answer makes a new template.
   */
  readonly revalidationKey?: () => string | Promise<string>;
}

/** A sandbox without a template. */
export interface SandboxWithoutBootstrap extends SandboxBase {
  readonly bootstrap?: undefined;
  /** Has a meaning only with `bootstrap`. */
  readonly revalidationKey?: never;
}

/** The agent's computer. */
export type Sandbox = SandboxBackend & (SandboxWithBootstrap | SandboxWithoutBootstrap);

/** Defines the agent's computer. The default export of `sandbox.ts` or `sandbox/sandbox.ts`. */
export declare function defineSandbox(sandbox: Sandbox): Sandbox;
