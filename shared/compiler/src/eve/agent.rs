//! `agent.ts` of eve, of the root and of a subagent.

use std::fmt::Write as _;

use super::edit::quoted;
use super::file::File;
use super::source::{Exported, Kind, Object, Property};

/// The model that eve takes when nothing says which.
const DEFAULT_MODEL: &str = "openai/gpt-6-luna-fast";

/// What the rest of the folder says about an agent.
pub(super) struct About {
    /// The name that eve gives the agent.
    pub(super) name: String,
    /// The tools that the model sees from the start.
    pub(super) tools: Vec<String>,
    pub(super) is_subagent: bool,
}

/// Keys of eve's that have no counterpart, what that means, and whether something is left to do.
const DROPPED: &[(&str, &str, bool)] = &[
    (
        "modelContextWindowTokens",
        "the size of the model's window is not asked for",
        false,
    ),
    (
        "modelOptions",
        "a provider's own options are not passed on",
        true,
    ),
    (
        "compaction",
        "history is bounded by messages and bytes instead",
        false,
    ),
    (
        "limits",
        "bounds on tokens, money and time are settings of the deployment (docs/configuration.md)",
        true,
    ),
    (
        "build",
        "tools are bundled whole; a package with native code cannot run",
        false,
    ),
    (
        "tool",
        "which subagents the model sees is not said here",
        true,
    ),
    (
        "outputSchema",
        "an answer is text; let a tool take the structured result",
        true,
    ),
    (
        "experimental",
        "experiments of eve are not carried over",
        true,
    ),
    ("name", "the id says which agent it is", false),
];

/// Keys that are ours, too.
const KEPT: &[&str] = &["model", "reasoning", "description"];

/// An `agent.ts` for a folder that has none.
pub(super) fn generated(about: &About) -> String {
    let mut text =
        "import { defineAgent } from \"@openeve/core\";\n\nexport default defineAgent({\n"
            .to_owned();
    for property in properties(about) {
        let _infallible = writeln!(text, "  {property},");
    }
    let model = quoted(DEFAULT_MODEL);
    let _infallible = writeln!(text, "  model: {model},\n  reasoning: \"high\",\n}});");
    text
}

/// Rewrites the definition. False if there is none that can be.
pub(super) fn rewrite(file: &mut File<'_>, about: &About) -> bool {
    let Exported::Call(call) = &file.module.default else {
        return false;
    };
    if file
        .eve_name(call)
        .is_none_or(|(_, name)| name != "defineAgent")
    {
        return false;
    }
    let Some(Kind::Object(object)) = call.argument.as_ref().map(|value| value.kind.clone()) else {
        return false;
    };
    file.prepend(&object, &properties(about));
    for property in &object.properties {
        match property.key.as_deref() {
            Some("model") => model(file, property),
            Some("reasoning") => reasoning(file, &object, property),
            Some(key) if KEPT.contains(&key) => {}
            Some(key) => drop(file, &object, key),
            None => file.todo(
                property.span,
                "a spread is read only if it can be without running the code",
            ),
        }
    }
    true
}

fn properties(about: &About) -> Vec<String> {
    let mut properties = Vec::new();
    if !about.is_subagent {
        properties.push(format!("id: {}", quoted(&about.name)));
    }
    if !about.tools.is_empty() {
        let names: Vec<String> = about.tools.iter().map(|name| quoted(name)).collect();
        properties.push(format!("defaultTools: [{}]", names.join(", ")));
    }
    properties
}

fn drop(file: &mut File<'_>, object: &Object, key: &str) {
    match DROPPED.iter().find(|(name, ..)| *name == key) {
        Some((_, why, todo)) => file.drop_property(object, key, why, *todo),
        None => file.drop_property(object, key, "OpenEve has no such key", true),
    }
}

/// A gateway's id stays; a provider's own call becomes one.
fn model(file: &mut File<'_>, property: &Property) {
    const ENDPOINT: &str = "which endpoint answers is a setting of the deployment (OPENEVE_MODEL_BASE_URL, OPENEVE_MODEL_API_KEY in docs/configuration.md); write model: \"provider/model\"";
    match &property.value.kind {
        Kind::Text(_) => {}
        Kind::Or(text) => {
            let text = text.clone();
            file.set(property, "model", &quoted(&text));
            file.note(
                property.span,
                "the environment chose the model; this is what it fell back to",
            );
        }
        Kind::Call(call) => {
            let provider = file
                .module
                .origin(&call.callee)
                .and_then(|(module, _)| provider(module));
            let id = call
                .argument
                .as_ref()
                .and_then(|argument| match &argument.kind {
                    Kind::Text(text) | Kind::Or(text) => Some(text.clone()),
                    Kind::Bool(_)
                    | Kind::Call(_)
                    | Kind::Function(_)
                    | Kind::Env(_)
                    | Kind::Prefixed(..)
                    | Kind::Object(_)
                    | Kind::Other => None,
                });
            let callee = call.callee.clone();
            match (provider, id) {
                (Some(provider), Some(id)) => {
                    let model = format!("{provider}/{id}");
                    file.set(property, "model", &quoted(&model));
                    file.dropped.insert(callee);
                    file.note(property.span, "a provider's own call became the model's name; its key is OPENEVE_MODEL_API_KEY");
                }
                _ => file.todo(
                    property.span,
                    format!("{callee}() makes the model while the file runs; {ENDPOINT}"),
                ),
            }
        }
        Kind::Bool(_) | Kind::Function(_) | Kind::Env(_) | Kind::Prefixed(..) | Kind::Object(_) => {
            file.todo(
                property.span,
                "the model must be written out: model: \"provider/model\"",
            );
        }
        // A member of another file's constant is read by the compiler.
        Kind::Other => file.note(property.span, "the model is read where it is defined"),
    }
}

/// The provider that a package or a module of eve stands for.
fn provider(module: &str) -> Option<&str> {
    module
        .strip_prefix("@ai-sdk/")
        .or_else(|| module.strip_prefix("eve/models/"))
        .filter(|name| !name.contains('/') && !name.contains("compatible"))
}

fn reasoning(file: &mut File<'_>, object: &Object, property: &Property) {
    let Kind::Text(level) = &property.value.kind else {
        return;
    };
    match level.as_str() {
        "none" => file.set(property, "reasoning", "\"off\""),
        "provider-default" => {
            file.drop_property(object, "reasoning", "medium is the default here", false);
        }
        _ => {}
    }
}
