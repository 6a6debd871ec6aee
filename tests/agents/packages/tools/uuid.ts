import { defineTool } from "@openeve/core";
import { v4, v5, v7, validate } from "uuid";
export default defineTool({ description: "Ids.", inputSchema: { type: "object" }, execute: () => ({ v4: validate(v4()), v7: validate(v7()), v5: v5("openeve", v5.DNS) }) });
