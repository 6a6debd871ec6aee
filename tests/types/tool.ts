// `defineTool`: the input's type follows from the schema, and every wrong word is an error.
import { approvalRequired, defineTool, type CallContext, type ToolContext } from "@openeve/core";

import { type Equal, same } from "./equal.ts";

export const inferred = defineTool({
  description: "Books a table.",
  inputSchema: {
    type: "object",
    properties: {
      place: { type: "string" },
      guests: { type: "integer", minimum: 1 },
      wish: { enum: ["window", "garden"] },
    },
    required: ["place", "guests"],
    additionalProperties: false,
  },
  sideEffects: "unsafe",
  needsApproval: (input, ctx) => {
    same<Equal<typeof input, { place: string; guests: number; wish?: "window" | "garden" }>>();
    same<Equal<typeof ctx, CallContext>>();
    return input.guests > 8 ? "A large party." : false;
  },
  async execute(input, ctx) {
    same<Equal<typeof input, { place: string; guests: number; wish?: "window" | "garden" }>>();
    same<Equal<typeof ctx, ToolContext>>();
    await ctx.emit("table.booked", { key: ctx.idempotencyKey("table") });
    const answer: string = await ctx.askQuestion("Inside?", { options: ["yes", "no"], approvers: ["requester"] });
    return { reference: input.place, answer };
  },
  toModelOutput: (result) => {
    same<Equal<typeof result, { reference: string; answer: string }>>();
    return result.reference;
  },
});

// An explicit type says it instead, with or without the result's.
export const explicit = defineTool<{ place: string }>({
  description: "Books a table.",
  inputSchema: { type: "object", properties: { place: { type: "string" } } },
  needsApproval: approvalRequired({ when: (input) => input.place.length > 3 }),
  execute(input) {
    same<Equal<typeof input, { place: string }>>();
    return input.place;
  },
});
export const both = defineTool<{ place: string }, { reference: number }>({
  description: "Books a table.",
  inputSchema: { type: "object" },
  execute: () => ({ reference: 1 }),
  toModelOutput: (result) => result.reference.toFixed(),
});
export const wrongResult = defineTool<{ place: string }, { reference: number }>({
  description: "Books a table.",
  inputSchema: { type: "object" },
  // @ts-expect-error: the result is another one.
  execute: () => ({ reference: "1" }),
});

// A schema in a `const` without `as const` has wide types, and is accepted as the compiler accepts it.
const schema = { type: "object", properties: { place: { type: "string" } }, required: ["place"] };
export const wide = defineTool({ description: "Looks.", inputSchema: schema, execute: (input) => input });
const narrow = { type: "object", properties: { place: { type: "string" } }, required: ["place"] } as const;
export const fromConst = defineTool({
  description: "Looks.",
  inputSchema: narrow,
  execute(input) {
    same<Equal<typeof input, { place: string }>>();
  },
});

export const gated = defineTool({
  description: "Pays.",
  inputSchema: { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] },
  outputSchema: { type: "object", properties: { paid: { type: "boolean" } } },
  execution: "sequential",
  timeoutMs: 5_000,
  capability: { visibility: "deferred", execution: "direct", namespace: "billing", tags: ["a"], aliases: ["b"] },
  needsApproval: approvalRequired<{ amount: number }>({
    reason: "It costs money.",
    approvers: ["role:finance", "anyone", "ada"],
    when: (input) => input.amount > 100,
  }),
  execute: (input) => ({ paid: input.amount > 0 }),
});
export const always = defineTool({
  description: "Pays.",
  inputSchema: { type: "object" },
  needsApproval: approvalRequired("It costs money."),
  execute: () => null,
});

// --- Errors ------------------------------------------------------------------------------------

const base = { description: "Looks.", execute: () => null } as const;

// @ts-expect-error: the description is missing.
defineTool({ inputSchema: { type: "object" }, execute: () => null });
// @ts-expect-error: the schema is missing.
defineTool({ description: "Looks.", execute: () => null });
// @ts-expect-error: the code is missing.
defineTool({ description: "Looks.", inputSchema: { type: "object" } });
// @ts-expect-error: a misspelt key.
defineTool({ ...base, inputSchema: { type: "object" }, sideEffect: "none" });
// @ts-expect-error: no such class of side effects.
defineTool({ ...base, inputSchema: { type: "object" }, sideEffects: "pure" });
// @ts-expect-error: no such execution.
defineTool({ ...base, inputSchema: { type: "object" }, execution: "serial" });
// @ts-expect-error: a number is asked for.
defineTool({ ...base, inputSchema: { type: "object" }, timeoutMs: "5s" });
// @ts-expect-error: a tool takes an object.
defineTool({ ...base, inputSchema: { type: "string" } });
// @ts-expect-error: no schema at all.
defineTool({ ...base, inputSchema: "object" });
// @ts-expect-error: a misspelt type inside of the schema.
defineTool({ ...base, inputSchema: { type: "object", properties: { a: { type: "strng" } } } });
// @ts-expect-error: the same, one level deeper.
defineTool({ ...base, inputSchema: { type: "object", properties: { a: { type: "array", items: { type: "int" } } } } });
// @ts-expect-error: required is a list.
defineTool({ ...base, inputSchema: { type: "object", required: "a" } });
// @ts-expect-error: no such visibility.
defineTool({ ...base, inputSchema: { type: "object" }, capability: { visibility: "later" } });
// @ts-expect-error: a misspelt key of the capability.
defineTool({ ...base, inputSchema: { type: "object" }, capability: { tag: [] } });
// @ts-expect-error: a text is no gate.
defineTool({ ...base, inputSchema: { type: "object" }, needsApproval: "always" });
// @ts-expect-error: a misspelt key of the gate.
approvalRequired({ reasons: "It costs money." });
defineTool({
  description: "Looks.",
  inputSchema: { type: "object", properties: { place: { type: "string" } }, required: ["place"] },
  // @ts-expect-error: the schema has no such key.
  execute: (input) => input.plaec,
});
defineTool({
  description: "Looks.",
  inputSchema: { type: "object", properties: { place: { type: "string" } } },
  // @ts-expect-error: the key may be left out.
  execute: (input) => input.place.length,
});
defineTool({
  description: "Looks.",
  inputSchema: { type: "object", properties: { place: { type: "string" } } },
  // @ts-expect-error: the context has no such member.
  execute: (_input, ctx) => ctx.emitt("a"),
});
defineTool({
  description: "Looks.",
  inputSchema: { type: "object", properties: { place: { type: "string" } } },
  // @ts-expect-error: a predicate says yes, no or why.
  needsApproval: () => 3,
  execute: () => null,
});
