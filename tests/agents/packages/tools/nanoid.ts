import { defineTool } from "@openeve/core";
import { customAlphabet, nanoid } from "nanoid";
export default defineTool({ description: "Ids.", inputSchema: { type: "object" }, execute: () => ({ length: nanoid().length, own: /^[abc]{5}$/.test(customAlphabet("abc", 5)()) }) });
