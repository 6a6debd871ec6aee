//! One code file on its way: its text, the changes to it, and what there is to say about them.

use std::collections::BTreeSet;

use super::edit::{Edits, line_of, quoted, with_comma};
use super::report::Note;
use super::source::{Call, Function, Kind, Module, Name, Object, Property};
use crate::diagnostic::Span;

/// The package that definitions are imported from.
const CORE: &str = "@openeve/core";
/// Where the helper stands that asks a policy of eve.
pub(super) const GATE_PATH: &str = "lib/from_eve.ts";
/// The helper's name in the files that use it.
pub(super) const GATE: &str = "askEve";

/// Names of eve and the names of ours that they become.
const NAMES: &[(&str, &str)] = &[
    ("defineAgent", "defineAgent"),
    ("defineInstrumentation", "defineInstrumentation"),
    ("defineMcpClientConnection", "defineConnection"),
    ("defineOpenAPIConnection", "defineConnection"),
    ("defineSandbox", "defineSandbox"),
    ("defineSchedule", "defineSchedule"),
    ("defineTool", "defineTool"),
    ("ToolContext", "ToolContext"),
];

/// Whether a module is eve's.
pub(super) fn is_eve(module: &str) -> bool {
    module == "eve" || module.starts_with("eve/")
}

/// One code file on its way.
pub(super) struct File<'t> {
    pub(super) text: &'t str,
    pub(super) module: Module,
    pub(super) edits: Edits,
    pub(super) notes: Vec<Note>,
    /// Helpers of ours that the changes use.
    pub(super) uses: BTreeSet<&'static str>,
    /// Local names that nothing uses any more.
    pub(super) dropped: BTreeSet<String>,
    /// Modules that nothing is imported from any more.
    pub(super) gone: BTreeSet<String>,
    /// Whether it asks a policy of eve.
    pub(super) gate: bool,
}

impl<'t> File<'t> {
    /// A file, read; or where and why it cannot be.
    pub(super) fn new(path: &str, text: &'t str) -> Result<Self, Note> {
        let module = Module::read(path, text).map_err(|found| {
            let first = found.into_iter().next();
            Note {
                line: None,
                text: first.map_or_else(
                    || "it is not valid TypeScript".to_owned(),
                    |found| found.message,
                ),
                todo: true,
            }
        })?;
        Ok(Self {
            text,
            module,
            edits: Edits::default(),
            notes: Vec::new(),
            uses: BTreeSet::new(),
            dropped: BTreeSet::new(),
            gone: BTreeSet::new(),
            gate: false,
        })
    }

    pub(super) fn note(&mut self, at: Span, text: impl Into<String>) {
        self.say(at, text, false);
    }

    pub(super) fn todo(&mut self, at: Span, text: impl Into<String>) {
        self.say(at, text, true);
    }

    fn say(&mut self, at: Span, text: impl Into<String>, todo: bool) {
        self.notes.push(Note {
            line: Some(line_of(self.text, at.start)),
            text: text.into(),
            todo,
        });
    }

    /// The text of a place.
    pub(super) fn slice(&self, span: Span) -> &'t str {
        self.text
            .get(span.start as usize..span.end as usize)
            .unwrap_or_default()
    }

    /// The name that eve gives a function which is called, if it is eve's.
    pub(super) fn eve_name(&self, call: &Call) -> Option<(&str, &str)> {
        self.module
            .origin(&call.callee)
            .filter(|(module, _)| is_eve(module))
    }

    /// Removes a property; `why` is what a reader should know.
    pub(super) fn drop_property(&mut self, object: &Object, key: &str, why: &str, todo: bool) {
        let Some(property) = object.get(key) else {
            return;
        };
        let span = with_comma(self.text, property.span);
        self.edits.replace(span, "");
        self.say(property.key_span, format!("{key} was removed: {why}"), todo);
        if let Kind::Call(call) = &property.value.kind
            && self.eve_name(call).is_some()
        {
            self.dropped.insert(call.callee.clone());
        }
    }

    /// Gives a property another key and value.
    pub(super) fn set(&mut self, property: &Property, key: &str, value: &str) {
        self.edits.replace(property.span, format!("{key}: {value}"));
    }

    /// Puts properties before the first one.
    pub(super) fn prepend(&mut self, object: &Object, properties: &[String]) {
        if properties.is_empty() {
            return;
        }
        let joined = properties.join(",\n  ");
        match object.properties.first() {
            Some(first) => self
                .edits
                .insert(first.span.start, format!("{joined},\n  ")),
            None => self
                .edits
                .replace(object.span, format!("{{\n  {joined},\n}}")),
        }
    }

    /// Says what of the second parameter of a function has another name, or none.
    pub(super) fn context(&mut self, whole: Span, function: &Function) {
        if function.apart {
            self.todo(
                whole,
                "its second parameter is taken apart; see which of its members OpenEve has (docs/from-eve.md)",
            );
        }
        let Some(context) = &function.context else {
            return;
        };
        let members: Vec<(Span, Vec<String>)> = self
            .module
            .members
            .iter()
            .filter(|member| member.span.start >= whole.start && member.span.end <= whole.end)
            .filter(|member| member.path.first() == Some(context))
            .map(|member| (member.span, member.path.clone()))
            .collect();
        let mut longest: Vec<&(Span, Vec<String>)> = Vec::new();
        for member in &members {
            let inside = |other: &(Span, Vec<String>)| {
                other.0.start == member.0.start && other.0.end > member.0.end
            };
            if !members.iter().any(inside) {
                longest.push(member);
            }
        }
        for (span, path) in longest {
            self.member(*span, context, path);
        }
    }

    fn member(&mut self, span: Span, context: &str, path: &[String]) {
        let path: Vec<&str> = path.iter().skip(1).map(String::as_str).collect();
        match path.as_slice() {
            ["callId", rest @ ..] => self.rename(span, context, "toolCallId", rest),
            ["toolName", ..] => {}
            ["session", "id", rest @ ..] => {
                self.rename(span, context, "conversationId", rest);
                self.note(span, "a session is a conversation here");
            }
            ["abortSignal", rest @ ..] => {
                self.put(span, "new AbortController().signal", rest);
                self.note(
                    span,
                    "a call that is cancelled is ended from outside, so there is no abortSignal; this one never aborts",
                );
            }
            ["session", "auth", ..] => self.todo(
                span,
                "who asks is not known to a tool; what a caller may do is the channel's and the approvers' part",
            ),
            ["getSandbox", ..] => self.todo(span, "a tool has no sandbox in this version"),
            ["getToken" | "requireAuth", ..] => self.todo(
                span,
                "tools get no tokens from a store of grants; read process.env, or ask a service of your own",
            ),
            ["ask", ..] => self.todo(
                span,
                "write ctx.askQuestion(prompt, { options }), which resolves to the answer's text",
            ),
            other => {
                let name = other.join(".");
                self.todo(span, format!("{context}.{name} does not exist here"));
            }
        }
    }

    fn rename(&mut self, span: Span, context: &str, name: &str, rest: &[&str]) {
        self.put(span, &format!("{context}.{name}"), rest);
    }

    fn put(&mut self, span: Span, start: &str, rest: &[&str]) {
        let mut text = start.to_owned();
        for part in rest {
            text.push('.');
            text.push_str(part);
        }
        self.edits.replace(span, text);
    }

    /// Makes the imports of eve ours. What has no counterpart stays, and is said.
    pub(super) fn retarget(&mut self, gate_from: &str) {
        let mut kept: Vec<String> = self.uses.iter().map(|name| (*name).to_owned()).collect();
        let mut spans = Vec::new();
        let mut unknown = Vec::new();
        let mut emptied = Vec::new();
        for import in &self.module.imports {
            if !is_eve(&import.module) {
                let all_gone = import
                    .names
                    .iter()
                    .all(|name| self.dropped.contains(&name.local));
                if all_gone && !import.names.is_empty() && !import.whole {
                    self.gone.insert(import.module.clone());
                    emptied.push(import.span);
                }
                continue;
            }
            let mut strange: Vec<&Name> = Vec::new();
            for name in &import.names {
                if self.dropped.contains(&name.local) || !self.module.used.contains(&name.local) {
                    continue;
                }
                match NAMES.iter().find(|(theirs, _)| *theirs == name.imported) {
                    Some((_, ours)) => kept.push(specifier(name, ours)),
                    None => strange.push(name),
                }
            }
            let left = left_over(import.module.as_str(), &strange, import.whole);
            spans.push((import.span, left));
            for name in strange {
                let what = if name.type_only { "type" } else { "function" };
                let text = format!(
                    "the {what} {} of {:?} has no counterpart",
                    name.imported, import.module
                );
                unknown.push((import.span, text, !name.type_only));
            }
        }
        for (span, text, todo) in unknown {
            self.say(span, text, todo);
        }
        kept.sort_by_key(|name| name.trim_start_matches("type ").to_lowercase());
        kept.dedup();
        let mut lines = Vec::new();
        if !kept.is_empty() {
            lines.push(format!(
                "import {{ {} }} from {};",
                kept.join(", "),
                quoted(CORE)
            ));
        }
        if self.gate {
            lines.push(format!("import {{ {GATE} }} from {};", quoted(gate_from)));
        }
        let mut ours = lines.join("\n");
        for (span, left) in spans {
            let mut parts: Vec<String> = Vec::new();
            if !ours.is_empty() {
                parts.push(std::mem::take(&mut ours));
            }
            parts.extend(left);
            self.replace_import(span, &parts.join("\n"));
        }
        for span in emptied {
            self.replace_import(span, "");
        }
        if !ours.is_empty() {
            self.edits.insert(0, format!("{ours}\n"));
        }
    }

    /// An import that goes takes its line with it.
    fn replace_import(&mut self, mut span: Span, with: &str) {
        if with.is_empty()
            && self
                .text
                .get(span.end as usize..)
                .is_some_and(|rest| rest.starts_with('\n'))
        {
            span.end += 1;
        }
        self.edits.replace(span, with);
    }
}

fn specifier(name: &Name, ours: &str) -> String {
    let alias = if name.local == name.imported || name.local == ours {
        String::new()
    } else {
        format!(" as {}", name.local)
    };
    let kind = if name.type_only { "type " } else { "" };
    format!("{kind}{ours}{alias}")
}

/// What stays of an import that has names without a counterpart.
fn left_over(module: &str, strange: &[&Name], whole: bool) -> Option<String> {
    if strange.is_empty() && !whole {
        return None;
    }
    let names: Vec<String> = strange
        .iter()
        .map(|name| specifier(name, &name.imported))
        .collect();
    Some(format!(
        "import {{ {} }} from {};",
        names.join(", "),
        quoted(module)
    ))
}
