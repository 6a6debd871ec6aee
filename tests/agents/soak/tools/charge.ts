import { defineTool } from "@openeve/core";

import { leaveTrace, type Place } from "../lib/recorder.ts";

export default defineTool<Place>({
  description: "Charges once; a second time would charge again.",
  inputSchema: {
    type: "object",
    properties: { message: { type: "integer" }, ordinal: { type: "integer" } },
    required: ["message", "ordinal"],
    additionalProperties: false,
  },
  sideEffects: "unsafe",
  execution: "parallel",
  execute: (place, ctx) => leaveTrace(place, ctx),
});
