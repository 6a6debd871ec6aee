// What a schema accepts, as a type.
import type { Infer } from "@openeve/core";

import { type Equal, same } from "./equal.ts";

/** The type of a schema that is written in place. */
declare function of<const Schema>(schema: Schema): Infer<Schema>;

const text = of({ type: "string" });
same<Equal<typeof text, string>>();

const number = of({ type: "integer", minimum: 1 });
same<Equal<typeof number, number>>();

const several = of({ type: ["string", "null"] });
same<Equal<typeof several, string | null>>();

const word = of({ enum: ["low", "high", 3, null] });
same<Equal<typeof word, "low" | "high" | 3 | null>>();

const typedWord = of({ type: "string", enum: ["low", "high"] });
same<Equal<typeof typedWord, "low" | "high">>();

const fixed = of({ const: "booking" });
same<Equal<typeof fixed, "booking">>();

const list = of({ type: "array", items: { type: "number" } });
same<Equal<typeof list, number[]>>();

const pair = of({ type: "array", prefixItems: [{ type: "string" }, { type: "number" }], items: false });
same<Equal<typeof pair, [string, number]>>();

const object = of({
  type: "object",
  properties: {
    place: { type: "string" },
    day: { type: "string", enum: ["monday", "tuesday"] },
    guests: {
      type: "array",
      items: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    },
  },
  required: ["place"],
  additionalProperties: false,
});
same<Equal<typeof object, { place: string; day?: "monday" | "tuesday"; guests?: { name: string }[] }>>();

const either = of({ anyOf: [{ type: "string" }, { type: "object", properties: { id: { type: "number" } }, required: ["id"] }] });
same<Equal<typeof either, string | { id: number }>>();

const one = of({
  oneOf: [
    { type: "object", properties: { kind: { const: "card" }, number: { type: "string" } }, required: ["kind", "number"] },
    { type: "object", properties: { kind: { const: "cash" } }, required: ["kind"] },
  ],
});
same<Equal<typeof one, { kind: "card"; number: string } | { kind: "cash" }>>();
if (one.kind === "card") {
  same<Equal<typeof one.number, string>>();
}

const both = of({ allOf: [{ properties: { a: { type: "string" } }, required: ["a"] }, { properties: { b: { type: "number" } } }] });
same<Equal<typeof both.a, string>>();
same<Equal<typeof both.b, number | undefined>>();

const record = of({ type: "object", additionalProperties: { type: "number" } });
same<Equal<typeof record, Record<string, number>>>();

const open = of({
  type: "object",
  properties: { name: { type: "string" } },
  required: ["name"],
  additionalProperties: { type: "number" },
});
same<Equal<typeof open.name, string>>();
same<Equal<(typeof open)["other"], string | number | undefined>>();

const unnamed = of({ type: "object", required: ["anything"], properties: { known: { type: "string" } } });
same<Equal<typeof unnamed.anything, unknown>>();

const anything = of({ type: "object" });
same<Equal<typeof anything, Record<string, unknown>>>();

const reference = of({ type: "object", properties: { to: { $ref: "#/$defs/to" } }, required: ["to"] });
same<Equal<typeof reference, { to: unknown }>>();
