import { defineTool } from "@openeve/core";

import { leaveTrace, type Place } from "../lib/recorder.ts";

export default defineTool<Place>({
  description: "Books once, alone in its batch.",
  inputSchema: {
    type: "object",
    properties: { message: { type: "integer" }, ordinal: { type: "integer" } },
    required: ["message", "ordinal"],
    additionalProperties: false,
  },
  sideEffects: "unsafe",
  execution: "sequential",
  execute: (place, ctx) => leaveTrace(place, ctx),
});
