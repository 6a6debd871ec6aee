import { defineTool } from "@openeve/core";
import * as cheerio from "cheerio";
export default defineTool({ description: "HTML.", inputSchema: { type: "object" }, execute: () => { const $ = cheerio.load('<ul><li class="a">One</li><li>Two</li></ul>'); return { first: $("li.a").text(), count: $("li").length }; } });
