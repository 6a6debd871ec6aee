//! Typed reading of a definition's keys, with every wrong one reported and the rest still read.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Read;
use super::environment::ENV_HELP;
use super::reference::{Reference, To};
use super::value::{Kind, Node, Object};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::discover::SourceFile;
use openeve_domain::nearest::nearest;

const STATIC_HELP: &str = "write the value in place or in a top-level const of this file; calls, imports and calculations are not executed";

/// Reads one file's definition and gathers what is found on the way.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    pub(crate) file: &'a SourceFile,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Environment variables the file names.
    pub(crate) env: BTreeSet<String>,
    /// Names of other parts of the folder.
    pub(crate) references: Vec<Reference>,
    /// Whether code was read that has to be bundled.
    pub(crate) has_code: bool,
}

/// An object whose keys are read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fields<'o> {
    /// What the object belongs to, for messages: `defineTool`, `reply`.
    pub(crate) owner: &'static str,
    pub(crate) span: Span,
    pub(crate) object: &'o Object,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(file: &'a SourceFile) -> Self {
        Self {
            file,
            diagnostics: Vec::new(),
            env: BTreeSet::new(),
            references: Vec::new(),
            has_code: false,
        }
    }

    /// Ends the reading of a file.
    pub(crate) fn read<T>(self, draft: Option<T>) -> Read<T> {
        Read {
            draft,
            env: self.env,
            references: self.references,
            diagnostics: self.diagnostics,
        }
    }

    /// Notes a name of another part of the folder.
    pub(crate) fn refer(&mut self, to: To, name: &str, span: Span, says: impl Into<String>) {
        self.references.push(Reference {
            to,
            name: name.to_owned(),
            span,
            says: says.into(),
        });
    }

    pub(crate) fn report(
        &mut self,
        code: Code,
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        let found = Diagnostic::new(code, message).at(self.file, span);
        let help = help.into();
        self.diagnostics.push(if help.is_empty() {
            found
        } else {
            found.help(help)
        });
    }

    /// Reports unknown keys and spreads that hide some.
    pub(crate) fn known_keys(&mut self, fields: Fields<'_>, known: &[&str]) {
        for entry in fields
            .object
            .entries
            .iter()
            .filter(|entry| !known.contains(&entry.key.as_str()))
        {
            let message = format!("{} has no key {:?}", fields.owner, entry.key);
            let help = match nearest(&entry.key, known.iter().copied()) {
                Some(key) => format!("did you mean {key}?"),
                None => format!("its keys are {}", known.join(", ")),
            };
            self.report(Code::UnknownKey, entry.key_span, message, help);
        }
        for hole in &fields.object.holes {
            let message = format!(
                "the keys of {} cannot be read without running the code: {}",
                fields.owner,
                hole.describe()
            );
            self.report(
                Code::NotStatic,
                hole.span,
                message,
                "write the keys out, or spread a const object of this file",
            );
        }
    }

    /// A key's value, whatever it is.
    pub(crate) fn get<'o>(&mut self, fields: Fields<'o>, key: &str) -> Option<&'o Node> {
        let node = fields.object.get(key)?;
        if !node.is_known() {
            self.not_static(key, node.span, &node.describe());
            return None;
        }
        Some(node)
    }

    /// Reports a required key that is absent. A hole may hold it, so then nothing is said.
    pub(crate) fn require(&mut self, fields: Fields<'_>, key: &str, help: &str) {
        if fields.object.get(key).is_none() && fields.object.holes.is_empty() {
            let start = Span {
                start: fields.span.start,
                end: fields.span.start.saturating_add(1),
            };
            self.report(
                Code::MissingKey,
                start,
                format!("{} lacks the key {key:?}", fields.owner),
                help,
            );
        }
    }

    pub(crate) fn text<'o>(
        &mut self,
        fields: Fields<'o>,
        key: &str,
        help: &str,
    ) -> Option<(&'o str, Span)> {
        let node = self.get(fields, key)?;
        let Some(text) = node.text() else {
            return self.wrong(key, node, "a string", help);
        };
        if text.trim().is_empty() {
            self.report(Code::BadValue, node.span, format!("{key} is empty"), help);
            return None;
        }
        Some((text, node.span))
    }

    /// A string out of a list.
    pub(crate) fn choice<'o>(
        &mut self,
        fields: Fields<'o>,
        key: &str,
        choices: &[&str],
    ) -> Option<&'o str> {
        let help = format!("write one of {}", quoted(choices));
        let (text, span) = self.text(fields, key, &help)?;
        if choices.contains(&text) {
            return Some(text);
        }
        let help = nearest(text, choices.iter().copied())
            .map_or(help, |near| format!("did you mean {near:?}?"));
        self.report(
            Code::BadValue,
            span,
            format!("{text:?} is not a {key}; it is one of {}", quoted(choices)),
            help,
        );
        None
    }

    /// A whole number in `1..=max`.
    pub(crate) fn count(&mut self, fields: Fields<'_>, key: &str, max: u64) -> Option<u64> {
        let help = format!("write a whole number from 1 to {max}");
        let node = self.get(fields, key)?;
        let json = if let Kind::Number(_) = node.kind {
            node.to_json().ok()
        } else {
            None
        };
        match json.as_ref().and_then(Value::as_u64) {
            Some(number) if (1..=max).contains(&number) => Some(number),
            _ => self.wrong(key, node, &format!("a whole number from 1 to {max}"), &help),
        }
    }

    pub(crate) fn flag(&mut self, fields: Fields<'_>, key: &str) -> Option<bool> {
        let node = self.get(fields, key)?;
        let Kind::Bool(value) = node.kind else {
            return self.wrong(key, node, "a boolean", "write true or false");
        };
        Some(value)
    }

    /// A list of strings with the place of each.
    pub(crate) fn texts(
        &mut self,
        fields: Fields<'_>,
        key: &str,
        help: &str,
    ) -> Option<Vec<(String, Span)>> {
        let node = self.get(fields, key)?;
        let Kind::List(items) = &node.kind else {
            return self.wrong(key, node, "an array of strings", help);
        };
        let mut texts = Vec::with_capacity(items.len());
        for item in items {
            let Some(text) = item.text() else {
                self.wrong::<()>(key, item, "an array of strings", help);
                continue;
            };
            texts.push((text.to_owned(), item.span));
        }
        Some(texts)
    }

    /// Whether a key holds code. Only a value that plainly is no function is reported.
    pub(crate) fn function(&mut self, fields: Fields<'_>, key: &str, help: &str) -> bool {
        let Some(node) = fields.object.get(key) else {
            return false;
        };
        if !node.is_known() || matches!(node.kind, Kind::Function | Kind::Call(_)) {
            return true;
        }
        self.wrong::<()>(key, node, "a function", help);
        false
    }

    pub(crate) fn object<'o>(
        &mut self,
        fields: Fields<'o>,
        key: &'static str,
        help: &str,
    ) -> Option<Fields<'o>> {
        let node = self.get(fields, key)?;
        let Kind::Object(object) = &node.kind else {
            return self.wrong(key, node, "an object", help);
        };
        Some(Fields {
            owner: key,
            span: node.span,
            object,
        })
    }

    pub(crate) fn not_static(&mut self, key: &str, span: Span, what: &str) {
        let message = format!("{key} cannot be read without running the code: it is {what}");
        let help = if what.starts_with("the environment variable") {
            ENV_HELP
        } else {
            STATIC_HELP
        };
        self.report(Code::NotStatic, span, message, help);
    }

    /// Reports a value of the wrong type.
    pub(crate) fn wrong<T>(
        &mut self,
        key: &str,
        node: &Node,
        wanted: &str,
        help: &str,
    ) -> Option<T> {
        if node.is_known() {
            let message = format!("{key} must be {wanted}, but is {}", node.describe());
            self.report(Code::BadValue, node.span, message, help);
        } else {
            self.not_static(key, node.span, &node.describe());
        }
        None
    }
}

/// Choices as a message lists them.
pub(crate) fn quoted(choices: &[&str]) -> String {
    choices
        .iter()
        .map(|choice| format!("{choice:?}"))
        .collect::<Vec<_>>()
        .join(", ")
}
