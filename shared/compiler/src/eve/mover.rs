//! The move as a whole: which files there are, what carries each over, and what follows from it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::Moved;
use super::edit::line_of;
use super::file::{File, GATE_PATH, is_eve};
use super::package::{package_json, slug};
use super::places::{Files, Places, has_ending, package_of, relative};
use super::report::{Entry, Fate, Note};
use super::tool::GATE_TEXT;
use crate::discover::SUBAGENT_DEPTH_MAX;

/// What editors are told about the new folder.
const TSCONFIG: &str =
    "{\n  \"extends\": \"./.openeve/types/tsconfig.json\",\n  \"include\": [\"**/*.ts\"]\n}\n";

/// A project on its way.
pub(super) struct Mover<'f> {
    pub(super) places: Places<'f>,
    pub(super) out: BTreeMap<String, Vec<u8>>,
    /// By the old path, or by the new one of what is new.
    pub(super) entries: BTreeMap<String, Entry>,
    /// Files that moved ones import.
    wanted: Vec<String>,
    /// Which file imports which, and on which line.
    imports: Vec<(String, u32, String)>,
    packages: BTreeSet<String>,
    gate: bool,
}

impl<'f> Mover<'f> {
    pub(super) fn new(files: &'f Files, base: String) -> Self {
        Self {
            places: Places::new(files, base),
            out: BTreeMap::new(),
            entries: BTreeMap::new(),
            wanted: Vec::new(),
            imports: Vec::new(),
            packages: BTreeSet::new(),
            gate: false,
        }
    }

    pub(super) fn run(mut self) -> Moved {
        let package = self.json("package.json");
        let name = package
            .as_ref()
            .and_then(|package| package.get("name")?.as_str());
        let name = slug(name.unwrap_or_default());
        self.owner("", &name);
        for owner in self.subagents() {
            let name = owner.trim_end_matches('/').rsplit('/').next();
            self.owner(&owner, name.unwrap_or_default());
        }
        self.helpers();
        self.left_out();
        self.missing_imports();
        if self.gate {
            self.generate(GATE_PATH, GATE_TEXT.to_owned());
        }
        let (text, notes) = package_json(package.as_ref(), &name, &self.packages);
        self.generate("package.json", text);
        if let Some(entry) = self.entries.get_mut("→ package.json") {
            entry.notes = notes;
        }
        self.generate("tsconfig.json", TSCONFIG.to_owned());
        Moved {
            files: self.out,
            entries: self.entries.into_values().collect(),
        }
    }

    fn json(&self, path: &str) -> Option<Value> {
        serde_json::from_slice(self.places.files.get(path)?).ok()
    }

    /// Paths of the agent's own files, without the agent's folder.
    pub(super) fn inside(&self) -> Vec<String> {
        let base = self.places.base.as_str();
        let inside = self
            .places
            .files
            .keys()
            .filter_map(|path| path.strip_prefix(base));
        inside.map(str::to_owned).collect()
    }

    /// Files of an agent or of a subagent, without its folder.
    pub(super) fn of(&self, owner: &str) -> Vec<String> {
        let files = self.inside();
        let files = files.iter().filter_map(|path| path.strip_prefix(owner));
        files
            .filter(|path| !path.starts_with("subagents/"))
            .map(str::to_owned)
            .collect()
    }

    /// Where the subagents lie, those of subagents included: `subagents/digger/`.
    fn subagents(&mut self) -> BTreeSet<String> {
        let mut owners = BTreeSet::new();
        for path in self.inside() {
            let (mut owner, mut depth) = (String::new(), 0);
            while let Some(rest) = path
                .strip_prefix(owner.as_str())
                .and_then(|rest| rest.strip_prefix("subagents/"))
            {
                let Some((name, _)) = rest.split_once('/') else {
                    let reason = "an agent that is deployed elsewhere is no subagent here; let a tool call it";
                    self.unsupported(&path, reason);
                    break;
                };
                depth += 1;
                if depth > SUBAGENT_DEPTH_MAX {
                    let reason = format!("subagents nest {SUBAGENT_DEPTH_MAX} deep here at most");
                    self.unsupported(&path, &reason);
                    break;
                }
                owner = format!("{owner}subagents/{name}/");
                owners.insert(owner.clone());
            }
        }
        owners
    }

    /// The old path of a file of the agent.
    pub(super) fn old(&self, inside: &str) -> String {
        format!("{}{inside}", self.places.base)
    }

    pub(super) fn text(&self, old: &str) -> Option<&'f str> {
        std::str::from_utf8(self.places.files.get(old)?).ok()
    }

    pub(super) fn enter(&mut self, from: &str, to: Option<String>, fate: Fate, notes: Vec<Note>) {
        let entry = Entry {
            from: Some(from.to_owned()),
            to,
            fate,
            notes,
        };
        self.entries.insert(from.to_owned(), entry);
    }

    pub(super) fn generate(&mut self, to: &str, text: String) {
        self.out.insert(to.to_owned(), text.into_bytes());
        let entry = Entry {
            from: None,
            to: Some(to.to_owned()),
            fate: Fate::Generated,
            notes: Vec::new(),
        };
        self.entries.entry(format!("→ {to}")).or_insert(entry);
    }

    pub(super) fn unsupported(&mut self, inside: &str, reason: &str) {
        let note = Note {
            line: None,
            text: reason.to_owned(),
            todo: true,
        };
        let old = self.old(inside);
        self.enter(&old, None, Fate::Unsupported, vec![note]);
    }

    pub(super) fn copy(&mut self, old: &str, new: &str) {
        if let Some(bytes) = self.places.files.get(old) {
            self.out.insert(new.to_owned(), bytes.clone());
            self.enter(old, Some(new.to_owned()), Fate::Copied, Vec::new());
        }
    }

    /// Carries a code file over. `rewrite` makes the definition ours, or says why it cannot.
    pub(super) fn code<T>(
        &mut self,
        inside: &str,
        new: &str,
        rewrite: impl FnOnce(&mut File<'_>) -> Result<T, String>,
    ) -> Option<T> {
        let old = self.old(inside);
        self.code_at(&old, new, rewrite)
    }

    fn code_at<T>(
        &mut self,
        old: &str,
        new: &str,
        rewrite: impl FnOnce(&mut File<'_>) -> Result<T, String>,
    ) -> Option<T> {
        let failed = |reason: Note| vec![reason];
        let text = self.text(old).unwrap_or_default();
        let mut file = match File::new(old, text) {
            Ok(file) => file,
            Err(note) => {
                self.enter(old, None, Fate::Unsupported, failed(note));
                return None;
            }
        };
        match rewrite(&mut file) {
            Ok(made) => {
                self.finish(old, new, file);
                Some(made)
            }
            Err(reason) => {
                let mut notes = failed(Note {
                    line: None,
                    text: reason,
                    todo: true,
                });
                notes.append(&mut file.notes);
                self.enter(old, None, Fate::Unsupported, notes);
                None
            }
        }
    }

    fn finish(&mut self, old: &str, new: &str, mut file: File<'_>) {
        self.gate |= file.gate;
        file.retarget(&relative(new, GATE_PATH));
        let specifiers = std::mem::take(&mut file.module.specifiers);
        for (specifier, span) in specifiers {
            if is_eve(&specifier) || file.gone.contains(&specifier) {
                continue;
            }
            if let Some(target) = self.places.resolve(old, &specifier) {
                let want = relative(new, &self.places.place(&target));
                let moved = want != relative(old, &target) || !specifier.starts_with('.');
                let stands_for = has_ending(&specifier, "js") && !has_ending(&target, "js");
                if moved || stands_for {
                    file.edits.replace(span, want);
                }
                self.imports.push((
                    old.to_owned(),
                    line_of(file.text, span.start),
                    target.clone(),
                ));
                self.wanted.push(target);
            } else if let Some(package) = package_of(&specifier) {
                if specifier.split('/').skip(1).any(|part| part == "eve") {
                    file.todo(
                        span,
                        format!("{specifier:?} is made for eve and needs it to run"),
                    );
                }
                self.packages.insert(package);
            } else if !specifier.contains(':') {
                file.todo(
                    span,
                    format!("{specifier:?} leads to no file of the project that was given"),
                );
            }
        }
        let fate = if file.edits.is_empty() {
            Fate::Copied
        } else {
            Fate::Rewritten
        };
        let text = std::mem::take(&mut file.edits).apply(file.text);
        self.out.insert(new.to_owned(), text.into_bytes());
        self.enter(old, Some(new.to_owned()), fate, file.notes);
    }

    /// Files that moved ones import, and those that these import.
    fn helpers(&mut self) {
        while let Some(old) = self.wanted.pop() {
            if self.entries.contains_key(&old) {
                continue;
            }
            let new = self.places.place(&old);
            let is_code = [".ts", ".tsx", ".mts", ".js", ".mjs"]
                .iter()
                .any(|end| old.ends_with(end));
            if is_code {
                self.code_at(&old, &new, |_| Ok(()));
            } else {
                self.copy(&old, &new);
            }
        }
    }

    /// Files of the agent that nothing carried over.
    fn left_out(&mut self) {
        for inside in self.inside() {
            let old = self.old(&inside);
            if self.entries.contains_key(&old) {
                continue;
            }
            let in_root = self.places.base.is_empty();
            if in_root
                && matches!(
                    inside.as_str(),
                    "package.json" | "tsconfig.json" | "package-lock.json"
                )
            {
                continue;
            }
            let note = Note {
                line: None,
                text: "nothing that was moved over imports it".to_owned(),
                todo: false,
            };
            self.enter(&old, None, Fate::LeftOut, vec![note]);
        }
    }

    /// Imports of what was not carried over.
    fn missing_imports(&mut self) {
        for (from, line, target) in std::mem::take(&mut self.imports) {
            if self.out.contains_key(&self.places.place(&target)) {
                continue;
            }
            if let Some(entry) = self.entries.get_mut(&from) {
                entry.notes.push(Note {
                    line: Some(line),
                    text: format!("it imports {target}, which was not carried over"),
                    todo: true,
                });
            }
        }
    }
}
