import { Writable } from "node:stream";
import { defineTool } from "@openeve/core";
import winston from "winston";
export default defineTool({ description: "Logs.", inputSchema: { type: "object" }, execute: async () => { const lines: string[] = []; const stream = new Writable({ write(chunk, _encoding, done) { lines.push(String(chunk).trim()); done(); } }); const log = winston.createLogger({ format: winston.format.json(), transports: [new winston.transports.Stream({ stream: stream as never })] }); log.info("hello", { who: "ada" }); log.debug("quiet"); await new Promise((done) => setTimeout(() => done(null), 5)); return { lines: lines.map((line) => JSON.parse(line)) }; } });
