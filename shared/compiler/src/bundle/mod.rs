//! Fifth stage: each definition with code and all it imports to one ECMAScript module
//! [architecture, authored code].
//!
//! A module in the artifact has one default export, the definition; types are gone, packages from
//! `node_modules` are inlined (`CommonJS` too), unused code is dropped. Only `@openeve/core` and the
//! modules of Node that tools have stay imports: the engine provides them. Nothing is resolved at run time, so whatever an import needs that
//! the engine lacks is a diagnostic here. Output depends on the sources alone.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path};

use crate::diagnostic::Diagnostic;
use crate::discover::{Folder, SourceFile};

mod builtins;
mod deep;
mod entry;
mod failure;
mod key;
mod memory;
mod native;
mod paths;
mod rolldown_run;
mod schema;
mod workers;

pub(crate) use entry::{Entry, module_path};
pub(crate) use key::{KeyOf, freeze_key};
use rolldown_run::{Finding, Run};
use schema::Frozen;
pub(crate) use schema::{Unfrozen, freeze};
pub(crate) use workers::STACK_BYTES;

/// The import that stays one.
pub(crate) const CORE: &str = "@openeve/core";

/// What a compiler remembers of its last compilations.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    modules: memory::Memory<Run>,
    schemas: memory::Memory<Frozen>,
}

impl Memory {
    /// A compilation begins.
    pub(crate) fn begin(&self) {
        self.modules.begin();
        self.schemas.begin();
    }
}

/// A bundled definition.
#[derive(Debug, Clone)]
pub(crate) struct Bundled {
    pub(crate) code: String,
    pub(crate) map: String,
}

/// Everything that was bundled, and from what.
#[derive(Debug, Default)]
pub(crate) struct Bundles {
    /// Module by its path in the artifact.
    pub(crate) modules: BTreeMap<String, Bundled>,
    /// The app's own files that the modules consist of, by path.
    pub(crate) sources: BTreeMap<String, SourceFile>,
    /// Packages that the modules import: name → versions.
    pub(crate) packages: BTreeMap<String, BTreeSet<String>>,
}

/// Bundles every entry, on several threads; waits for them.
pub(crate) fn bundle(
    folder: &Folder,
    entries: &[Entry<'_>],
    memory: Option<&Memory>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Bundles {
    let mut bundles = Bundles::default();
    let runs = workers::each(entries, |runtime, entry| {
        let (root, module) = (folder.root.display(), entry.module_path());
        let key = format!("{root}\0{module}\0{}\0{}", entry.file.path, entry.export);
        if let Some(run) = memory.and_then(|memory| memory.modules.recall(&key)) {
            return Ok(run);
        }
        let run = runtime.block_on(rolldown_run::run(&folder.root, entry))?;
        if let Some(memory) = memory.filter(|_| run.unresolved.iter().all(Finding::is_absent)) {
            let source = folder.root.join(&entry.file.path);
            let modules = &memory.modules;
            modules.keep(key, &folder.root, &source, &run.imports, run.clone());
        }
        Ok(run)
    });
    let mut inputs = BTreeSet::new();
    for (entry, run) in entries.iter().zip(runs) {
        let path = &entry.file.path;
        match run {
            Some(Ok(run)) => {
                diagnostics.extend(failure::unresolved(
                    folder,
                    path,
                    &run.imports,
                    &run.unresolved,
                ));
                inputs.extend(run.imports.inputs());
                let (code, map) = (run.code, run.map);
                let module = Bundled { code, map };
                bundles.modules.insert(entry.module_path(), module);
            }
            Some(Err(failed)) => diagnostics.extend(failure::translate(folder, path, &failed)),
            // Reported by the caller as a part that is absent.
            None => {}
        }
    }
    bundles.note_inputs(&folder.root, &inputs);
    bundles
}

/// Which module imports which, as absolute paths.
#[derive(Debug, Default, Clone)]
pub(crate) struct Imports(pub(crate) BTreeSet<(String, String)>);

impl Imports {
    /// The files that were imported.
    fn inputs(&self) -> impl Iterator<Item = String> {
        let to = self.0.iter().map(|(_, to)| to);
        to.filter(|to| Path::new(to).is_absolute()).cloned()
    }

    /// The way from a tool to a module that it imports, both included, relative to the folder.
    fn chain(&self, root: &Path, tool: &str, module: &str) -> Vec<String> {
        let entry = root.join(tool).to_string_lossy().into_owned();
        let mut chain = vec![module.to_owned()];
        let mut seen: BTreeSet<String> = chain.iter().cloned().collect();
        while let Some(last) = chain.last().filter(|last| **last != entry) {
            let importer = self
                .0
                .iter()
                .find(|(from, to)| to == last && !seen.contains(from));
            let Some((from, _)) = importer else { break };
            let from = from.clone();
            seen.insert(from.clone());
            chain.push(from);
        }
        chain.reverse();
        chain
            .iter()
            .map(|path| relative(root, Path::new(path)))
            .collect()
    }
}

impl Bundles {
    /// Notes what bundles were made from: the app's own files by hash, packages by version.
    fn note_inputs(&mut self, root: &Path, inputs: &BTreeSet<String>) {
        let mut packages = BTreeSet::new();
        for path in inputs {
            match package_of(path) {
                Some(directory) => {
                    packages.insert(directory);
                }
                None => {
                    if let Ok(bytes) = fs::read(path) {
                        let file = SourceFile::new(
                            relative(root, Path::new(path)),
                            String::from_utf8_lossy(&bytes).into_owned(),
                        );
                        self.sources.insert(file.path.clone(), file);
                    }
                }
            }
        }
        for directory in packages {
            if let Some((name, version)) = package_version(Path::new(&directory)) {
                self.packages.entry(name).or_default().insert(version);
            }
        }
    }
}

/// The directory of the package a file belongs to, if it lies in `node_modules`.
fn package_of(path: &str) -> Option<String> {
    const MARK: &str = "node_modules/";
    let at = path.rfind(MARK)? + MARK.len();
    let (before, inside) = path.split_at_checked(at)?;
    let parts = if inside.starts_with('@') { 2 } else { 1 };
    let name: Vec<&str> = inside.split('/').take(parts).collect();
    Some(format!("{before}{}", name.join("/")))
}

fn package_version(directory: &Path) -> Option<(String, String)> {
    let text = fs::read_to_string(directory.join("package.json")).ok()?;
    let json: serde_json::Value = serde_json::from_str(&text).ok()?;
    let field = |key: &str| {
        json.get(key)
            .and_then(|value| value.as_str())
            .map(str::to_owned)
    };
    Some((
        field("name")?,
        field("version").unwrap_or_else(|| "0.0.0".to_owned()),
    ))
}

/// A path as seen from the agent folder, with `/` and as many `..` as it takes.
pub(crate) fn relative(root: &Path, path: &Path) -> String {
    let from: Vec<Component<'_>> = root.components().collect();
    let to: Vec<Component<'_>> = path.components().collect();
    let shared = from
        .iter()
        .zip(&to)
        .take_while(|(one, two)| one == two)
        .count();
    let up = from.iter().skip(shared).map(|_| "..".to_owned());
    let down = to
        .iter()
        .skip(shared)
        .map(|part| part.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_told_from_the_folder() {
        let root = Path::new("/app/agent");
        assert_eq!(relative(root, Path::new("/app/agent/lib/a.ts")), "lib/a.ts");
        assert_eq!(relative(root, Path::new("/app/lib/a.ts")), "../lib/a.ts");
    }

    #[test]
    fn a_file_in_node_modules_belongs_to_the_innermost_package() {
        assert_eq!(
            package_of("/a/node_modules/ms/index.js").as_deref(),
            Some("/a/node_modules/ms")
        );
        assert_eq!(
            package_of("/a/node_modules/x/node_modules/@s/y/z.js").as_deref(),
            Some("/a/node_modules/x/node_modules/@s/y")
        );
        assert_eq!(package_of("/a/lib/b.ts"), None);
    }

    #[test]
    fn the_chain_leads_from_the_tool_to_the_module() {
        let pair = |from: &str, to: &str| (format!("/a/{from}"), format!("/a/{to}"));
        let imports =
            Imports([pair("tools/t.ts", "lib/b.ts"), pair("lib/b.ts", "lib/c.ts")].into());
        assert_eq!(
            imports.chain(Path::new("/a"), "tools/t.ts", "/a/lib/c.ts"),
            ["tools/t.ts", "lib/b.ts", "lib/c.ts"]
        );
    }
}
