import { defineAgent } from "@openeve/core";

export default defineAgent({
  id: "soak",
  model: "openai/gpt-5.4-mini",
  reasoning: "low",
  description: "Calls tools that leave a trace, so that a test can count them.",
  defaultTools: ["charge", "book", "record", "look"],
});
