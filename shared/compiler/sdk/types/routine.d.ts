/**
 * Routines: work that the agent does again and again with nobody watching. This version does not read
 * them yet.
 */

/** When a routine fires by the clock: an expression, or an interval. */
export type Cadence =
  | {
      /** Five fields, or six with seconds first. */
      readonly cron: string;
      /** An IANA zone. Default: `UTC`. */
      readonly timezone?: string;
      readonly everyMs?: never;
    }
  | {
      /** An interval in milliseconds, at least a minute. */
      readonly everyMs: number;
      readonly cron?: never;
      readonly timezone?: never;
    };

/** Fires by the clock. */
export type ScheduledTrigger = { readonly kind: "scheduled" } & Cadence;

/** Looks by the clock, and speaks only when what it saw has changed. */
export type WatchTrigger = { readonly kind: "watch" } & Cadence;

/** Work that goes on for days or weeks: it wakes by the clock, with few tools, until it is done. */
export type JobTrigger = { readonly kind: "job" } & Cadence;

/** Fires when an event arrives. Its payload is never taken for instructions. */
export interface EventTrigger {
  readonly kind: "event";
  /** The channel or connection that the event comes from. */
  readonly source: string;
  /** The event's name, as its source has it. Default: every event. */
  readonly event?: string;
}

/** What is fetched before a fire and put, fenced, below everything trusted. At most 32 KiB each. */
export interface Collector {
  /** The tool that fetches it. */
  readonly tool: string;
  /** The tool's input. */
  readonly input?: { readonly [key: string]: unknown };
}

/** What every routine says. */
export interface RoutineBase {
  /** What to do. */
  readonly prompt: string;
  /** Standing rules that a person wrote. */
  readonly policy?: string;
  /** What is fetched before each fire. */
  readonly collect?: readonly Collector[];
  /** The channel that answers go to, by name. Without it they stay on the run. */
  readonly channel?: string;
  /** Whether it is on. Three declared failures in a row turn it off. Default: `true`. */
  readonly enabled?: boolean;
}

/** A routine. A watch is never silent: it exists to report. */
export type Routine = RoutineBase &
  (
    | {
        readonly trigger: ScheduledTrigger | JobTrigger | EventTrigger;
        /** `never`: the work is the product, and the final answer is dropped. Default: `always`. */
        readonly postPolicy?: "always" | "never";
      }
    | { readonly trigger: WatchTrigger; readonly postPolicy?: "always" }
  );

/** Defines a routine. */
export declare function defineRoutine(routine: Routine): Routine;
