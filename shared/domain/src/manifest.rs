//! The manifest: what the compiler read out of an agent folder, and all that a function knows.
//!
//! Plain data, versioned, free of secrets: where a value is secret it names the environment
//! variable that holds it. `manifest.json` in the artifact is this type as JSON.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::canonical::{PartsHash, sorted};
use crate::status::SideEffects;

mod agent;
mod capability;
mod subagent;
mod whole;

pub use agent::{DynamicConnections, DynamicSchedules, SelfImprovement};
pub use capability::{CapabilityPlace, CapabilitySpec, Visibility, WarningSpec};
pub use subagent::{PartSpec, SubagentSpec};

/// A compiled agent [A4.07].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    /// Version of this form; 1.
    pub format: u32,
    /// Hash over source paths, source hashes and relevant configuration [A4.06].
    pub revision: String,
    /// `agent.ts`.
    pub agent: AgentSpec,
    /// `instructions.md`, as it stands.
    pub instructions: String,
    /// `gateway.ts`: slot → adapter.
    pub gateway: BTreeMap<String, AdapterSpec>,
    /// `tools/`, by name.
    pub tools: Vec<ToolSpec>,
    /// Tool → what is known for its discovery [E.09].
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub capabilities: BTreeMap<String, CapabilitySpec>,
    /// `channels/`, by name.
    pub channels: Vec<ChannelSpec>,
    /// `schedules/`, by name.
    pub schedules: Vec<ScheduleSpec>,
    /// `skills/`, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skills: Vec<SkillSpec>,
    /// What else the folder declares, in the order of its files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<PartSpec>,
    /// `subagents/`, by name, each with what it holds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub subagents: Vec<SubagentSpec>,
    /// Every environment variable the folder names, sorted.
    pub env: Vec<String>,
    /// Source path → SHA-256.
    pub sources: BTreeMap<String, String>,
    /// Version of the compiler and of the packages the modules were bundled from.
    pub versions: BTreeMap<String, String>,
    /// What validation warned of when the folder was built. No part of the revision.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub validation: Vec<WarningSpec>,
}

/// What `agent.ts` says [A2.02].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentSpec {
    /// Stable identity that scopes durable state across revisions; the folder's name by default.
    pub id: String,
    /// `provider/model`.
    pub model: String,
    /// How hard the model thinks.
    #[serde(default)]
    pub reasoning: Reasoning,
    /// For people and catalogues.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Tools mounted directly, by name.
    #[serde(default)]
    pub default_tools: Vec<String>,
    /// What a turn's request is made of. None: what `context.ts` says, else the default [D.01].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<Value>,
    /// Skills that the agent may write.
    #[serde(default, skip_serializing_if = "is_default")]
    pub self_improvement: SelfImprovement,
    /// Schedules that it may make.
    #[serde(default, skip_serializing_if = "is_default")]
    pub dynamic_schedules: DynamicSchedules,
    /// Connections that it may add.
    #[serde(default, skip_serializing_if = "is_default")]
    pub dynamic_connections: DynamicConnections,
}

/// How hard a model thinks [A2.05].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reasoning {
    /// Not at all.
    Off,
    /// As little as the model can.
    Minimal,
    /// A little.
    Low,
    /// The default.
    #[default]
    Medium,
    /// Much.
    High,
    /// As much as the model can.
    Xhigh,
}

impl Reasoning {
    /// Every level's text, for a diagnostic.
    pub const TEXTS: [&'static str; 6] = ["off", "minimal", "low", "medium", "high", "xhigh"];
}

/// One slot of `gateway.ts`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AdapterSpec {
    /// The adapter's kind, such as `postgres`.
    pub kind: String,
    /// Its options, if any.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub options: Value,
}

/// One tool [E.02].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolSpec {
    /// The file's name.
    pub name: String,
    /// What the model reads to decide.
    pub description: String,
    /// JSON Schema of the arguments.
    pub input_schema: Value,
    /// What running it twice would do.
    #[serde(default)]
    pub side_effects: SideEffects,
    /// Whether it may share a batch.
    #[serde(default)]
    pub execution: Execution,
    /// Wall time of one call, in milliseconds, if the author set less than the limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// Whether a person must approve a call before it runs. None: never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<ApprovalSpec>,
    /// The bundled module.
    pub module: ModuleRef,
    /// The source file, relative to the folder.
    pub source: String,
}

/// What `needsApproval` says [E.13].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalSpec {
    /// Why, as the person who decides reads it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether the tool's own function decides, once for each call, on the call's input.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub predicate: bool,
    /// Who may decide: user ids as the channel names them, `role:` and a role, `requester`, or
    /// `anyone`. Empty: whoever the channel says, else the requester.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub approvers: Vec<String>,
}

/// Whether a tool may run beside others [C.10].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Execution {
    /// Beside others.
    #[default]
    Parallel,
    /// Alone; one such call makes its whole batch sequential.
    Sequential,
}

/// A bundled module in the artifact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModuleRef {
    /// Path below the artifact's root.
    pub path: String,
    /// SHA-256 of the file; checked before it is run.
    pub sha256: String,
}

/// One channel [I.02].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChannelSpec {
    /// The file's name.
    pub name: String,
    /// How it is reached; `http` is the one transport so far.
    pub transport: String,
    /// Path of the route, such as `/message`.
    pub route: String,
    /// HTTP methods, upper case.
    pub methods: Vec<String>,
    /// Who may call it. None: open in development, closed elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auth: Option<ChannelAuth>,
    /// Where replies go. None: they stay on the run, to be read there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<ReplySpec>,
    /// Who may approve, answer and reject in this channel's conversations, unless the tool says
    /// otherwise. Empty: the requester.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub approvers: Vec<String>,
    /// Whether an answer that is only the sentinel `NO_REPLY` means silence [Z.10].
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub judged_replies: bool,
    /// The source file, relative to the folder.
    pub source: String,
}

/// How a caller proves who it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChannelAuth {
    /// The environment variable with the bearer token.
    pub bearer: EnvRef,
}

/// Where a channel's replies are posted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReplySpec {
    /// The environment variable with the receiver's URL.
    pub url: EnvRef,
    /// The environment variable with the signing secret of Standard Webhooks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<EnvRef>,
}

/// A value that lives in the environment; the manifest holds its name alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EnvRef {
    /// The variable's name.
    #[serde(rename = "$env")]
    pub name: String,
}

/// One static schedule [G1.01].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ScheduleSpec {
    /// The file's name.
    pub name: String,
    /// Five or six fields.
    pub cron: String,
    /// IANA zone.
    pub timezone: String,
    /// What the agent is told when it fires.
    pub message: String,
    /// Distinguishes two lives of one schedule name; the name by default.
    pub idempotency_key: String,
    /// The channel that delivers the reply, by name. None: the reply stays on the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    /// The conversation its fires belong to; the schedule's name by default.
    pub conversation: String,
    /// What happens to occurrences that were missed.
    #[serde(default)]
    pub catch_up: CatchUp,
    /// The handler around what it starts [G3.01]. None: the agent gets the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger: Option<TriggerRef>,
    /// The source file, relative to the folder.
    pub source: String,
}

/// The handler that a schedule names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TriggerRef {
    /// The name of a file in `triggers/`.
    pub handler: String,
    /// What the schedule hands to it.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub input: Value,
}

/// One skill: what a model sees of it before it loads the body [F.01, F.02].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SkillSpec {
    /// The directory's name.
    pub name: String,
    /// What it is for and when to use it.
    pub description: String,
    /// Tools that it speaks of [F.16].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// SHA-256 of `SKILL.md`; a changed skill is told from a pristine one by it [F.06].
    pub sha256: String,
    /// `skills/<name>/SKILL.md`, relative to the folder, and below `assets/` in the artifact.
    pub source: String,
    /// What lies beside it, placed in the same way.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileRef>,
}

/// A file of the folder that goes into the artifact as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRef {
    /// Relative to the folder, and below `assets/` in the artifact.
    pub path: String,
    /// SHA-256 of the file.
    pub sha256: String,
}

/// What happens to occurrences that fell into an outage [Z.13].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CatchUp {
    /// They coalesce into the newest.
    #[default]
    Latest,
    /// Each fires.
    All,
    /// Only what is due in this very interval fires.
    None,
}

/// Whether a value is what stands for it where it is absent.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// One row of `route-table.json` [A4.08].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Route {
    /// Path of the route.
    pub path: String,
    /// HTTP methods, upper case.
    pub methods: Vec<String>,
    /// The channel it leads to.
    pub channel: String,
}

impl Manifest {
    /// The manifest form this build writes and reads.
    pub const FORMAT: u32 = 1;

    /// A tool by name.
    pub fn tool(&self, name: &str) -> Option<&ToolSpec> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    /// A channel by name.
    pub fn channel(&self, name: &str) -> Option<&ChannelSpec> {
        self.channels.iter().find(|channel| channel.name == name)
    }

    /// A hash of what a continuation can reach: tool names, schemas and side-effect classes. A run
    /// may go on with a revision of the same surface; a changed description strands nobody.
    pub fn surface_hash(&self) -> String {
        let mut hash = PartsHash::default();
        for tool in &self.tools {
            hash.part(&tool.name)
                .part(sorted(tool.input_schema.clone()).to_string())
                .part(tool.side_effects.as_str());
        }
        hash.finish()
    }

    /// The variables that tools may read: all the folder names but those its channels use.
    pub fn tool_env(&self) -> Vec<&str> {
        let channels = self.channels.iter().flat_map(|channel| {
            let auth = channel.auth.iter().map(|auth| auth.bearer.name.as_str());
            let reply = channel.reply.iter().flat_map(|reply| {
                std::iter::once(reply.url.name.as_str())
                    .chain(reply.secret.iter().map(|secret| secret.name.as_str()))
            });
            auth.chain(reply)
        });
        let channels: Vec<&str> = channels.collect();
        self.env
            .iter()
            .map(String::as_str)
            .filter(|name| !channels.contains(name))
            .collect()
    }

    /// The route table, in channel order.
    pub fn routes(&self) -> Vec<Route> {
        self.channels
            .iter()
            .map(|channel| Route {
                path: channel.route.clone(),
                methods: channel.methods.clone(),
                channel: channel.name.clone(),
            })
            .collect()
    }
}
