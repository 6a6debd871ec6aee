import { defineTool } from "@openeve/core";
import { z } from "zod";
const Input = z.object({ email: z.email(), age: z.number().int().min(0).default(18), tags: z.array(z.enum(["a", "b"])).optional() });
export default defineTool({ description: "Parses.", inputSchema: Input, execute: (input) => ({ parsed: input, bad: Input.safeParse({ email: "x" }).success }) });
