import { defineTool } from "@openeve/core";

const DAY_MS = 24 * 60 * 60 * 1000;

export default defineTool({
  description: "How many days it is until a date. Negative if the date has passed.",
  inputSchema: {
    type: "object",
    properties: {
      date: { type: "string", description: "The date, as YYYY-MM-DD." },
    },
    required: ["date"],
    additionalProperties: false,
  },
  // It changes nothing anywhere, so it may run again after a crash.
  sideEffects: "none",
  execute({ date }) {
    const then = Date.parse(`${date}T00:00:00Z`);
    if (Number.isNaN(then)) {
      throw new Error(`${date} is not a date; write YYYY-MM-DD`);
    }
    const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
    return { date, days: Math.round((then - today) / DAY_MS) };
  },
});
