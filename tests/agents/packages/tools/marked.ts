import { defineTool } from "@openeve/core";
import { marked } from "marked";
export default defineTool({ description: "Markdown.", inputSchema: { type: "object" }, execute: () => ({ html: marked.parse("# Hi\n\n- a\n- **b**") }) });
