//! What is known about tools for their discovery, and what validation had to say.

use serde::{Deserialize, Serialize};

/// Metadata of one tool for its discovery [E.09]; what its author left out is inferred.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CapabilitySpec {
    /// When the model sees the tool.
    pub visibility: Visibility,
    /// Where it runs.
    pub execution: CapabilityPlace,
    /// What it belongs to, such as `billing`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Words under which it is found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Other names under which it is found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
}

/// When a model sees a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Visibility {
    /// From the start, with its schema.
    Always,
    /// Once it searched for it.
    #[default]
    Deferred,
    /// Once a skill that lists it was loaded.
    Skill,
    /// Never; trusted code may call it.
    Hidden,
}

/// Where a tool runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CapabilityPlace {
    /// In the trusted runtime.
    #[default]
    Direct,
    /// On the agent's computer.
    Sandbox,
    /// On either.
    Both,
}

/// One warning of the compiler about a folder that it built. Errors are never here: with one there
/// is no manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WarningSpec {
    /// The stable code, such as `not-yet-supported`.
    pub code: String,
    /// What it is about, in a sentence.
    pub message: String,
    /// `file:line:column`, or as much of it as is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
}
