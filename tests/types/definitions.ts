// Every `define*` but `defineTool`: what is accepted, and what is an error.
import {
  adapter,
  bearer,
  defaultContext,
  defineAgent,
  defineChannel,
  defineContext,
  defineGateway,
  defineSchedule,
  dockerSandbox,
  env,
  neonPostgres,
  r2Blob,
  railwayDeploy,
  type Agent,
  type Gateway,
  type Subagent,
} from "@openeve/core";

// --- agent.ts ----------------------------------------------------------------------------------

export const customContext = defineContext({
  kind: "custom",
  name: "customContext",
  extends: defaultContext({ recentHistory: { maxMessages: 5 } }),
});

export const agent: Agent | Subagent = defineAgent({
  id: "travel-concierge",
  model: "openai/gpt-5.4-mini",
  reasoning: "xhigh",
  description: "Helps.",
  defaultTools: ["echo"],
  selfImprovement: { writable: true, writeApproval: false },
  dynamicSchedules: { dynamic: true, approval: false },
  dynamicConnections: { dynamic: false, approval: true, allowedHosts: [] },
  context: customContext,
});
export const subagent = defineAgent({ description: "Codes.", harness: adapter("codex") });

// @ts-expect-error: the model is missing.
defineAgent({ reasoning: "low" });
// @ts-expect-error: the model names no provider.
defineAgent({ model: "gpt" });
// @ts-expect-error: a misspelt key.
defineAgent({ model: "a/b", modle: "a/b" });
// @ts-expect-error: no such level.
defineAgent({ model: "a/b", reasoning: "hard" });
// @ts-expect-error: names are a list.
defineAgent({ model: "a/b", defaultTools: "echo" });
// @ts-expect-error: a misspelt key of a block.
defineAgent({ model: "a/b", selfImprovement: { writeable: true } });
// @ts-expect-error: no such engine.
defineAgent({ description: "Codes.", harness: adapter("gpt") });
// @ts-expect-error: an agent without a description is no subagent, and does not choose its engine.
defineAgent({ model: "a/b", harness: adapter("pi") });
// @ts-expect-error: a context is made by its helpers.
defineAgent({ model: "a/b", context: "custom" });
// @ts-expect-error: a custom context has a name.
defineContext({ kind: "custom", extends: defaultContext() });
// @ts-expect-error: a misspelt key.
defaultContext({ recentHistory: { max: 5 } });

// --- gateway.ts --------------------------------------------------------------------------------

export const gateway: Gateway = defineGateway({
  deploy: adapter("lambda"),
  runtime: adapter("lambda"),
  state: adapter("postgres", { schema: "openeve", url: env("DATABASE_URL") }),
  blob: adapter("s3"),
  sandbox: adapter("virtual"),
  scheduler: adapter("gateway"),
});
export const helped = defineGateway({
  deploy: railwayDeploy(),
  runtime: adapter("node"),
  state: neonPostgres(),
  blob: r2Blob({ bucket: env("BUCKET") }),
  sandbox: dockerSandbox({ image: "node:22" }),
});

// @ts-expect-error: no such kind.
defineGateway({ state: adapter("mysql") });
// @ts-expect-error: a kind of another slot.
defineGateway({ blob: adapter("postgres") });
// @ts-expect-error: a helper of another slot.
defineGateway({ sandbox: r2Blob() });
// @ts-expect-error: an adapter is a call.
defineGateway({ blob: "s3" });
// @ts-expect-error: no such slot.
defineGateway({ cache: adapter("redis") });
// @ts-expect-error: options are an object.
defineGateway({ scheduler: adapter("local", 3) });

// --- channels/<name>.ts ------------------------------------------------------------------------

export const channel = defineChannel({
  transport: "http",
  route: "/message",
  methods: ["POST"],
  auth: bearer(env("TOKEN")),
  reply: { url: env("REPLY_URL"), secret: env("REPLY_SECRET") },
  approvers: ["requester", "role:admin", "ada"],
  judgedReplies: true,
});
const people = ["ada", "bob"];
export const shortest = defineChannel({ route: "/message", auth: { bearer: env("TOKEN") }, approvers: people });

// @ts-expect-error: the route is missing.
defineChannel({ methods: ["POST"] });
// @ts-expect-error: a route begins with a slash.
defineChannel({ route: "message" });
// @ts-expect-error: no such transport.
defineChannel({ route: "/message", transport: "smtp" });
// @ts-expect-error: methods are upper case.
defineChannel({ route: "/message", methods: ["post"] });
// @ts-expect-error: a secret never stands in the folder.
defineChannel({ route: "/message", auth: bearer("s3cret") });
// @ts-expect-error: a URL is named, not written.
defineChannel({ route: "/message", reply: { url: "https://example.com" } });
// @ts-expect-error: a reply has a receiver.
defineChannel({ route: "/message", reply: { secret: env("REPLY_SECRET") } });
// @ts-expect-error: a misspelt key.
defineChannel({ route: "/message", approver: ["ada"] });

// --- schedules/<name>.ts -----------------------------------------------------------------------

export const schedule = defineSchedule({
  cron: "0 8 * * *",
  timezone: "Europe/Berlin",
  message: "Good morning.",
  idempotencyKey: "morning-2",
  channel: "message",
  conversation: "mornings",
  catchUp: "all",
});

export const handled = defineSchedule({ cron: "0 8 * * *", trigger: { handler: "nightly", input: { day: 1 } } });

// @ts-expect-error: the message is missing.
defineSchedule({ cron: "0 8 * * *" });
// @ts-expect-error: a trigger has a handler.
defineSchedule({ cron: "0 8 * * *", trigger: { name: "nightly" } });
// @ts-expect-error: the expression is missing.
defineSchedule({ message: "Good morning." });
// @ts-expect-error: no such rule.
defineSchedule({ cron: "0 8 * * *", message: "Good morning.", catchUp: "newest" });
// @ts-expect-error: a misspelt key.
defineSchedule({ cron: "0 8 * * *", message: "Good morning.", timeZone: "Europe/Berlin" });
