// Definitions that this version types and does not run yet.
import {
  adapter,
  bearer,
  defineConnection,
  defineInstrumentation,
  defineRoutine,
  defineSandbox,
  defineTrigger,
  env,
  type SandboxSession,
  type TriggerResult,
} from "@openeve/core";

import { type Equal, same } from "./equal.ts";

// --- connections -------------------------------------------------------------------------------

export const mcp = defineConnection({
  kind: "mcp",
  url: "https://mcp.example.com/mcp",
  description: "Issues.",
  auth: bearer(env("ISSUES_TOKEN")),
  tools: { allow: ["search"] },
  scopes: ["read"],
  capabilities: ["issues:read"],
  subject: "requester",
  required: true,
  tags: ["tickets"],
});
export const openapi = defineConnection({
  kind: "openapi",
  spec: "https://api.example.com/openapi.json",
  description: "Orders.",
  headers: { "x-api-key": env("ORDERS_KEY") },
  operations: { block: ["deleteOrder"] },
  needsApproval: (input) => input["amount"] === 3,
});
export const http = defineConnection({ kind: "http", baseUrl: env("SERVICE_URL"), description: "A service." });

export const tokens = defineConnection({
  kind: "mcp",
  url: "https://mcp.example.com/mcp",
  description: "Issues.",
  auth: {
    getToken(ctx) {
      same<Equal<typeof ctx.connection, string>>();
      return { token: "short-lived", expiresAt: 0 };
    },
  },
  tools: (operation) => operation.name !== "drop",
});

// @ts-expect-error: the kind is missing.
defineConnection({ url: "https://mcp.example.com/mcp", description: "Issues." });
// @ts-expect-error: the description is missing.
defineConnection({ kind: "mcp", url: "https://mcp.example.com/mcp" });
// @ts-expect-error: a key of another kind.
defineConnection({ kind: "mcp", url: "https://mcp.example.com/mcp", description: "Issues.", spec: "a.json" });
// @ts-expect-error: a service of OpenAPI has a description.
defineConnection({ kind: "openapi", description: "Orders." });
// @ts-expect-error: one list or the other.
defineConnection({ kind: "mcp", url: "u", description: "Issues.", tools: { allow: ["a"], block: ["b"] } });
// @ts-expect-error: no such subject.
defineConnection({ kind: "mcp", url: "u", description: "Issues.", subject: "user" });
// @ts-expect-error: a secret never stands in the folder.
defineConnection({ kind: "mcp", url: "u", description: "Issues.", auth: bearer("s3cret") });

// --- sandbox -----------------------------------------------------------------------------------

export const plain = defineSandbox({
  adapter: "daytona",
  image: "node:22",
  snapshot: { mode: "manual", retainLast: 3, reason: "operator-requested checkpoint" },
});
export const prepared = defineSandbox({
  backend: () => adapter("docker", { image: "node:22" }),
  region: "iad1",
  revalidationKey: () => "v3",
  async bootstrap({ use }) {
    const sandbox = await use();
    same<Equal<typeof sandbox, SandboxSession>>();
    await sandbox.run({ command: "npm ci" });
  },
  async onSession({ ctx, use }) {
    same<Equal<typeof ctx.session.id, string>>();
    const sandbox = await use({ network: "none" });
    await sandbox.writeTextFile({ path: "session", content: ctx.session.id });
  },
});

// @ts-expect-error: no such kind.
defineSandbox({ adapter: "vm" });
// @ts-expect-error: said twice.
defineSandbox({ adapter: "docker", backend: adapter("docker") });
// @ts-expect-error: no such mode.
defineSandbox({ snapshot: { mode: "sometimes" } });
// @ts-expect-error: a key of the template without a template.
defineSandbox({ revalidationKey: () => "v3" });
// @ts-expect-error: a misspelt key.
defineSandbox({ images: "node:22" });

// --- triggers ----------------------------------------------------------------------------------

export const trigger = defineTrigger({
  prepare: (ctx) => ({ skill: "digest", promptContext: { due: ctx.schedule.dueAt } }),
  finalize(_ctx, result) {
    same<Equal<typeof result, TriggerResult>>();
  },
});

// @ts-expect-error: a handler prepares something.
defineTrigger({ finalize: () => {} });
// @ts-expect-error: one target.
defineTrigger({ prepare: () => ({ skill: "digest", agent: "writer" }) });
// @ts-expect-error: some target.
defineTrigger({ prepare: () => ({ promptContext: null }) });

// --- routines ----------------------------------------------------------------------------------

export const silent = defineRoutine({
  prompt: "Tidy the notes.",
  trigger: { kind: "scheduled", cron: "0 3 * * *", timezone: "Europe/Berlin" },
  postPolicy: "never",
});
export const watch = defineRoutine({
  prompt: "Watch the status page.",
  policy: "Never mention planned maintenance.",
  trigger: { kind: "watch", everyMs: 600_000 },
  collect: [{ tool: "status", input: { page: 1 } }],
});
export const event = defineRoutine({ prompt: "Sort it.", trigger: { kind: "event", source: "inbox", event: "mail" } });

// @ts-expect-error: a watch is never silent.
defineRoutine({ prompt: "Watch.", trigger: { kind: "watch", cron: "* * * * *" }, postPolicy: "never" });
// @ts-expect-error: by an expression or by an interval.
defineRoutine({ prompt: "Do.", trigger: { kind: "scheduled", cron: "* * * * *", everyMs: 1 } });
// @ts-expect-error: no such trigger.
defineRoutine({ prompt: "Do.", trigger: { kind: "cron", cron: "* * * * *" } });
// @ts-expect-error: the prompt is missing.
defineRoutine({ trigger: { kind: "event", source: "inbox" } });

// --- instrumentation ---------------------------------------------------------------------------

export const instrumentation = defineInstrumentation({
  recordInputs: true,
  captureContent: "preview",
  functionId: "concierge",
  setup({ agentName, env: variables }) {
    same<Equal<typeof agentName, string>>();
    const url = variables["OTLP_URL"];
    return {
      async export(spans) {
        await fetch(url ?? "http://127.0.0.1:4318", { method: "POST", body: JSON.stringify(spans) });
      },
    };
  },
});

// @ts-expect-error: no such amount.
defineInstrumentation({ captureContent: "some" });
// @ts-expect-error: a sink takes spans.
defineInstrumentation({ setup: () => ({ send: () => {} }) });
