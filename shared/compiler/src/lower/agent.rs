//! `agent.ts`, of the agent itself and of a subagent (ledger A2, A1.08).

use openeve_domain::manifest::{
    AdapterSpec, AgentSpec, DynamicConnections, DynamicSchedules, Reasoning, SelfImprovement,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Read;
use super::definition::definition;
use super::fields::{Fields, Reader};
use super::foreign;
use super::modules::Modules;
use super::reference::To;
use super::shapes::{self, Key};
use super::value::{Kind, Node};
use crate::diagnostic::Code;
use crate::discover::{SourceFile, is_name};

/// Keys of the agent itself.
const KEYS: &[&str] = &[
    "id",
    "model",
    "reasoning",
    "description",
    "defaultTools",
    "selfImprovement",
    "dynamicSchedules",
    "dynamicConnections",
    "context",
];
/// Keys of a subagent.
const SUBAGENT_KEYS: &[&str] = &[
    "description",
    "model",
    "reasoning",
    "defaultTools",
    "harness",
    "context",
];
/// The engines that a subagent may be delegated to [C.02].
const HARNESSES: &[&str] = &["pi", "codex", "claude-code", "livekit"];

const MODEL_HELP: &str = "write provider/model, such as \"openai/gpt-5.4-mini\"";
const CHOSEN_HELP: &str = "write the model that is used, such as model: \"openai/gpt-5.4-mini\"; it is part of the revision, so no variable of the environment chooses it: another model is another build, such as from a const or a JSON file of the folder";
const HOST_HELP: &str =
    "write a host alone, such as \"mcp.example.com\", or \"*.example.com\" for all below it";

/// Whose `agent.ts` it is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Role<'f> {
    /// The agent's; the folder's name gives its id if it says none.
    Root(&'f str),
    /// A subagent's.
    Subagent,
}

/// What `agent.ts` says.
#[derive(Debug)]
pub(crate) struct AgentDraft {
    pub(crate) id: String,
    /// None only in a subagent: that of the agent above it.
    pub(crate) model: Option<String>,
    pub(crate) reasoning: Reasoning,
    /// None only in the agent itself.
    pub(crate) description: Option<String>,
    pub(crate) default_tools: Vec<String>,
    pub(crate) harness: Option<AdapterSpec>,
    pub(crate) context: Option<Value>,
    self_improvement: SelfImprovement,
    dynamic_schedules: DynamicSchedules,
    dynamic_connections: DynamicConnections,
}

impl AgentDraft {
    /// As the manifest says the agent itself. None without a model.
    pub(crate) fn spec(&self) -> Option<AgentSpec> {
        Some(AgentSpec {
            id: self.id.clone(),
            model: self.model.clone()?,
            reasoning: self.reasoning,
            description: self.description.clone(),
            default_tools: self.default_tools.clone(),
            context: self.context.clone(),
            self_improvement: self.self_improvement,
            dynamic_schedules: self.dynamic_schedules,
            dynamic_connections: self.dynamic_connections.clone(),
        })
    }
}

/// Reads `agent.ts`.
pub(crate) fn agent(file: &SourceFile, role: Role<'_>, modules: &Modules<'_>) -> Read<AgentDraft> {
    let definition = match definition(file, "defineAgent", modules) {
        Ok(definition) => definition,
        Err(found) => return Read::failed(found),
    };
    let mut reader = Reader::new(file);
    let fields = Fields {
        owner: "defineAgent",
        span: definition.span,
        object: &definition.object,
    };
    let (keys, describe_help) = match role {
        Role::Root(_) => (KEYS, "write a sentence, or leave the key out"),
        Role::Subagent => (
            SUBAGENT_KEYS,
            "say what the subagent is for; the model reads it to decide whether to delegate",
        ),
    };
    foreign::report(&mut reader, fields, keys);
    let (id, harness) = match role {
        Role::Root(folder) => {
            report_harness(&mut reader, fields);
            reader.require(fields, "model", "add model: \"openai/gpt-5.4-mini\"");
            (id(&mut reader, fields, folder), None)
        }
        Role::Subagent => {
            reader.require(fields, "description", describe_help);
            let harness = reader.adapter(fields, "harness", HARNESSES);
            let harness = harness.and_then(|one| serde_json::from_value(one).ok());
            (String::new(), harness)
        }
    };
    let model = model(&mut reader, fields);
    let reasoning = reader
        .choice(fields, "reasoning", &Reasoning::TEXTS)
        .and_then(|text| serde_json::from_value(text.into()).ok())
        .unwrap_or_default();
    let description = reader.text(fields, "description", describe_help);
    let draft = AgentDraft {
        id,
        model,
        reasoning,
        description: description.map(|(text, _)| text.to_owned()),
        default_tools: default_tools(&mut reader, fields),
        harness,
        context: context(&mut reader, fields),
        self_improvement: block(
            &mut reader,
            fields,
            "selfImprovement",
            shapes::SELF_IMPROVEMENT,
        ),
        dynamic_schedules: block(
            &mut reader,
            fields,
            "dynamicSchedules",
            shapes::DYNAMIC_SCHEDULES,
        ),
        dynamic_connections: connections(&mut reader, fields),
    };
    report_without_effect(&mut reader, fields, &draft);
    let is_whole = match role {
        Role::Root(_) => draft.model.is_some(),
        Role::Subagent => draft.description.is_some(),
    };
    reader.read(is_whole.then_some(draft))
}

fn default_tools(reader: &mut Reader<'_>, fields: Fields<'_>) -> Vec<String> {
    let help = "write the names of files in tools/, such as [\"book_table\"]";
    let mut names = Vec::new();
    for (name, span) in reader
        .texts(fields, "defaultTools", help)
        .unwrap_or_default()
    {
        reader.refer(To::OwnTool, &name, span, "defaultTools names");
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn context(reader: &mut Reader<'_>, fields: Fields<'_>) -> Option<Value> {
    let node = reader.get(fields, "context")?;
    reader.context("context", node)
}

/// One of the blocks of what an agent may change about itself.
fn block<T: DeserializeOwned + Default>(
    reader: &mut Reader<'_>,
    fields: Fields<'_>,
    key: &'static str,
    shape: &'static [Key],
) -> T {
    let help = "write an object, or leave the key out";
    let Some(inner) = reader.object(fields, key, help) else {
        return T::default();
    };
    let read = reader.shaped(inner, &[shape]);
    serde_json::from_value(Value::Object(read)).unwrap_or_default()
}

fn connections(reader: &mut Reader<'_>, fields: Fields<'_>) -> DynamicConnections {
    let key = "dynamicConnections";
    let mut found: DynamicConnections = block(reader, fields, key, shapes::DYNAMIC_CONNECTIONS);
    found
        .allowed_hosts
        .iter_mut()
        .for_each(|host| host.make_ascii_lowercase());
    let Some(node) = fields.object.get(key) else {
        return found;
    };
    let mut hosts = Vec::new();
    if let Kind::Object(object) = &node.kind
        && let Some(list) = object.get("allowedHosts")
        && let Kind::List(items) = &list.kind
    {
        hosts.extend(items);
    }
    let is_wrong = |host: &&&Node| host.text().is_some_and(|text| !is_host(text));
    for host in hosts.iter().filter(is_wrong) {
        let message = format!("{:?} is no host", host.text().unwrap_or_default());
        reader.report(Code::BadValue, host.span, message, HOST_HELP);
    }
    if found.dynamic && found.allowed_hosts.is_empty() {
        let message =
            "dynamicConnections is on, and allowedHosts names no host that one may lead to";
        let help = "add allowedHosts: [\"mcp.example.com\"], or write dynamic: false";
        reader.report(Code::BadValue, node.span, message, help);
    }
    found
}

/// Whether a text is the name of a host, or of all hosts below one.
fn is_host(text: &str) -> bool {
    let name = text.strip_prefix("*.").unwrap_or(text);
    let is_label = |label: &str| {
        !label.is_empty()
            && !label.starts_with('-')
            && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
    };
    name.len() <= 253 && name.split('.').all(is_label)
}

/// Says once what has no effect in this version though it is asked for.
fn report_without_effect(reader: &mut Reader<'_>, fields: Fields<'_>, draft: &AgentDraft) {
    let asked = [
        ("selfImprovement", draft.self_improvement.writable),
        ("dynamicSchedules", draft.dynamic_schedules.dynamic),
        ("dynamicConnections", draft.dynamic_connections.dynamic),
        ("context", draft.context.is_some()),
    ];
    let mut found: Vec<_> = asked
        .iter()
        .filter(|(_, is_asked)| *is_asked)
        .filter_map(|(key, _)| {
            let mut entries = fields.object.entries.iter();
            let entry = entries.find(|entry| entry.key == *key);
            entry.map(|entry| (*key, entry.key_span))
        })
        .collect();
    found.sort_by_key(|(_, span)| *span);
    let Some((_, span)) = found.first() else {
        return;
    };
    let keys: Vec<&str> = found.iter().map(|(key, _)| *key).collect();
    let have = if keys.len() == 1 { "has" } else { "have" };
    let message = format!(
        "{} {have} no effect in this version; the manifest records what is said",
        keys.join(", ")
    );
    reader.report(Code::NotYetSupported, *span, message, "");
}

fn report_harness(reader: &mut Reader<'_>, fields: Fields<'_>) {
    if let Some(entry) = fields
        .object
        .entries
        .iter()
        .find(|entry| entry.key == "harness")
    {
        reader.report(
            Code::HarnessNotConfigurable,
            entry.key_span,
            "an agent does not choose its engine: harness is not a key of agent.ts",
            "remove harness; model and reasoning say which model runs and how hard it thinks",
        );
    }
}

fn model(reader: &mut Reader<'_>, fields: Fields<'_>) -> Option<String> {
    if let Some(node) = fields.object.get("model")
        && let Some(why) = node.why_unreadable()
        && (why.starts_with("a choice ") || why.starts_with("the environment variable "))
    {
        let message = format!("model cannot be read without running the code: it is {why}");
        reader.report(Code::NotStatic, node.span, message, CHOSEN_HELP);
        return None;
    }
    let (text, span) = reader.text(fields, "model", MODEL_HELP)?;
    match text.split_once('/') {
        Some((provider, name))
            if !provider.is_empty() && !name.is_empty() && !text.contains(char::is_whitespace) =>
        {
            Some(text.to_owned())
        }
        _ => {
            let message = format!("{text:?} does not name a provider and a model");
            reader.report(Code::BadValue, span, message, MODEL_HELP);
            None
        }
    }
}

fn id(reader: &mut Reader<'_>, fields: Fields<'_>, folder: &str) -> String {
    let help = "write a letter, then up to 63 letters, digits, _ or -";
    match reader.text(fields, "id", help) {
        Some((text, _)) if is_name(text) => text.to_owned(),
        Some((text, span)) => {
            let message = format!("{text:?} cannot be an id");
            reader.report(Code::BadValue, span, message, help);
            slug(folder)
        }
        None => slug(folder),
    }
}

/// A folder's name as an id: lower case, other characters as hyphens.
fn slug(folder: &str) -> String {
    let lower = folder.to_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .collect();
    let joined = words
        .into_iter()
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join("-");
    let start = joined.trim_start_matches(|c: char| !c.is_ascii_alphabetic());
    let slug: String = start.chars().take(64).collect();
    if slug.is_empty() {
        "agent".to_owned()
    } else {
        slug
    }
}

#[cfg(test)]
mod tests {
    use super::{is_host, slug};

    #[test]
    fn a_folder_name_becomes_an_id() {
        assert_eq!(slug("concierge"), "concierge");
        assert_eq!(slug("My Travel (2)"), "my-travel-2");
        assert_eq!(slug("007"), "agent");
        assert_eq!(slug("Ünder.Wear"), "nder-wear");
    }

    #[test]
    fn a_host_is_a_name_without_scheme_port_or_path() {
        for host in ["example.com", "*.example.com", "localhost", "a-b.c1.d"] {
            assert!(is_host(host), "{host}");
        }
        let wrong = [
            "",
            "*",
            "https://a.b",
            "a.b/c",
            "a.b:80",
            "a..b",
            "a b",
            "-a.b",
            "*.*.b",
        ];
        for host in wrong {
            assert!(!is_host(host), "{host}");
        }
    }
}
