/**
 * What an OpenEve agent folder imports.
 *
 * Definitions are read from the source and never executed by the compiler. Write their values in
 * place, in a top-level `const`, or in a `const` of another file of the folder: strings, numbers,
 * booleans, arrays, objects, spreads of those, and calls of the helpers. Only functions are code.
 */

export * from "./types/agent.js";
export * from "./types/channel.js";
export * from "./types/connection.js";
export * from "./types/context.js";
export * from "./types/gateway.js";
export * from "./types/instrumentation.js";
export * from "./types/routine.js";
export * from "./types/sandbox.js";
export * from "./types/schedule.js";
export type * from "./types/schema.js";
export * from "./types/tool.js";
export * from "./types/trigger.js";
export * from "./types/values.js";
