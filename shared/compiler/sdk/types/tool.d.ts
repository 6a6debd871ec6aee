/** `tools/<name>.ts`: what the model may call. */

import type { Checked, Infer, InputSchema, ObjectSchema, StandardSchema } from "./schema.js";
import type { Approver } from "./values.js";

/** Which call of a tool it is about. */
export interface CallContext {
  /** The run. */
  readonly runId: string;
  /** The conversation that the run belongs to. */
  readonly conversationId: string;
  /** This call of the tool: the same whenever the call is run again. */
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
   * it once it is run again to its end. One event holds at most 256 KiB.
   *
   * @param name Such as `table.booked`.
   * @param payload Any JSON.
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
   * once, the first is asked first. A question that nobody answers within seven days ends the call.
   *
   * @param prompt The question, 1 to 4,000 characters.
   */
  askQuestion(prompt: string, options?: QuestionOptions): Promise<string>;
  /**
   * A key for an external write: the same for this call and label whenever it is run again, so the
   * other side can recognise a repetition.
   */
  idempotencyKey(label: string): string;

  /**
   * Aborts a second before the call's time is over (`timeoutMs`, by default two minutes), so that a
   * tool can end by itself: `fetch(url, { signal: ctx.abortSignal })`. A call that goes on is stopped.
   */
  readonly abortSignal: AbortSignal;
}

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
export declare function approvalRequired<Input = any>(reason?: string | ApprovalOptions<Input>): Approval<Input>;

/** Metadata for discovery. Most tools need none: it is inferred. */
export interface ToolCapability {
  /**
   * When the model sees the tool: from the start, once it searched for it, once the skill that lists
   * it was loaded, or never (trusted code may still call it). Default: `deferred`, and `always` for
   * the tools that `defaultTools` names.
   */
  readonly visibility?: "always" | "deferred" | "skill" | "hidden";
  /** Whether it runs in the trusted runtime, on the agent's computer, or on either. */
  readonly execution?: "direct" | "sandbox" | "both";
  /** What it belongs to, such as `billing`. */
  readonly namespace?: string;
  /** Words under which it is found. */
  readonly tags?: readonly string[];
  /** Other names under which it is found. */
  readonly aliases?: readonly string[];
}

/**
 * A tool that the model may call. The file's name is the tool's name.
 *
 * `Schema` is the type of `inputSchema`, `Input` what the code takes, `Output` what it returns.
 */
export interface Tool<Input = Record<string, unknown>, Output = unknown, Schema = InputSchema> {
  /** What the model reads to decide whether to call it. */
  readonly description: string;
  /**
   * What it takes: JSON Schema of an object, written out, or a schema of Zod, Valibot, ArkType or
   * another library of Standard Schema. Calls that do not fit are refused before the code runs, and
   * the type of `input` follows from it.
   */
  readonly inputSchema: Schema;
  /** What it returns, in the same forms, for those who read the manifest. */
  readonly outputSchema?: ObjectSchema | StandardSchema<any, Output>;
  /**
   * What running it twice would do. `none`: it only reads. `idempotent`: a repetition under the same
   * key does nothing new. `unsafe`, the default: once started it is never run again.
   */
  readonly sideEffects?: "none" | "idempotent" | "unsafe";
  /**
   * Whether it may run beside other calls. One sequential call makes the whole batch it stands in
   * sequential. Default: `parallel`.
   */
  readonly execution?: "parallel" | "sequential";
  /** Wall time of one call in milliseconds, 1 to 120000. Default: 120000. */
  readonly timeoutMs?: number;
  /** Metadata for discovery. */
  readonly capability?: ToolCapability;
  /**
   * Whether a person must approve a call before it runs: always, never (the default), or as a
   * function decides on the call's input. A rejected call does not run; the model is told so.
   */
  readonly needsApproval?: boolean | Approval<Input> | ApprovalPredicate<Input>;
  /**
   * Does the work. What it returns must be JSON. It has 64 MiB of memory, 10 s of processor time
   * between two awaits and `timeoutMs` in all.
   */
  execute(input: Input, ctx: ToolContext): Output | Promise<Output>;
  /**
   * A smaller view of the result for the model; the whole result stays in the run's log. Write it
   * below `execute`, so that the type of `result` follows.
   */
  toModelOutput?(result: Output): unknown;
}

/**
 * Defines a tool. The default export of `tools/<name>.ts`.
 *
 * The type of `input` follows from `inputSchema`. `defineTool<Input>` says it instead, where a schema
 * cannot tell.
 */
export declare function defineTool<
  Input = never,
  Output = unknown,
  const Schema extends InputSchema = InputSchema,
>(
  tool: Tool<[Input] extends [never] ? Infer<Schema> : Input, Output, Schema & Checked<Schema>>,
): Tool<[Input] extends [never] ? Infer<Schema> : Input, Output, Schema>;
