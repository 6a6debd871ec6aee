//! The keys of the definitions that this version reads, records in the manifest and does not run yet.

/// One key of a definition.
#[derive(Debug, Clone, Copy)]
pub(super) struct Key {
    pub(super) name: &'static str,
    /// What to write if it is absent; none if it may be.
    pub(super) required: Option<&'static str>,
    pub(super) form: Form,
}

/// What a key takes.
#[derive(Debug, Clone, Copy)]
pub(super) enum Form {
    Text,
    Flag,
    /// A whole number from 1 to this.
    Count(u64),
    Choice(&'static [&'static str]),
    Texts,
    /// A function.
    Code,
    /// A string, or `env("NAME")`.
    TextOrEnv,
    /// `env("NAME")`.
    Env,
    /// `adapter("kind")` of one of these kinds, or a function that makes one.
    AdapterOrCode(&'static [&'static str]),
    /// `bearer(env("NAME"))`, or an object with one way to prove who is asking.
    Auth,
    /// `approvalRequired(…)`, a boolean or a function.
    Approval,
    /// `defaultContext(…)` or `defineContext(…)`.
    Context,
    /// Anything with JSON.
    Json,
    Object(&'static [Key]),
    /// The same, or a function.
    ObjectOrCode(&'static [Key]),
}

const fn may(name: &'static str, form: Form) -> Key {
    Key {
        name,
        required: None,
        form,
    }
}

const fn must(name: &'static str, form: Form, help: &'static str) -> Key {
    Key {
        name,
        required: Some(help),
        form,
    }
}

/// Bounds of recent history [D.08].
pub(super) const HISTORY: &[Key] = &[
    may("maxMessages", Form::Count(10_000)),
    may("maxBytes", Form::Count(16 * 1_024 * 1_024)),
];
/// What `defaultContext` takes.
pub(super) const DEFAULT_CONTEXT: &[Key] = &[may("recentHistory", Form::Object(HISTORY))];

/// `defineContext` [D.08].
pub(super) const CONTEXT: &[Key] = &[
    must("kind", Form::Choice(&["custom"]), "add kind: \"custom\""),
    must(
        "name",
        Form::Text,
        "add a name, as runs and the manifest show it",
    ),
    must("extends", Form::Context, "add extends: defaultContext()"),
];

/// `defineInstrumentation`.
pub(super) const INSTRUMENTATION: &[Key] = &[
    may("setup", Form::Code),
    may("recordInputs", Form::Flag),
    may("recordOutputs", Form::Flag),
    may("captureContent", Form::Choice(&["none", "preview", "full"])),
    may("functionId", Form::Text),
];

/// `defineTrigger` (ledger G3).
pub(super) const TRIGGER: &[Key] = &[
    may("description", Form::Text),
    must(
        "prepare",
        Form::Code,
        "add async prepare(ctx) { … } that says what to start",
    ),
    may("finalize", Form::Code),
];

/// Keys that every connection has [J.01].
pub(super) const CONNECTION: &[Key] = &[
    must(
        "kind",
        Form::Choice(CONNECTION_KINDS),
        "add kind: \"mcp\", \"openapi\" or \"http\"",
    ),
    must(
        "description",
        Form::Text,
        "say what the service is for; the model reads it to decide whether to search it",
    ),
    may("capabilities", Form::Texts),
    may("scopes", Form::Texts),
    may("subject", Form::Choice(&["agent", "requester"])),
    may("required", Form::Flag),
    may("auth", Form::Auth),
    may("headers", Form::Json),
    may("needsApproval", Form::Approval),
    may("tags", Form::Texts),
];
/// The kinds of connections.
pub(super) const CONNECTION_KINDS: &[&str] = &["mcp", "openapi", "http"];
/// `auth` of a connection, written out.
pub(super) const AUTH: &[Key] = &[
    may("bearer", Form::Env),
    may("oauth", Form::Object(OAUTH)),
    may("getToken", Form::Code),
];
const OAUTH: &[Key] = &[
    must(
        "authorizeUrl",
        Form::Text,
        "add authorizeUrl: where the person is sent to consent",
    ),
    must(
        "tokenUrl",
        Form::Text,
        "add tokenUrl: where the code is exchanged for a token",
    ),
    must(
        "clientId",
        Form::Env,
        "add clientId: env(\"SERVICE_CLIENT_ID\")",
    ),
    may("clientSecret", Form::Env),
];
const FILTER: &[Key] = &[may("allow", Form::Texts), may("block", Form::Texts)];

/// A server of the Model Context Protocol.
pub(super) const MCP: &[Key] = &[
    must("url", Form::TextOrEnv, "add url: the server's endpoint"),
    may("tools", Form::ObjectOrCode(FILTER)),
];
/// A service with an `OpenAPI` description.
pub(super) const OPENAPI: &[Key] = &[
    must(
        "spec",
        Form::TextOrEnv,
        "add spec: where the OpenAPI description is, a URL or a path in the folder",
    ),
    may("baseUrl", Form::TextOrEnv),
    may("operations", Form::ObjectOrCode(FILTER)),
];
/// A service without a description.
pub(super) const HTTP: &[Key] = &[must(
    "baseUrl",
    Form::TextOrEnv,
    "add baseUrl: where the service is",
)];

/// The kinds of sandboxes [Z.07].
pub(super) const SANDBOX_KINDS: &[&str] = &[
    "virtual",
    "docker",
    "local",
    "e2b",
    "daytona",
    "modal",
    "vercel",
    "microsandbox",
    "justbash",
];
const SNAPSHOT: &[Key] = &[
    may(
        "mode",
        Form::Choice(&["never", "manual", "on_failure", "always"]),
    ),
    may("retainLast", Form::Count(100)),
    may("reason", Form::Text),
];
const KEEP: &[Key] = &[
    must("count", Form::Count(100), "add count: how many are kept"),
    may("deleteEvicted", Form::Flag),
];

/// `defineSandbox` (ledger K1).
pub(super) const SANDBOX: &[Key] = &[
    may("description", Form::Text),
    may("adapter", Form::Choice(SANDBOX_KINDS)),
    may("backend", Form::AdapterOrCode(SANDBOX_KINDS)),
    may("image", Form::Text),
    may("region", Form::Text),
    may("env", Form::Json),
    may("timeout", Form::Count(7 * 24 * 3_600_000)),
    may("snapshotExpiration", Form::Count(365 * 24 * 3_600_000)),
    may("keepLastSnapshots", Form::Object(KEEP)),
    may("snapshot", Form::Object(SNAPSHOT)),
    may("persist", Form::Flag),
    may("bootstrap", Form::Code),
    may("onSession", Form::Code),
    may("revalidationKey", Form::Code),
];

/// `selfImprovement` of the agent [A2.08].
pub(super) const SELF_IMPROVEMENT: &[Key] = &[
    may("writable", Form::Flag),
    may("writeApproval", Form::Flag),
];

/// `dynamicSchedules` of the agent [A2.09].
pub(super) const DYNAMIC_SCHEDULES: &[Key] =
    &[may("dynamic", Form::Flag), may("approval", Form::Flag)];

/// `dynamicConnections` of the agent [A2.10].
pub(super) const DYNAMIC_CONNECTIONS: &[Key] = &[
    may("dynamic", Form::Flag),
    may("approval", Form::Flag),
    may("allowedHosts", Form::Texts),
];
