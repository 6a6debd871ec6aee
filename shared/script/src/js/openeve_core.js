// What `@openeve/core` is at run time. The compiler read the definitions statically; here they
// only have to evaluate, so each returns what it was given.
const same = (definition) => definition;

export const defineAgent = same;
export const defineChannel = same;
export const defineContext = same;
export const defineGateway = same;
export const defineInstrumentation = same;
export const defineSandbox = same;
export const defineSchedule = same;
export const defineTool = same;

export const adapter = (kind, options) => ({ kind, options });
export const approvalRequired = (options = {}) => ({
  ...(typeof options === "string" ? { reason: options } : options),
  approval: "required",
});
export const bearer = (token) => ({ bearer: token });
export const defaultContext = (options) => ({ kind: "default", ...options });
export const env = (name) => ({ $env: name });
