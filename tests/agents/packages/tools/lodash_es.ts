import { defineTool } from "@openeve/core";
import { chunk, groupBy, debounce } from "lodash-es";
export default defineTool({ description: "Lists.", inputSchema: { type: "object" }, execute: () => ({ chunks: chunk([1, 2, 3], 2), groups: groupBy(["a", "bb"], "length"), fn: typeof debounce }) });
