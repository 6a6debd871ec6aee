//! What an agent has besides tools, channels, schedules and skills: subagents, and parts that are
//! recorded and not run yet.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{AdapterSpec, CapabilitySpec, ModuleRef, Reasoning, SkillSpec, ToolSpec};

/// One subagent: `subagents/<name>/`, with what it holds [A1.08]. Nothing of it is shared with the
/// agent above it; its names are its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SubagentSpec {
    /// The directory's name.
    pub name: String,
    /// What it is for: what the model reads to decide whether to delegate.
    pub description: String,
    /// `provider/model`. None: that of the agent above it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How hard its model thinks.
    #[serde(default)]
    pub reasoning: Reasoning,
    /// Its own tools that are mounted directly, by name.
    #[serde(default)]
    pub default_tools: Vec<String>,
    /// The engine it is delegated to [C.02]. None: the same as the agent's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub harness: Option<AdapterSpec>,
    /// What its requests are made of. None: the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<Value>,
    /// Its `instructions.md`, as it stands.
    pub instructions: String,
    /// Its `tools/`, by name.
    #[serde(default)]
    pub tools: Vec<ToolSpec>,
    /// Tool → what is known for its discovery.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub capabilities: BTreeMap<String, CapabilitySpec>,
    /// Its `skills/`, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skills: Vec<SkillSpec>,
    /// What else it declares.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<PartSpec>,
    /// Subagents of its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub subagents: Vec<SubagentSpec>,
    /// Its `agent.ts`, relative to the folder.
    pub source: String,
}

/// A part that this version records and does not run yet: context, instrumentation, trigger,
/// connection or sandbox [A4.07].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PartSpec {
    /// Which part.
    pub kind: String,
    /// The file's name.
    pub name: String,
    /// What its definition says; code is `{"$code": true}`, a variable `{"$env": "NAME"}`, a value
    /// that was made by code when the agent was built `{"$frozen": …}`.
    pub definition: Value,
    /// The bundled module with the whole definition, if there is code in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub module: Option<ModuleRef>,
    /// The source file, relative to the folder.
    pub source: String,
}
