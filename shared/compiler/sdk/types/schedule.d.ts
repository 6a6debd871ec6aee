/** `schedules/<name>.ts`: something the agent does by the clock. */

import type { Json } from "./values.js";

/** What every schedule says. */
export interface ScheduleBase {
  /** Five fields, or six with seconds first, such as `0 8 * * *` for every day at eight. */
  readonly cron: string;
  /** An IANA zone such as `Europe/Berlin`. Default: `UTC`. */
  readonly timezone?: string;
  /** Distinguishes two lives of one schedule name. Default: the file's name. */
  readonly idempotencyKey?: string;
  /** The channel that delivers the reply, by name. Without it the reply stays on the run. */
  readonly channel?: string;
  /** The conversation it belongs to. Default: the file's name. */
  readonly conversation?: string;
  /**
   * What becomes of occurrences that fell into an outage: the newest fires, all of them, or none.
   * Default: `latest`.
   */
  readonly catchUp?: "latest" | "all" | "none";
}

/** Something the agent does by the clock. The file's name is the schedule's name. */
export type Schedule = ScheduleBase &
  (
    | {
        /** What the agent is told when it fires. */
        readonly message: string;
        readonly trigger?: undefined;
      }
    | {
        /** What the agent is told when it fires and its trigger starts nothing. */
        readonly message?: string;
        /** The code around what it starts: the name of a file in `triggers/`, and what it is handed. */
        readonly trigger: { readonly handler: string; readonly input?: Json };
      }
  );

/** Defines a schedule. The default export of `schedules/<name>.ts`. */
export declare function defineSchedule(schedule: Schedule): Schedule;
