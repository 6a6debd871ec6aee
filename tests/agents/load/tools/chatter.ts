import { defineTool } from "@openeve/core";

export default defineTool<{ readonly events: number }>({
  description: "Emits so many events, of about a hundred bytes each.",
  inputSchema: {
    type: "object",
    properties: { events: { type: "integer", minimum: 0, maximum: 100 } },
    required: ["events"],
    additionalProperties: false,
  },
  sideEffects: "none",
  execution: "parallel",
  execute: async ({ events }, ctx) => {
    for (let number = 0; number < events; number += 1) {
      await ctx.emit("load.noted", { number, note: "x".repeat(80) });
    }
    return { emitted: events };
  },
});
