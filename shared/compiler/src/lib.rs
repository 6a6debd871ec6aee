//! The compiler: an agent folder to a manifest and an artifact.
//!
//! [`compile`] reads the folder and returns everything it found: the manifest if there is no error,
//! the bundled modules, and every diagnostic of every stage. [`emit()`] writes the artifact. The stages
//! are modules, in order: `discover`, `parse`, `lower`, `check`, `bundle`, `revision`, `emit`; each
//! appends to one list of diagnostics and none throws.
//!
//! Guarantees:
//! - The author's code is read, never executed, with one exception: the expression of a schema that is
//!   made by code, and a sandbox's `revalidationKey`, by whatever [`SchemaEvaluator`] the caller brings. What cannot be read is reported
//!   where it stands.
//! - Nothing is ignored in silence: a reserved part that this version lacks is a warning, an unknown
//!   key is an error.
//! - The same source gives the same bytes and the same revision, on any machine and in any place. No
//!   clock, no path of the machine and no secret enters the artifact; secrets are named, as
//!   environment variables.
//! - Nobody sees half an artifact: see [`emit()`].
//!
//! It refuses to know how agents run, which providers exist beyond the adapters' names, and whether
//! a model is in a catalogue. It installs no packages. Nothing that is deployed depends on it, and no
//! type of its parser or bundler shows in its interface.

use std::collections::BTreeMap;
use std::path::Path;
use std::thread::ScopedJoinHandle;

use openeve_domain::manifest::Manifest;
use serde_json::Value;

mod aliases;
mod assemble;
mod bundle;
mod cause;
mod check;
mod code;
mod diagnostic;
mod discover;
mod emit;
pub mod eve;
mod freeze;
mod lower;
mod nesting;
mod parse;
mod place;
mod revision;
mod sarif;
mod schemas;
mod sdk;
#[cfg(test)]
pub(crate) mod tests;

pub use diagnostic::{Code, Diagnostic, Excerpt, Severity, Span};
pub use emit::{EmitError, artifact, emit};
pub use sdk::sdk_files;

/// What came of compiling a folder.
#[derive(Debug, Clone)]
pub struct Compilation {
    /// The manifest. None exactly if there is an error among the diagnostics.
    pub manifest: Option<Manifest>,
    /// The modules of every definition with code; empty without a manifest.
    pub modules: Vec<Module>,
    /// Environment variable → the source files that name it.
    pub env: BTreeMap<String, Vec<String>>,
    /// Every finding, by file and place.
    pub diagnostics: Vec<Diagnostic>,
    /// Source path → what is known about it beyond the manifest.
    metadata: BTreeMap<String, Value>,
    /// Path below `assets/` → a file that goes there as it is.
    assets: BTreeMap<String, Vec<u8>>,
    /// Path below the root, in `migrations/` → a migration of the author's own.
    migrations: BTreeMap<String, Vec<u8>>,
}

/// A bundled module with one default export: a definition with code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Module {
    /// Path below the artifact's root.
    pub path: String,
    /// ECMAScript that imports nothing but `@openeve/core` and the modules of Node that are offered.
    pub code: String,
    /// Its source map, with paths relative to the agent folder and without the sources' text.
    pub map: String,
}

impl Compilation {
    /// The findings that keep the folder from being built.
    pub fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics
            .iter()
            .filter(|found| found.severity == Severity::Error)
    }

    /// The findings that a person should look at.
    pub fn warnings(&self) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics
            .iter()
            .filter(|found| found.severity == Severity::Warning)
    }

    /// The author's own migrations, by their paths below the artifact's root, in order.
    pub fn migrations(&self) -> impl Iterator<Item = &str> {
        self.migrations.keys().map(String::as_str)
    }

    /// Whether the folder can be built.
    pub fn is_ok(&self) -> bool {
        self.manifest.is_some()
    }

    /// Every finding as plain text, one blank line between two.
    pub fn render(&self) -> String {
        self.diagnostics
            .iter()
            .map(Diagnostic::render)
            .collect::<Vec<_>>()
            .join("\n\n")
    }
}

/// Evaluates schemas that are made by code, such as Zod's.
///
/// This is the one exception from reading without executing: what runs is the expression of the schema
/// and what it imports, in an engine without access to anything.
pub trait SchemaEvaluator: Send + Sync {
    /// The JSON Schema that a bundled module exports as its default, or why it gives none, in words
    /// for the author. The same module gives the same schema.
    fn evaluate(&self, module: &str) -> Result<Value, String>;
}

/// Compiles an agent folder without evaluating any of it. Reads the folder and its `node_modules`,
/// writes nothing.
///
/// Works on threads of its own and waits for them; an asynchronous caller calls it from a thread
/// that may wait.
pub fn compile(folder: &Path) -> Compilation {
    compile_with(folder, None)
}

/// Compiles an agent folder as [`compile`] does, and lets `schemas` evaluate schemas that are made by
/// code.
pub fn compile_with(folder: &Path, schemas: Option<&dyn SchemaEvaluator>) -> Compilation {
    compile_remembering(folder, schemas, None)
}

/// Compiles folders again and again, as a watcher does: what was bundled before and has not changed
/// is not bundled again. The result is the same as that of [`compile_with`].
#[derive(Debug, Default)]
pub struct Compiler {
    memory: bundle::Memory,
}

impl Compiler {
    /// Compiles an agent folder as [`compile_with`] does. The same evaluator is expected each time.
    pub fn compile(&self, folder: &Path, schemas: Option<&dyn SchemaEvaluator>) -> Compilation {
        self.memory.begin();
        compile_remembering(folder, schemas, Some(&self.memory))
    }
}

/// Compiles on a thread whose stack the deepest tree fits in, whatever thread the caller is.
fn compile_remembering(
    folder: &Path,
    schemas: Option<&dyn SchemaEvaluator>,
    memory: Option<&bundle::Memory>,
) -> Compilation {
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().stack_size(bundle::STACK_BYTES);
        let work = || compile_here(folder, schemas, memory);
        match builder
            .spawn_scoped(scope, work)
            .map(ScopedJoinHandle::join)
        {
            Ok(Ok(compilation)) => compilation,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            // No thread was to be had: then here.
            Err(_) => compile_here(folder, schemas, memory),
        }
    })
}

fn compile_here(
    folder: &Path,
    schemas: Option<&dyn SchemaEvaluator>,
    memory: Option<&bundle::Memory>,
) -> Compilation {
    let mut diagnostics = Vec::new();
    let Some(found) = discover::discover(folder, &mut diagnostics) else {
        return finish(None, BTreeMap::new(), diagnostics);
    };
    let mut drafts = lower::lower(&found, &mut diagnostics);
    check::check(&found, &drafts, &mut diagnostics);
    let mut bundles = bundle::bundle(&found, &drafts.entries(&found), memory, &mut diagnostics);
    freeze::freeze(
        &found,
        &mut drafts,
        schemas,
        memory,
        &mut bundles,
        &mut diagnostics,
    );
    check::schemas(&found, &drafts, &mut diagnostics);
    drafts.note_variables(bundles.sources.values());
    let failed = diagnostics
        .iter()
        .any(|found| found.severity == Severity::Error);
    let built = if failed {
        None
    } else {
        assemble::assemble(&found, &drafts, &bundles)
    };
    let env = drafts
        .env
        .into_iter()
        .map(|(name, files)| (name, files.into_iter().collect()))
        .collect();
    let mut compilation = finish(built, env, diagnostics);
    if compilation.is_ok() {
        compilation.assets = assemble::assets(&found);
        let migrations = found.migrations.into_iter();
        compilation.migrations = migrations.map(|one| (one.path, one.bytes)).collect();
    }
    compilation
}

type Built = (Manifest, Vec<Module>, BTreeMap<String, Value>);

fn finish(
    built: Option<Built>,
    env: BTreeMap<String, Vec<String>>,
    mut diagnostics: Vec<Diagnostic>,
) -> Compilation {
    if built.is_none()
        && !diagnostics
            .iter()
            .any(|found| found.severity == Severity::Error)
    {
        let message = "a part of the manifest is absent though no stage reported why; this is a fault of the compiler";
        diagnostics.push(Diagnostic::new(Code::BundleFailed, message));
    }
    diagnostics.sort_by(|one, two| one.sort_key().cmp(&two.sort_key()));
    diagnostics.dedup();
    let diagnostics = cause::folded(&diagnostics);
    let (manifest, modules, metadata) = match built {
        Some((mut manifest, modules, metadata)) => {
            manifest.validation = assemble::warnings(&diagnostics);
            (Some(manifest), modules, metadata)
        }
        None => (None, Vec::new(), BTreeMap::new()),
    };
    Compilation {
        manifest,
        modules,
        env,
        diagnostics,
        metadata,
        assets: BTreeMap::new(),
        migrations: BTreeMap::new(),
    }
}
