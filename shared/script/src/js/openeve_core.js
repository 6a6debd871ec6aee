// What `@openeve/core` is at run time. The compiler read the definitions statically; here they
// only have to evaluate, so each returns what it was given.
const same = (definition) => definition;

export const defineAgent = same;
export const defineChannel = same;
export const defineConnection = same;
export const defineContext = same;
export const defineGateway = same;
export const defineInstrumentation = same;
export const defineRoutine = same;
export const defineSandbox = same;
export const defineSchedule = same;
export const defineTool = same;
export const defineTrigger = same;

export const adapter = (kind, options) => ({ kind, options });
export const railwayDeploy = (options) => adapter("railway", options);
export const neonPostgres = (options) => adapter("postgres", options);
export const r2Blob = (options) => adapter("r2", options);
export const dockerSandbox = (options) => adapter("docker", options);
export const dockerDeploy = (options) => adapter("docker", options);
export const flyDeploy = (options) => adapter("fly", options);
export const supabasePostgres = (options) => adapter("postgres", options);
export const localPostgres = (options) => adapter("postgres", options);
export const s3Blob = (options) => adapter("s3", options);
export const minioBlob = (options) => adapter("s3", options);
export const daytonaSandbox = (options) => adapter("daytona", options);
export const e2bSandbox = (options) => adapter("e2b", options);
export const modalSandbox = (options) => adapter("modal", options);
export const approvalRequired = (options = {}) => ({
  ...(typeof options === "string" ? { reason: options } : options),
  approval: "required",
});
export const bearer = (token) => ({ bearer: token });
export const defaultContext = (options) => ({ kind: "default", ...options });
export const env = (name) => ({ $env: name });
