import { defineAgent } from "@openeve/core";
export default defineAgent({ model: "openai/gpt-5.4-mini" });
