//! Says what a message lacks, and which words would be understood.

use serde_json::Value;

use super::fill::enum_values;
use super::prose::readable;
use super::topic::{Topic, topic};

/// A required parameter that nothing fills.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Missing {
    name: String,
    example: String,
}

impl Missing {
    /// The parameter of this name and schema.
    pub(super) fn new(name: &str, property: &Value) -> Self {
        Self {
            name: readable(name),
            example: example(name, property),
        }
    }
}

/// What a tool would be called for if the message said more.
pub(super) fn ask(tool: &str, missing: &[Missing]) -> String {
    let mut names: Vec<&str> = missing.iter().map(|one| one.name.as_str()).collect();
    let last = names.pop().unwrap_or_default();
    let names = if names.is_empty() {
        last.to_owned()
    } else {
        format!("{} and {last}", names.join(", "))
    };
    let examples: Vec<&str> = missing.iter().map(|one| one.example.as_str()).collect();
    format!(
        "I would call {tool}, but your message does not tell me its {names}. I would understand, in one message: {}.",
        examples.join(", ")
    )
}

/// Words from which the parameter would be filled.
fn example(name: &str, property: &Value) -> String {
    if let Some(value) = enum_values(property).iter().find_map(Value::as_str) {
        return value.to_owned();
    }
    if let Some("integer" | "number") = property.get("type").and_then(Value::as_str) {
        return format!("2 {}", readable(name));
    }
    match topic(name, property) {
        Topic::Time => "at 19:00".to_owned(),
        Topic::Date => "tomorrow".to_owned(),
        Topic::Instant => "tomorrow at 19:00".to_owned(),
        Topic::Person => "name Ada".to_owned(),
        Topic::Now | Topic::Everything | Topic::Subject => {
            format!("the {} in quotes", readable(name))
        }
    }
}
