import { defineAgent } from "@openeve/core";

export default defineAgent({
  id: "load",
  model: "openai/gpt-5.4-mini",
  reasoning: "low",
  description: "Returns much and emits much, so that a test can see what it costs.",
  defaultTools: ["bulk", "chatter"],
});
