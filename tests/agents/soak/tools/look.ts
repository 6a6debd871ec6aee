import { defineTool } from "@openeve/core";

import { leaveTrace, type Place } from "../lib/recorder.ts";

export default defineTool<Place>({
  description: "Looks something up and changes nothing.",
  inputSchema: {
    type: "object",
    properties: { message: { type: "integer" }, ordinal: { type: "integer" } },
    required: ["message", "ordinal"],
    additionalProperties: false,
  },
  sideEffects: "none",
  execution: "parallel",
  execute: (place, ctx) => leaveTrace(place, ctx),
});
