/**
 * What an OpenEve agent folder imports.
 *
 * Definitions are read from the source and never executed by the compiler. Write their values in
 * place or in a top-level `const` of the same file: strings, numbers, booleans, arrays, objects,
 * spreads of those, and calls of the helpers below. Only the functions of a tool are code.
 */

/** Any value that JSON can hold. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** JSON Schema of an object, written out. */
export interface ObjectSchema {
  readonly type: "object";
  readonly description?: string;
  readonly properties?: { readonly [name: string]: Json };
  readonly required?: readonly string[];
  readonly additionalProperties?: Json;
  readonly [keyword: string]: Json | undefined;
}

/** A value that lives in the environment. The artifact holds the variable's name alone. */
export interface EnvRef {
  readonly $env: string;
}

/** Names an environment variable, such as `env("CONCIERGE_TOKEN")`. */
export declare function env(name: string): EnvRef;

// --- agent.ts ----------------------------------------------------------------------------------

/** How hard the model thinks. */
export type Reasoning = "off" | "minimal" | "low" | "medium" | "high" | "xhigh";

/** What `agent.ts` says. */
export interface Agent {
  /** Stable identity that scopes durable state across deploys. Default: the folder's name. */
  readonly id?: string;
  /** `provider/model`, such as `openai/gpt-5.4-mini`. */
  readonly model: `${string}/${string}`;
  /** Default: `medium`. */
  readonly reasoning?: Reasoning;
  /** For people and catalogues. */
  readonly description?: string;
  /** Names of files in `tools/` that the model sees from the start. */
  readonly defaultTools?: readonly string[];
}

/** Defines the agent. The default export of `agent.ts`. */
export declare function defineAgent<const Definition extends Agent>(agent: Definition): Definition;

// --- gateway.ts --------------------------------------------------------------------------------

/** An adapter, chosen by its kind. */
export interface Adapter<Kind extends string = string> {
  readonly kind: Kind;
  readonly options?: { readonly [key: string]: Json | EnvRef };
}

/** Chooses an adapter for a slot of the gateway. */
export declare function adapter<const Kind extends string>(
  kind: Kind,
  options?: { readonly [key: string]: Json | EnvRef },
): Adapter<Kind>;

/** The stack, slot by slot. No slot forces another. */
export interface Gateway {
  /** Where the agent is deployed. */
  readonly deploy?: Adapter<"lambda" | "docker" | "railway" | "fly" | "local">;
  /** What hosts the runtime. */
  readonly runtime?: Adapter<"lambda" | "node">;
  /** Where durable state lives. */
  readonly state?: Adapter<"postgres">;
  /** Where large things live. */
  readonly blob?: Adapter<"s3" | "r2" | "folder">;
  /** The agent's computer. */
  readonly sandbox?: Adapter<
    "virtual" | "docker" | "local" | "e2b" | "daytona" | "modal" | "vercel" | "microsandbox" | "justbash"
  >;
  /** What makes schedules fire: a cloud's clock (`gateway`) or a loop of the host. */
  readonly scheduler?: Adapter<"gateway" | "local" | "postgres">;
}

/** Defines the stack. The default export of `gateway.ts`. */
export declare function defineGateway<const Definition extends Gateway>(gateway: Definition): Definition;

// --- tools/<name>.ts ---------------------------------------------------------------------------

/** Which call of a tool it is about. */
export interface CallContext {
  /** The run. */
  readonly runId: string;
  /** The conversation that the run belongs to. */
  readonly conversationId: string;
  /** This call of the tool. */
  readonly toolCallId: string;
  /** The tool's name. */
  readonly toolName: string;
}

/** What a question may say besides its text. */
export interface QuestionOptions {
  /** Answers to choose from: at most 20 of at most 200 characters each. Default: any text. */
  readonly options?: readonly string[];
  /** Who may answer. Default: whoever the channel says, else the requester. */
  readonly approvers?: readonly Approver[];
}

/** What a tool's code is given besides its input. */
export interface ToolContext extends CallContext {
  /**
   * Records an event on the run. It is kept if the call's outcome is; a call that is paused records
   * it once it is run again to its end.
   */
  emit(name: string, payload?: unknown): Promise<void>;
  /**
   * Asks a person and resolves to the answer.
   *
   * The call is paused, for hours if need be, and nothing of it is kept but the answers to its
   * questions: no variable, no promise, no request under way. When somebody answers, the tool is run
   * again from its start with the same input, and its n-th `askQuestion` returns the n-th answer.
   * So whatever a tool does before a question is done again: it must be safe to repeat, such as by
   * sending `ctx.idempotencyKey(label)` along, and it must lead to the same questions in the same
   * order. Nothing can catch a pause: neither `catch` nor `finally` runs. Of two questions asked at
   * once, the first is asked first.
   *
   * @param prompt The question, 1 to 4,000 characters.
   */
  askQuestion(prompt: string, options?: QuestionOptions): Promise<string>;
  /**
   * A key for an external write: the same for this call and label whenever it is run again, so the
   * other side can recognise a repetition.
   */
  idempotencyKey(label: string): string;
}

/**
 * Who may approve, answer or reject: a user's id as the channel names it, `role:` and a role,
 * `requester` for whoever sent the message, or `anyone` who can reach the conversation.
 */
export type Approver = "requester" | "anyone" | `role:${string}` | (string & {});

/** What a function says about one call: `true` or a reason asks a person, `false` lets it run. */
export type Verdict = boolean | string;

/**
 * Decides about one call, from its input, before it runs. Asked once for each call; the answer is
 * kept. It has 10 seconds and may use `fetch`. If it throws, the call does not run unasked.
 */
export type ApprovalPredicate<Input = Record<string, unknown>> = (
  input: Input,
  ctx: CallContext,
) => Verdict | Promise<Verdict>;

/** What `approvalRequired` takes. */
export interface ApprovalOptions<Input = Record<string, unknown>> {
  /** Why, as the person who decides reads it. */
  readonly reason?: string;
  /** Who may decide. Default: whoever the channel says, else the requester. */
  readonly approvers?: readonly Approver[];
  /** Decides about each call. Without it every call needs approval. */
  when?(input: Input, ctx: CallContext): Verdict | Promise<Verdict>;
}

/** That a tool needs approval. */
export interface Approval<Input = Record<string, unknown>> extends ApprovalOptions<Input> {
  readonly approval: "required";
}

/**
 * Says that a person must approve a call before it runs, such as
 * `approvalRequired("It charges the card.")` or, for some calls alone,
 * `approvalRequired({ approvers: ["role:finance"], when: (input) => input.amount > 100 })`.
 */
export declare function approvalRequired<Input = any>(
  reason?: string | ApprovalOptions<Input>,
): Approval<Input>;

/** Metadata for discovery. Most tools need none. */
export interface ToolCapability {
  readonly visibility?: "always" | "deferred" | "skill" | "hidden";
  readonly execution?: "direct" | "sandbox" | "both";
  readonly namespace?: string;
  readonly tags?: readonly string[];
  readonly aliases?: readonly string[];
}

/** A tool that the model may call. The file's name is the tool's name. */
export interface Tool<Input = Record<string, unknown>, Output = unknown> {
  /** What the model reads to decide whether to call it. */
  readonly description: string;
  /** JSON Schema of the input. */
  readonly inputSchema: ObjectSchema;
  /** JSON Schema of the result. */
  readonly outputSchema?: ObjectSchema;
  /**
   * What running it twice would do. `none`: it only reads. `idempotent`: a repetition under the same
   * key does nothing new. `unsafe`, the default: once started it is never run again.
   */
  readonly sideEffects?: "none" | "idempotent" | "unsafe";
  /** Whether it may run beside other calls. Default: `parallel`. */
  readonly execution?: "parallel" | "sequential";
  /** Wall time of one call in milliseconds, at most 120000. */
  readonly timeoutMs?: number;
  /** Metadata for discovery. */
  readonly capability?: ToolCapability;
  /**
   * Whether a person must approve a call before it runs: always, never (the default), or as a
   * function decides, whose input is annotated as that of `execute` is. A rejected call does not
   * run; the model is told so.
   */
  readonly needsApproval?: boolean | Approval<Input> | ApprovalPredicate<Input>;
  /** Does the work. What it returns must be JSON. */
  execute(input: Input, ctx: ToolContext): Output | Promise<Output>;
  /** A smaller view of the result for the model; the whole result stays in the run's log. */
  toModelOutput?(result: Output): unknown;
}

/** Defines a tool. The default export of `tools/<name>.ts`. */
export declare function defineTool<Input = Record<string, unknown>, Output = unknown>(
  tool: Tool<Input, Output>,
): Tool<Input, Output>;

// --- channels/<name>.ts ------------------------------------------------------------------------

/** Asks callers for a bearer token. */
export interface BearerAuth {
  readonly bearer: EnvRef;
}

/** Asks callers for the bearer token that an environment variable holds. */
export declare function bearer(token: EnvRef): BearerAuth;

/** A way to reach the agent. */
export interface Channel {
  /** Default: `http`. */
  readonly transport?: "http";
  /** A path such as `/message`. */
  readonly route: `/${string}`;
  /** Default: `["POST"]`. */
  readonly methods?: readonly ("GET" | "POST" | "PUT" | "PATCH" | "DELETE")[];
  /** Who may call it. Without it the channel is open in development and closed elsewhere. */
  readonly auth?: BearerAuth;
  /** Where replies are posted. Without it they stay on the run, to be read there. */
  readonly reply?: {
    /** The receiver's URL. */
    readonly url: EnvRef;
    /** The secret that signs every reply, after Standard Webhooks. */
    readonly secret?: EnvRef;
  };
  /** Who may decide what waits in its conversations, unless the tool says so. Default: `requester`. */
  readonly approvers?: readonly Approver[];
  /** Whether an answer that is only the token `NO_REPLY` means silence. Default: `false`. */
  readonly judgedReplies?: boolean;
}

/** Defines a channel. The default export of `channels/<name>.ts`. */
export declare function defineChannel<const Definition extends Channel>(channel: Definition): Definition;

// --- schedules/<name>.ts -----------------------------------------------------------------------

/** Something the agent does by the clock. */
export interface Schedule {
  /** Five fields, or six with seconds first. */
  readonly cron: string;
  /** An IANA zone such as `Europe/Berlin`. Default: `UTC`. */
  readonly timezone?: string;
  /** What the agent is told when it fires. */
  readonly message: string;
  /** Distinguishes two lives of one schedule name. Default: the file's name. */
  readonly idempotencyKey?: string;
  /** The channel that delivers the reply, by name. Without it the reply stays on the run. */
  readonly channel?: string;
  /** The conversation it belongs to. Default: the file's name. */
  readonly conversation?: string;
  /** What becomes of missed occurrences: the newest fires, all of them, or none. Default: `latest`. */
  readonly catchUp?: "latest" | "all" | "none";
}

/** Defines a schedule. The default export of `schedules/<name>.ts`. */
export declare function defineSchedule<const Definition extends Schedule>(schedule: Definition): Definition;
