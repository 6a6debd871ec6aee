import { defineAgent } from "@openeve/core";

export default defineAgent({
  // The agent's name in the database. It stays when the code changes; another id is another agent.
  id: "my-agent",
  model: "openai/gpt-5.4-mini",
  reasoning: "low",
  description: "An agent that wakes by itself every morning.",
  // Tools that the model sees at once, with their schema.
  defaultTools: ["days_until"],
});
