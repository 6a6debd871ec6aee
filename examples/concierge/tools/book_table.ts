import { defineTool } from "@openeve/core";

interface Input {
  place: string;
  date: string;
  time: string;
  guests: number;
  name: string;
}

/** Eight letters and digits that a guest can read out over the phone. */
function reference(key: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const character of key) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(character.codePointAt(0) ?? 0)) * 0x100000001b3n);
  }
  return hash.toString(36).toUpperCase().padStart(8, "0").slice(-8);
}

export default defineTool<Input>({
  description:
    "Book a table. Only call this once the guest has agreed on place, date, time and number of guests.",
  inputSchema: {
    type: "object",
    properties: {
      place: { type: "string" },
      date: { type: "string", pattern: "^\\d{4}-\\d{2}-\\d{2}$" },
      time: { type: "string", pattern: "^\\d{2}:\\d{2}$" },
      guests: { type: "integer", minimum: 1, maximum: 11 },
      name: { type: "string", description: "The name for the booking." },
    },
    required: ["place", "date", "time", "guests", "name"],
    additionalProperties: false,
  },
  sideEffects: "unsafe",
  execution: "sequential",
  async execute({ place, date, time, guests, name }, ctx) {
    // The key is the same if this very call is looked at again, and so is the reference.
    const idempotencyKey = ctx.idempotencyKey("table");
    const booking = { reference: reference(idempotencyKey), place, date, time, guests, name };
    await ctx.emit("table.booked", { ...booking, idempotencyKey });
    return booking;
  },
  toModelOutput: ({ reference, place, date, time, guests }: Input & { reference: string }) =>
    `Booked ${place} on ${date} at ${time} for ${guests}. Reference ${reference}.`,
});
