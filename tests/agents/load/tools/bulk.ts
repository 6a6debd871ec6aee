import { defineTool } from "@openeve/core";

export default defineTool<{ readonly bytes: number }>({
  description: "Returns a text of so many bytes.",
  inputSchema: {
    type: "object",
    properties: { bytes: { type: "integer", minimum: 0 } },
    required: ["bytes"],
    additionalProperties: false,
  },
  sideEffects: "none",
  execution: "parallel",
  execute: ({ bytes }) => ({ text: "x".repeat(bytes) }),
});
