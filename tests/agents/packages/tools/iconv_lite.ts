import { defineTool } from "@openeve/core";
import { Buffer } from "node:buffer";
import iconv from "iconv-lite";
export default defineTool({ description: "Encodings.", inputSchema: { type: "object" }, execute: () => ({ euro: iconv.encode("é€", "win1252").toString("hex"), japanese: iconv.decode(Buffer.from("93fa967b", "hex") as never, "shift_jis"), known: iconv.encodingExists("utf-16") }) });
