//! The environment variables an agent declared, and how their values are kept out of texts.

use std::collections::BTreeMap;

use openeve_domain::secret::{Secret, redact};
use serde_json::Value;

/// Declared variables that have a value.
#[derive(Debug)]
pub(crate) struct Environment {
    values: BTreeMap<String, Secret>,
    /// The values, longest first, so that one inside another is not left in halves.
    longest_first: Vec<Secret>,
    /// Those of them whose name or form says that they are secret, longest first.
    guarded: Vec<Secret>,
}

/// Parts of a variable's name that say its value is secret.
const GUARDED_NAMES: [&str; 8] = [
    "KEY",
    "TOKEN",
    "SECRET",
    "PASS",
    "CREDENTIAL",
    "PRIVATE",
    "AUTH",
    "SIGNING",
];

/// Whether a value must not even be returned by a tool. A city's name may; a key may not.
fn is_guarded(name: &str, value: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let has_login = value.split_once("://").is_some_and(|(_, rest)| {
        rest.split('/')
            .next()
            .is_some_and(|authority| authority.contains('@'))
    });
    has_login || GUARDED_NAMES.iter().any(|part| name.contains(part))
}

impl Environment {
    pub(crate) fn new(values: BTreeMap<String, Secret>) -> Self {
        let mut longest_first: Vec<Secret> = values.values().cloned().collect();
        longest_first.sort_by_key(|secret| std::cmp::Reverse(secret.reveal().len()));
        let mut guarded: Vec<Secret> = values
            .iter()
            .filter(|(name, secret)| is_guarded(name, secret.reveal()))
            .map(|(_, secret)| secret.clone())
            .collect();
        guarded.sort_by_key(|secret| std::cmp::Reverse(secret.reveal().len()));
        Self {
            values,
            longest_first,
            guarded,
        }
    }

    /// Names and values, for `process.env`.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.values
            .iter()
            .map(|(name, secret)| (name.as_str(), secret.reveal()))
    }

    /// Whether a text holds a value that must not be seen.
    pub(crate) fn occurs_in(&self, text: &str) -> bool {
        redact(text, &self.secrets()) != text
    }

    /// A text without the values.
    pub(crate) fn redact(&self, text: &str) -> String {
        redact(text, &self.secrets())
    }

    /// What a tool returned, without the values that are secret by name or form.
    pub(crate) fn redact_result(&self, text: &str) -> String {
        let guarded: Vec<&str> = self.guarded.iter().map(Secret::reveal).collect();
        redact(text, &guarded)
    }

    /// A JSON value without the values, keys included.
    pub(crate) fn redact_json(&self, value: Value) -> Value {
        match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => value,
            Value::String(text) => Value::String(self.redact(&text)),
            Value::Array(items) => Value::Array(
                items
                    .into_iter()
                    .map(|item| self.redact_json(item))
                    .collect(),
            ),
            Value::Object(fields) => Value::Object(
                fields
                    .into_iter()
                    .map(|(name, field)| (self.redact(&name), self.redact_json(field)))
                    .collect(),
            ),
        }
    }

    fn secrets(&self) -> Vec<&str> {
        self.longest_first.iter().map(Secret::reveal).collect()
    }
}
