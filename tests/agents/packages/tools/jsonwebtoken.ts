import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { defineTool } from "@openeve/core";
import jwt from "jsonwebtoken";
export default defineTool({ description: "Tokens.", inputSchema: { type: "object" }, execute: () => { const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" }); const own = jwt.sign({ who: "ada" }, "secret", { expiresIn: "1h" }); const other = jwt.sign({ who: "bob" }, privateKey, { algorithm: "ES256" }); let forged = ""; try { jwt.verify(own, "another"); } catch (error) { forged = String(error); } return { who: jwt.verify(own, "secret").who, other: jwt.verify(other, createPublicKey(privateKey)).who, forged }; } });
