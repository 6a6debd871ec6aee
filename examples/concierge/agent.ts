import { defineAgent } from "@openeve/core";

export default defineAgent({
  id: "concierge",
  model: "openai/gpt-5.4-mini",
  reasoning: "low",
  description: "The concierge of a small hotel: opening hours, walking times and tables for two.",
  defaultTools: ["opening_hours", "time_until", "book_table"],
});
