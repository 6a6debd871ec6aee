//! `agent.ts` (ledger A2).

use openeve_domain::manifest::{AgentSpec, Reasoning};

use super::Read;
use super::definition::definition;
use super::fields::{Fields, Reader};
use super::modules::Modules;
use super::reference::To;
use super::value::{Kind, Node};
use crate::diagnostic::Code;
use crate::discover::{SourceFile, is_name};

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

/// Blocks that are accepted and have no effect in this version.
const WITHOUT_EFFECT: &[&str] = &[
    "selfImprovement",
    "dynamicSchedules",
    "dynamicConnections",
    "context",
];

/// What `agent.ts` says.
#[derive(Debug)]
pub(crate) struct AgentDraft {
    pub(crate) spec: AgentSpec,
}

/// Reads `agent.ts`. `folder` is the folder's name, from which the id is taken if there is none.
pub(crate) fn agent(file: &SourceFile, folder: &str, modules: &Modules<'_>) -> Read<AgentDraft> {
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
    report_harness(&mut reader, fields);
    let known: Vec<&str> = KEYS.iter().copied().chain(["harness"]).collect();
    reader.known_keys(fields, &known);
    for key in WITHOUT_EFFECT {
        report_unreadable(&mut reader, fields, key);
    }
    reader.require(fields, "model", "add model: \"openai/gpt-5.4-mini\"");
    let model = model(&mut reader, fields);
    let id = id(&mut reader, fields, folder);
    let reasoning = reader
        .choice(fields, "reasoning", &Reasoning::TEXTS)
        .and_then(|text| serde_json::from_value(text.into()).ok())
        .unwrap_or_default();
    let description = reader.text(
        fields,
        "description",
        "write a sentence, or leave the key out",
    );
    let default_tools = reader
        .texts(
            fields,
            "defaultTools",
            "write the names of files in tools/, such as [\"book_table\"]",
        )
        .unwrap_or_default();
    let mut names = Vec::new();
    for (name, span) in &default_tools {
        reader.refer(To::OwnTool, name, *span, "defaultTools names");
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    let draft = model.map(|model| AgentDraft {
        spec: AgentSpec {
            id,
            model,
            reasoning,
            description: description.map(|(text, _)| text.to_owned()),
            default_tools: names,
        },
    });
    reader.read(draft)
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

/// A block without effect is fine as long as it can be read; otherwise a later version may refuse it.
fn report_unreadable(reader: &mut Reader<'_>, fields: Fields<'_>, key: &str) {
    if let Some(hole) = fields.object.get(key).and_then(unreadable) {
        reader.report(
            Code::NotYetSupported,
            hole.span,
            format!("{key} has no effect in this version, and it cannot be read without running the code: it is {}", hole.describe()),
            "write the value in place, so that later versions can read it",
        );
    }
}

fn unreadable(node: &Node) -> Option<&Node> {
    match &node.kind {
        Kind::Unreadable(_) | Kind::Imported { .. } => Some(node),
        Kind::List(items) => items.iter().find_map(unreadable),
        Kind::Call(call) => call.arguments.iter().find_map(unreadable),
        Kind::Object(object) => object.holes.first().or_else(|| {
            object
                .entries
                .iter()
                .find_map(|entry| unreadable(&entry.value))
        }),
        Kind::Undefined
        | Kind::Null
        | Kind::Bool(_)
        | Kind::Number(_)
        | Kind::Text(_)
        | Kind::Function => None,
    }
}

fn model(reader: &mut Reader<'_>, fields: Fields<'_>) -> Option<String> {
    let help = "write provider/model, such as \"openai/gpt-5.4-mini\"";
    let (text, span) = reader.text(fields, "model", help)?;
    match text.split_once('/') {
        Some((provider, name))
            if !provider.is_empty() && !name.is_empty() && !text.contains(char::is_whitespace) =>
        {
            Some(text.to_owned())
        }
        _ => {
            reader.report(
                Code::BadValue,
                span,
                format!("{text:?} does not name a provider and a model"),
                help,
            );
            None
        }
    }
}

fn id(reader: &mut Reader<'_>, fields: Fields<'_>, folder: &str) -> String {
    let help = "write a letter, then up to 63 letters, digits, _ or -";
    match reader.text(fields, "id", help) {
        Some((text, _)) if is_name(text) => text.to_owned(),
        Some((text, span)) => {
            reader.report(
                Code::BadValue,
                span,
                format!("{text:?} cannot be an id"),
                help,
            );
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
    use super::slug;

    #[test]
    fn a_folder_name_becomes_an_id() {
        assert_eq!(slug("concierge"), "concierge");
        assert_eq!(slug("My Travel (2)"), "my-travel-2");
        assert_eq!(slug("007"), "agent");
        assert_eq!(slug("Ünder.Wear"), "nder-wear");
    }
}
