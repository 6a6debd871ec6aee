// Editors and type checkers resolve this file. The compiler reads definitions from the source and
// the engine provides this module itself, so every function only hands back what it was given.
const same = (definition) => definition;

export const defineAgent = same;
export const defineChannel = same;
export const defineGateway = same;
export const defineSchedule = same;
export const defineTool = same;

export const adapter = (kind, options) => ({ kind, options });
export const approvalRequired = (options = {}) => ({
  ...(typeof options === "string" ? { reason: options } : options),
  approval: "required",
});
export const bearer = (token) => ({ bearer: token });
export const env = (name) => ({ $env: name });
