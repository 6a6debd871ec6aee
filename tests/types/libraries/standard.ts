// Schemas of libraries that follow Standard Schema.
import { defineTool } from "@openeve/core";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";

import { type Equal, same } from "../equal.ts";

export const zod = defineTool({
  description: "Looks.",
  inputSchema: z.object({ place: z.string(), day: z.enum(["monday", "tuesday"]).optional(), guests: z.number().default(2) }),
  needsApproval: ({ guests }) => guests > 8,
  execute(input) {
    same<Equal<typeof input.place, string>>();
    same<Equal<typeof input.day, "monday" | "tuesday" | undefined>>();
    same<Equal<typeof input.guests, number>>();
    return input.place;
  },
  toModelOutput: (result) => {
    same<Equal<typeof result, string>>();
    return result;
  },
});

export const result = defineTool({
  description: "Looks.",
  inputSchema: z.object({ place: z.string() }),
  outputSchema: z.union([z.object({ open: z.literal(true) }), z.object({ open: z.literal(false), why: z.string() })]),
  toModelOutput: (found) => {
    same<Equal<typeof found, { open: true } | { open: false; why: string }>>();
    return found.open;
  },
  execute: () => ({ open: true as const }),
});
export const wrongResult = defineTool({
  description: "Looks.",
  inputSchema: z.object({ place: z.string() }),
  outputSchema: z.object({ open: z.boolean() }),
  // @ts-expect-error: the result is another one.
  execute: () => ({ opened: true }),
});

export const valibot = defineTool({
  description: "Looks.",
  inputSchema: v.object({ place: v.string(), guests: v.optional(v.number(), 2) }),
  execute(input) {
    same<Equal<typeof input.place, string>>();
    same<Equal<typeof input.guests, number>>();
  },
});

export const arktype = defineTool({
  description: "Looks.",
  inputSchema: type({ place: "string", "guests?": "number" }),
  execute(input) {
    same<Equal<typeof input, { place: string; guests?: number }>>();
  },
});

export const explicit = defineTool<{ place: string }>({
  description: "Looks.",
  inputSchema: z.object({ place: z.string() }),
  execute: (input) => input.place,
});

defineTool({
  description: "Looks.",
  inputSchema: z.object({ place: z.string() }),
  // @ts-expect-error: the schema has no such key.
  execute: (input) => input.plaec,
});
// @ts-expect-error: only inputSchema takes such a schema.
defineTool({ description: z.string(), inputSchema: z.object({}), execute: () => null });
