import { defineTool } from "@openeve/core";

import { type Day, days, find, places } from "../lib/places.ts";

interface Input {
  place: string;
  day?: Day;
}

export default defineTool<Input>({
  description:
    "Look up when a place in or near the hotel is open, and how far it is on foot. " +
    "Ask for a day to get that day's hours, or leave it out for the whole week.",
  inputSchema: {
    type: "object",
    properties: {
      place: { type: "string", description: "The place's name, or a word of it, such as \"sauna\"." },
      day: {
        type: "string",
        enum: ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"],
      },
    },
    required: ["place"],
    additionalProperties: false,
  },
  sideEffects: "none",
  execute({ place, day }) {
    const found = find(place);
    if (found.length === 0) {
      return { found: [], known: places.map((entry) => entry.name) };
    }
    return {
      found: found.map(({ name, what, walkMinutes, hours }) => ({
        name,
        what,
        walkMinutes,
        hours: Object.fromEntries((day ? [day] : days).map((one) => [one, hours[one] ?? "closed"])),
      })),
    };
  },
});
