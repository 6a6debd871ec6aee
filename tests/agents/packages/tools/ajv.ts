import { defineTool } from "@openeve/core";
import { Ajv } from "ajv";
export default defineTool({ description: "Schemas.", inputSchema: { type: "object" }, execute: () => { const check = new Ajv().compile({ type: "object", properties: { n: { type: "integer", minimum: 1 } }, required: ["n"] }); return { good: check({ n: 2 }), bad: check({ n: 0 }), errors: check.errors?.[0]?.message }; } });
