/**
 * `triggers/<name>.ts`: trusted code around what a schedule starts. This version bundles the files and
 * runs none of them yet: a schedule that names one sends its message alone.
 */

import type { Json } from "./values.js";

/** What a handler is given. It has no model-visible tools. */
export interface TriggerContext {
  /** The run that the fire created. */
  readonly runId: string;
  /** The schedule that fired. */
  readonly schedule: {
    readonly name: string;
    /** When it was due, as ISO 8601 in UTC. */
    readonly dueAt: string;
  };
  /** What the schedule said about this trigger. */
  readonly trigger: {
    /** The handler's name. */
    readonly handler: string;
    /** What the schedule hands to it. */
    readonly input?: Json;
  };
  /** A key for an external write: the same for this fire and label whenever it is run again. */
  idempotencyKey(label: string): string;
  /** Records an event on the run. */
  emit(name: string, payload?: unknown): Promise<void>;
}

/** What a handler wants to be started: exactly one of a skill, a playbook or an agent. */
export type TriggerTarget = {
  /** What the model is told besides, in the event. */
  readonly promptContext?: Json;
} & (
  | { readonly skill: string; readonly playbook?: never; readonly agent?: never }
  | { readonly playbook: string; readonly skill?: never; readonly agent?: never }
  | { readonly agent: string; readonly skill?: never; readonly playbook?: never }
);

/** How the target ended. */
export type TriggerResult =
  | { readonly ok: true; readonly answer: string }
  | { readonly ok: false; readonly error: string };

/** A handler. The file's name is the handler's name, which schedules refer to. */
export interface Trigger {
  /** What it is for. */
  readonly description?: string;
  /** Runs once the fire is reserved and its run exists; says what to start. */
  prepare(ctx: TriggerContext): TriggerTarget | Promise<TriggerTarget>;
  /** Runs after the target has ended, well or badly. */
  finalize?(ctx: TriggerContext, result: TriggerResult): void | Promise<void>;
}

/** Defines a handler. The default export of `triggers/<name>.ts`. */
export declare function defineTrigger(trigger: Trigger): Trigger;
