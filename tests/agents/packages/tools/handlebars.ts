import { defineTool } from "@openeve/core";
import Handlebars from "handlebars";
export default defineTool({ description: "Templates.", inputSchema: { type: "object" }, execute: () => ({ text: Handlebars.compile("{{#each names}}<{{this}}>{{/each}}")({ names: ["Ada", "B&B"] }) }) });
