import { Readable } from "node:stream";
import { defineTool } from "@openeve/core";
import { parse } from "csv-parse";
import { parse as parseNow } from "csv-parse/sync";
export default defineTool({ description: "Tables.", inputSchema: { type: "object" }, execute: async () => { const rows = []; for await (const row of Readable.from(["a,b\n1,", "2\n3,\"x,y\"\n"]).pipe(parse({ columns: true }))) rows.push(row); return { rows, now: parseNow("1;2", { delimiter: ";" }) }; } });
