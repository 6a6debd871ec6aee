//! Values of neighbouring modules: what a definition imports from files of its own project.
//!
//! An import of a relative path, or of a name that the project gives to one, is followed to the file and read there as statically as here;
//! re-exports are followed, JSON files are values. Packages are not: what they export is code. A
//! value keeps its place in the file that uses it, and what could not be read says where it stands.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::rc::Rc;

use super::eval::{Evaluator, is_framework};
use super::scope::{Binding, Exported, Scope};
use super::value::{Entry, Kind, Node, Object};
use crate::aliases::Aliases;
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::discover::SourceFile;
use crate::parse::parse;

/// What may follow a path that names no file, in the order in which it is tried.
const ENDINGS: [&str; 6] = ["", ".ts", ".mts", ".json", "/index.ts", ".js"];
/// Re-exports followed for one name at most.
const HOPS_MAX: usize = 32;

/// The modules beside those that are definitions. Lives for one reading of a folder.
#[derive(Debug)]
pub(crate) struct Modules<'f> {
    root: &'f Path,
    /// Names that the project gives to its own paths.
    aliases: Aliases,
    /// Path relative to the root → the file, if there is one.
    files: RefCell<BTreeMap<String, Option<Rc<SourceFile>>>>,
    /// Path and export → value, with places in that file.
    values: RefCell<BTreeMap<(String, String), Node>>,
    /// What is being read, outermost first.
    reading: RefCell<Vec<(String, String)>>,
}

impl<'f> Modules<'f> {
    /// The modules of a folder; none is read before it is asked for.
    pub(crate) fn new(root: &'f Path) -> Self {
        Self {
            root,
            aliases: Aliases::of(root),
            files: RefCell::default(),
            values: RefCell::default(),
            reading: RefCell::default(),
        }
    }

    /// Every file that a value was read from, by path.
    pub(crate) fn sources(&self) -> Vec<SourceFile> {
        let (files, values) = (self.files.borrow(), self.values.borrow());
        let mut paths: Vec<&String> = values.keys().map(|(path, _)| path).collect();
        paths.dedup();
        let found = paths
            .into_iter()
            .filter_map(|path| files.get(path)?.as_ref());
        found.map(|file| (**file).clone()).collect()
    }

    /// The value that `from` imports as `name` from `specifier`, placed at `span` of `from`.
    pub(crate) fn value(&self, from: &str, specifier: &str, name: &str, span: Span) -> Node {
        if !self.is_own(specifier) {
            let (name, module) = (name.to_owned(), specifier.to_owned());
            return Node::new(span, Kind::Imported { name, module });
        }
        let Some(file) = self.resolve(from, specifier) else {
            let reason = format!("{name} from {specifier:?}, where there is no file");
            return Node::unreadable(span, reason);
        };
        let key = (file.path.clone(), name.to_owned());
        let known = self.values.borrow().get(&key).cloned();
        let node = match known {
            Some(node) => node,
            None if self.reading.borrow().contains(&key) => {
                let reason = format!("{name}, which is defined by itself ({})", file.path);
                return Node::unreadable(span, reason);
            }
            None => {
                self.reading.borrow_mut().push(key.clone());
                let node = self.read(&file, name);
                self.reading.borrow_mut().pop();
                self.values.borrow_mut().insert(key, node.clone());
                node
            }
        };
        let place = |inner: Span| {
            let found = Diagnostic::new(Code::NotStatic, "").at(&file, inner);
            found.place().unwrap_or_default()
        };
        node.moved(span, &place)
    }

    /// Where a name comes from in the end: the package that exports it, and its name there.
    pub(crate) fn origin(
        &self,
        from: &str,
        specifier: &str,
        name: &str,
    ) -> Option<(String, String)> {
        let (mut from, mut module, mut name) =
            (from.to_owned(), specifier.to_owned(), name.to_owned());
        for _ in 0..HOPS_MAX {
            if !self.is_own(&module) {
                return Some((module, name));
            }
            let file = self.resolve(&from, &module)?;
            let next = parse(&file, |program| {
                let scope = Scope::read(program);
                match scope.export(&name)? {
                    Exported::From { module, name } => Some((module.to_owned(), name.to_owned())),
                    Exported::Name(local) => {
                        let Binding::Import { module, name } = scope.binding(local)? else {
                            return None;
                        };
                        Some((module.to_owned(), name.to_owned()))
                    }
                    Exported::Expression(_) | Exported::Other(_) => None,
                }
            });
            (module, name) = next.ok()??;
            from.clone_from(&file.path);
        }
        None
    }

    /// Whether an import names a file of the project, by a relative path or by a name of its own.
    pub(super) fn is_own(&self, specifier: &str) -> bool {
        let relative = specifier.starts_with("./") || specifier.starts_with("../");
        relative || self.aliased(specifier).is_some()
    }

    /// The file that an import of the project names.
    pub(super) fn resolve(&self, from: &str, specifier: &str) -> Option<Rc<SourceFile>> {
        if !specifier.starts_with('.') {
            return self.aliased(specifier);
        }
        self.nearest(&joined(from, specifier)?)
    }

    /// The file that a name of the project's own stands for.
    fn aliased(&self, specifier: &str) -> Option<Rc<SourceFile>> {
        let paths = self.aliases.paths(specifier).into_iter();
        paths.into_iter().find_map(|path| self.nearest(&path))
    }

    /// The file at a path, with the ending that it lacks.
    fn nearest(&self, path: &str) -> Option<Rc<SourceFile>> {
        // TypeScript's own spelling: the name of the file it will be compiled to.
        let written = path.strip_suffix(".js").map(|stem| format!("{stem}.ts"));
        let tried = written
            .into_iter()
            .chain(ENDINGS.map(|ending| format!("{path}{ending}")));
        tried.into_iter().find_map(|path| self.file(&path))
    }

    pub(super) fn file(&self, path: &str) -> Option<Rc<SourceFile>> {
        if let Some(known) = self.files.borrow().get(path) {
            return known.clone();
        }
        let at = self.root.join(path);
        let text = at.is_file().then(|| fs::read_to_string(&at).ok()).flatten();
        let file = text.map(|text| Rc::new(SourceFile::new(path, text)));
        self.files
            .borrow_mut()
            .insert(path.to_owned(), file.clone());
        file
    }

    fn read(&self, file: &SourceFile, name: &str) -> Node {
        let whole = Span::default();
        if is_json(&file.path) {
            let value = serde_json::from_str(&file.text);
            return match (value, name) {
                (Ok(value), "default") => Node::from_json(whole, value),
                (Ok(_), _) => Node::unreadable(
                    whole,
                    format!("{name} of a JSON file; import the whole of it"),
                ),
                (Err(error), _) => {
                    Node::unreadable(whole, format!("a file that is no JSON: {error}"))
                }
            };
        }
        let read = parse(file, |program| {
            let scope = Scope::read(program);
            match scope.export(name) {
                Some(exported) => {
                    Evaluator::new(&scope, self, &file.path).exported(exported, whole)
                }
                None => self.starred(file, &scope, name),
            }
        });
        read.unwrap_or_else(|_| Node::unreadable(whole, "part of a file with syntax errors"))
    }

    /// A name that `export * from` may hold.
    fn starred(&self, file: &SourceFile, scope: &Scope<'_, '_>, name: &str) -> Node {
        let whole = Span::default();
        let mut stars = scope.stars.iter().filter(|star| self.is_own(star));
        let found = stars.find_map(|star| {
            let node = self.value(&file.path, star, name, whole);
            (!matches!(&node.kind, Kind::Unreadable(why) if why.starts_with(ABSENT)))
                .then_some(node)
        });
        found.unwrap_or_else(|| Node::unreadable(whole, format!("{ABSENT}{name}")))
    }
}

const ABSENT: &str = "a module without the export ";

impl Node {
    /// The value placed elsewhere, with `place` naming where its unreadable parts stood.
    fn moved(self, to: Span, place: &dyn Fn(Span) -> String) -> Self {
        let from = self.span;
        let kind = match self.kind {
            Kind::Unreadable(reason) => Kind::Unreadable(format!("{reason} ({})", place(from))),
            Kind::List(items) => Kind::List(
                items
                    .into_iter()
                    .map(|item| item.moved(to, place))
                    .collect(),
            ),
            Kind::Object(object) => Kind::Object(Object {
                entries: object
                    .entries
                    .into_iter()
                    .map(|entry| Entry {
                        key_span: to,
                        value: entry.value.moved(to, place),
                        key: entry.key,
                    })
                    .collect(),
                holes: object
                    .holes
                    .into_iter()
                    .map(|hole| hole.moved(to, place))
                    .collect(),
            }),
            Kind::Call(mut call) => {
                let arguments = call.arguments.into_iter();
                call.arguments = arguments
                    .map(|argument| argument.moved(to, place))
                    .collect();
                Kind::Call(call)
            }
            kind @ (Kind::Undefined
            | Kind::Null
            | Kind::Bool(_)
            | Kind::Number(_)
            | Kind::Text(_)
            | Kind::Function
            | Kind::Imported { .. }) => kind,
        };
        Self::new(to, kind)
    }
}

fn is_json(path: &str) -> bool {
    Path::new(path)
        .extension()
        .is_some_and(|ending| ending == "json")
}

/// Whether a name stands for a helper of the framework, as seen from `from`.
pub(super) fn helper(
    modules: &Modules<'_>,
    from: &str,
    module: &str,
    name: &str,
) -> Option<String> {
    if is_framework(module) {
        return Some(name.to_owned());
    }
    let (module, name) = modules
        .is_own(module)
        .then(|| modules.origin(from, module, name))??;
    is_framework(&module).then_some(name)
}

/// A relative path seen from a file, relative to the root; it may lead out of it.
fn joined(from: &str, specifier: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in specifier.split('/') {
        match part {
            "." | "" => {}
            ".." if parts.last().is_none_or(|last| *last == "..") => parts.push(".."),
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_seen_from_the_file_that_names_it() {
        for (from, specifier, path) in [
            ("agent.ts", "./models", Some("models")),
            ("tools/a.ts", "../lib/x.ts", Some("lib/x.ts")),
            ("tools/a.ts", "../../shared/x", Some("../shared/x")),
            ("tools/a.ts", "./././b", Some("tools/b")),
            ("a.ts", "../..", Some("../..")),
            ("a.ts", "./", None),
        ] {
            assert_eq!(joined(from, specifier).as_deref(), path, "{specifier}");
        }
    }
}
