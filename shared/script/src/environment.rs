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
}

impl Environment {
    pub(crate) fn new(values: BTreeMap<String, Secret>) -> Self {
        let mut longest_first: Vec<Secret> = values.values().cloned().collect();
        longest_first.sort_by_key(|secret| std::cmp::Reverse(secret.reveal().len()));
        Self {
            values,
            longest_first,
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
