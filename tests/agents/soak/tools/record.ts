import { defineTool } from "@openeve/core";

import { leaveTrace, type Place } from "../lib/recorder.ts";

export default defineTool<Place>({
  description: "Records under a key; a second time does nothing new.",
  inputSchema: {
    type: "object",
    properties: { message: { type: "integer" }, ordinal: { type: "integer" } },
    required: ["message", "ordinal"],
    additionalProperties: false,
  },
  sideEffects: "idempotent",
  execution: "parallel",
  execute: (place, ctx) => leaveTrace(place, ctx),
});
