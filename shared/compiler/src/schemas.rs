//! What the providers of models refuse or ignore in the schema of a tool's input.
//!
//! Sources: OpenAI, "Function calling" (a schema's top level has type object and none of oneOf, anyOf,
//! allOf, enum, not); Anthropic, "Tool use" (`input_schema` does not support oneOf, allOf or anyOf at
//! the top level); Google, "Function calling" with `parametersJsonSchema` (`const` is ignored).

use crate::diagnostic::Span;
use crate::lower::{Kind, Node};

/// Whose rules a model follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    Anthropic,
    Google,
    OpenAi,
}

impl Family {
    /// The family of `provider/model`, whoever serves it.
    pub(crate) fn of(model: &str) -> Option<Self> {
        let model = model.to_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| model.contains(word));
        if has(&["anthropic", "claude"]) {
            Some(Self::Anthropic)
        } else if has(&["google", "gemini", "vertex"]) {
            Some(Self::Google)
        } else if has(&["openai/", "azure/", "/gpt-"]) {
            Some(Self::OpenAi)
        } else {
            None
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Anthropic => "Anthropic",
            Self::Google => "Google",
            Self::OpenAi => "OpenAI",
        }
    }
}

/// A construct that will not do what it says.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) span: Span,
    pub(crate) message: String,
    pub(crate) help: &'static str,
}

/// Everything in a schema that a family refuses or ignores.
pub(crate) fn refusals(schema: &Node, family: Family) -> Vec<Refusal> {
    let mut found = Vec::new();
    let refused: &[&str] = match family {
        Family::Anthropic => &["oneOf", "anyOf", "allOf"],
        Family::OpenAi => &["oneOf", "anyOf", "allOf", "enum", "not"],
        Family::Google => &[],
    };
    if let Kind::Object(object) = &schema.kind {
        for entry in object
            .entries
            .iter()
            .filter(|entry| refused.contains(&entry.key.as_str()))
        {
            found.push(Refusal {
                span: entry.key_span,
                message: format!(
                    "{} refuses a tool whose schema has {} at its top level, so every request with it would fail",
                    family.name(),
                    entry.key
                ),
                help: "put the alternatives below a property, such as { type: \"object\", properties: { filter: { anyOf: […] } } }",
            });
        }
    }
    if family == Family::Google {
        constants(schema, &mut found);
    }
    found
}

/// Each `const` below a schema.
fn constants(node: &Node, found: &mut Vec<Refusal>) {
    match &node.kind {
        Kind::Object(object) => {
            for entry in &object.entries {
                // A property may be called const; its value is then a schema.
                if entry.key == "const" && !matches!(entry.value.kind, Kind::Object(_)) {
                    found.push(Refusal {
                        span: entry.key_span,
                        message: "Google ignores const in the schema of a tool, so the model may send anything there".to_owned(),
                        help: "write an enum of one value instead",
                    });
                }
                constants(&entry.value, found);
            }
        }
        Kind::List(items) => items.iter().for_each(|item| constants(item, found)),
        Kind::Undefined
        | Kind::Null
        | Kind::Bool(_)
        | Kind::Number(_)
        | Kind::Text(_)
        | Kind::Function
        | Kind::Call(_)
        | Kind::Imported { .. }
        | Kind::Unreadable(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_belongs_to_a_family_whoever_serves_it() {
        for (model, family) in [
            ("anthropic/claude-sonnet-5", Some(Family::Anthropic)),
            (
                "openrouter/anthropic/claude-sonnet-5",
                Some(Family::Anthropic),
            ),
            (
                "bedrock/us.anthropic.claude-sonnet-5",
                Some(Family::Anthropic),
            ),
            ("google/gemini-3-pro", Some(Family::Google)),
            ("openai/gpt-5.4-mini", Some(Family::OpenAi)),
            ("openrouter/z-ai/glm", None),
        ] {
            assert_eq!(Family::of(model), family, "{model}");
        }
    }
}
