import { defineAgent } from "@openeve/core";

export default defineAgent({
  // The agent's name in the database. It stays when the code changes; another id is another agent.
  id: "my-agent",
  model: "openai/gpt-5.4-mini",
  reasoning: "low",
  description: "A small agent to begin with.",
  // Tools that the model sees at once, with their schema.
  defaultTools: ["days_until"],
});
