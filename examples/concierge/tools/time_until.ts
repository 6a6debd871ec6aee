import { defineTool } from "@openeve/core";
import ms from "ms";

interface Input {
  now: string;
  until: string;
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const clock = /^([01]?\d|2[0-3]):([0-5]\d)$/;
const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;

/** An instant in milliseconds. Without an offset it would depend on where this runs. */
function at(text: string, name: string): number {
  const time = instant.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) {
    throw new Error(`${name} must be an instant with its offset, such as 2026-12-01T18:30:00+01:00`);
  }
  return time;
}

/** The next time a clock at the offset of `now` shows hours and minutes. */
function next(now: string, hours: number, minutes: number): number {
  const offset = /([+-])(\d{2}):(\d{2})$/.exec(now);
  const shift = offset
    ? (offset[1] === "-" ? -1 : 1) * (Number(offset[2]) * 60 + Number(offset[3])) * minute
    : 0;
  const local = at(now, "now") + shift;
  const today = Math.floor(local / day) * day + (hours * 60 + minutes) * minute;
  return (today > local ? today : today + day) - shift;
}

/** Days, hours and minutes; `ms` alone would round them to the largest. */
function spell(left: number): string {
  const parts = [left - (left % day), (left % day) - (left % hour), (left % hour) - (left % minute)];
  const words = parts.filter((part) => part > 0).map((part) => ms(part, { long: true }));
  return words.join(" ") || "less than a minute";
}

export default defineTool<Input>({
  description: "Say how much time is left from now until an instant, or until a clock time such as 18:30.",
  inputSchema: {
    type: "object",
    properties: {
      now: {
        type: "string",
        description: "The guest's present time with its offset, such as 2026-12-01T17:10:00+01:00.",
      },
      until: {
        type: "string",
        description: "An instant with its offset, or a clock time HH:MM, meant as the next one after now.",
      },
    },
    required: ["now", "until"],
    additionalProperties: false,
  },
  sideEffects: "none",
  execute({ now, until }) {
    const time = clock.exec(until);
    const target = time ? next(now, Number(time[1]), Number(time[2])) : at(until, "until");
    const left = target - at(now, "now");
    return left > 0
      ? { passed: false, left: spell(left), milliseconds: left }
      : { passed: true, left: `${spell(-left)} ago`, milliseconds: left };
  },
});
