import { defineTool } from "@openeve/core";
import ms from "ms";

export default defineTool({
  description: "Durations.",
  inputSchema: { type: "object" },
  execute: () => ({ day: ms("1d"), long: ms(90_000, { long: true }) }),
});
