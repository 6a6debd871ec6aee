//! The compiler: an agent folder to a manifest and an artifact.
//!
//! [`compile`] reads the folder and returns everything it found: the manifest if there is no error,
//! the bundled modules, and every diagnostic of every stage. [`emit()`] writes the artifact. The stages
//! are modules, in order: `discover`, `parse`, `lower`, `check`, `bundle`, `revision`, `emit`; each
//! appends to one list of diagnostics and none throws.
//!
//! Guarantees:
//! - The author's code is read, never executed, with one exception: the expression of a schema that is
//!   made by code, by whatever [`SchemaEvaluator`] the caller brings. What cannot be read is reported
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

use discover::SourceFile;
use openeve_domain::manifest::Manifest;
use serde_json::Value;

mod assemble;
mod bundle;
mod check;
mod code;
mod diagnostic;
mod discover;
mod emit;
pub mod eve;
mod lower;
mod nesting;
mod parse;
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
    /// The tools' modules, by path; empty without a manifest.
    pub modules: Vec<Module>,
    /// Environment variable → the source files that name it.
    pub env: BTreeMap<String, Vec<String>>,
    /// Every finding, by file and place.
    pub diagnostics: Vec<Diagnostic>,
    /// Source path → what is known about it beyond the manifest.
    metadata: BTreeMap<String, Value>,
    /// Path below `assets/` → a file that goes there as it is.
    assets: BTreeMap<String, Vec<u8>>,
}

/// A bundled module with one default export: the tool's definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Module {
    /// Path below the artifact's root.
    pub path: String,
    /// ECMAScript that imports nothing but `@openeve/core`.
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
/// Runs inside of a Tokio runtime, of one thread or many; the bundler uses threads of its own.
pub async fn compile(folder: &Path) -> Compilation {
    compile_with(folder, None).await
}

/// Compiles an agent folder as [`compile`] does, and lets `schemas` evaluate schemas that are made by
/// code.
pub async fn compile_with(folder: &Path, schemas: Option<&dyn SchemaEvaluator>) -> Compilation {
    let mut diagnostics = Vec::new();
    let Some(found) = discover::discover(folder, &mut diagnostics) else {
        return finish(None, BTreeMap::new(), diagnostics);
    };
    let mut drafts = lower::lower(&found, &mut diagnostics);
    check::check(&found, &drafts, &mut diagnostics);
    let mut bundles = bundle::bundle(&found, &drafts.tool_exports, &mut diagnostics).await;
    for (name, made) in std::mem::take(&mut drafts.made) {
        let Some(tool) = found.tools.iter().find(|tool| tool.name == name) else {
            continue;
        };
        let Some(evaluator) = schemas else {
            diagnostics.push(not_evaluated(&tool.file, &made));
            continue;
        };
        let (file, bundles) = (&tool.file, &mut bundles);
        let schema =
            bundle::freeze(&found, file, &made, evaluator, bundles, &mut diagnostics).await;
        let draft = drafts
            .tools
            .iter_mut()
            .find(|draft| draft.spec.name == name);
        if let (Some(schema), Some(draft)) = (schema, draft) {
            draft.set_schema(made.key, made.span, schema);
        }
    }
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
    }
    compilation
}

fn not_evaluated(file: &SourceFile, made: &lower::MadeSchema) -> Diagnostic {
    let message = format!(
        "{} is made by code, and evaluating schemas is turned off: it is {}",
        made.key, made.unreadable.1
    );
    Diagnostic::new(Code::NotStatic, message)
        .at(file, made.unreadable.0)
        .help("write plain JSON Schema, such as { type: \"object\", properties: { note: { type: \"string\" } }, required: [\"note\"] }, or let schemas be evaluated")
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
    let (manifest, modules, metadata) = match built {
        Some((manifest, modules, metadata)) => (Some(manifest), modules, metadata),
        None => (None, Vec::new(), BTreeMap::new()),
    };
    Compilation {
        manifest,
        modules,
        env,
        diagnostics,
        metadata,
        assets: BTreeMap::new(),
    }
}
