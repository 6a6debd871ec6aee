//! References to the environment: read by name, never by value.

use openeve_domain::manifest::EnvRef;
use serde_json::Value;

use super::fields::{Fields, Reader};
use super::value::{Call, Kind, Node};
use crate::diagnostic::Span;

/// What to write where a value lives in the environment.
pub(super) const ENV_HELP: &str = "write env(\"NAME\") with the name of the environment variable; the value itself never enters the folder";

impl Reader<'_> {
    /// `env("NAME")`.
    pub(crate) fn env(&mut self, fields: Fields<'_>, key: &str) -> Option<EnvRef> {
        let node = self.get(fields, key)?;
        self.env_of(key, node)
    }

    /// The variable an `env("NAME")` names. The message never repeats what stands there instead.
    pub(crate) fn env_of(&mut self, key: &str, node: &Node) -> Option<EnvRef> {
        let Kind::Call(Call { helper, arguments }) = &node.kind else {
            return self.wrong(key, node, "env(\"NAME\")", ENV_HELP);
        };
        match arguments.first().and_then(Node::text) {
            Some(name) if helper == "env" && is_variable(name) => {
                self.env.insert(name.to_owned());
                Some(EnvRef {
                    name: name.to_owned(),
                })
            }
            _ => self.wrong(
                key,
                node,
                "env(\"NAME\") with a name such as \"SERVICE_TOKEN\"",
                ENV_HELP,
            ),
        }
    }

    /// Any value that has JSON; the environment variables in it are noted.
    pub(crate) fn json(&mut self, fields: Fields<'_>, key: &str) -> Option<(Value, Span)> {
        let node = self.get(fields, key)?;
        self.json_of(key, node).map(|value| (value, node.span))
    }

    pub(crate) fn json_of(&mut self, key: &str, node: &Node) -> Option<Value> {
        self.note_env(node);
        match node.to_json() {
            Ok(value) => Some(value),
            Err(error) => {
                self.not_static(key, error.span, &error.reason);
                None
            }
        }
    }

    /// Notes every `env("NAME")` inside of a value.
    fn note_env(&mut self, node: &Node) {
        if let Kind::Call(call) = &node.kind
            && call.helper == "env"
        {
            self.env_of("env", node);
        } else if let Kind::List(items) = &node.kind {
            for item in items {
                self.note_env(item);
            }
        } else if let Kind::Object(object) = &node.kind {
            for entry in &object.entries {
                self.note_env(&entry.value);
            }
        }
    }
}

/// Whether a text can name an environment variable.
fn is_variable(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
