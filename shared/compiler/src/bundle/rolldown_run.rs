//! One run of the bundler: the only file that knows its options and its types.
//!
//! The entry is a virtual module that re-exports the definition as the default export, so every
//! module in the artifact has the same shape whatever the author called it.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use openeve_domain::node::builtin;
use rolldown::plugin::{
    HookLoadArgs, HookLoadOutput, HookLoadReturn, HookResolveIdArgs, HookResolveIdOutput,
    HookResolveIdReturn, HookUsage, Plugin, PluginContext, SharedLoadPluginContext,
};
use rolldown::{
    BundlerBuilder, BundlerOptions, CodeSplittingMode, InputItem, IsExternal, OutputFormat,
    Platform, ResolveOptions, SourceMapType, TsConfig,
};
use rolldown_common::{ModuleType, Output};
use rolldown_error::{BuildDiagnostic, DiagnosticOptions};

use super::builtins::{Absent, Builtins, is_absent, package_name};
use super::deep::{self, Deep};
use super::native::{self, Native};
use super::paths::Paths;
use super::{CORE, Entry, Imports};

/// The kind of a finding about a module of Node that a package imports and tools do not have.
pub(super) const ABSENT: &str = "ABSENT_BUILTIN";
/// The kind of a finding about machine code that a package loads.
pub(super) const NATIVE: &str = "NATIVE_CODE";
/// The specifier of the virtual entry.
const ENTRY: &str = "openeve:entry";
/// Its id; the zero byte keeps other resolvers away.
const ENTRY_ID: &str = "\0openeve:entry";

/// What stands in the code for what only the machine of a build could say. Packages look at where they
/// lie while they are loaded; a tool lies nowhere.
const DEFINED: [(&str, &str); 4] = [
    ("process.env.NODE_ENV", "\"production\""),
    ("__dirname", "\"/\""),
    ("__filename", "\"/tool.js\""),
    ("import.meta.url", "\"file:///tool.js\""),
];

/// A bundle, and what was seen on the way.
#[derive(Debug, Clone)]
pub(super) struct Run {
    pub(super) code: String,
    pub(super) map: String,
    pub(super) imports: Imports,
    /// Imports that lead nowhere; the code still has them.
    pub(super) unresolved: Vec<Finding>,
}

/// A bundle that failed.
#[derive(Debug)]
pub(super) struct Failed {
    pub(super) imports: Imports,
    pub(super) findings: Vec<Finding>,
}

/// What the bundler says, in our own terms.
#[derive(Debug, Clone)]
pub(super) struct Finding {
    /// The bundler's kind, such as `UNRESOLVED_IMPORT`.
    pub(super) kind: String,
    pub(super) message: String,
    /// The file it is about: absolute, or relative to the folder.
    pub(super) file: Option<String>,
    /// The specifier it is about, where it is about one.
    pub(super) specifier: Option<String>,
    /// Place in the file, in UTF-16 units.
    pub(super) utf16_at: Option<usize>,
}

impl Finding {
    /// Whether it is about a module of Node that a package imports, and no more than a warning.
    pub(super) fn is_absent(&self) -> bool {
        self.kind == ABSENT
    }

    /// The import it is about, if a package imports a module of Node that tools do not have.
    fn unguarded(&self, root: &Path) -> Option<(String, String)> {
        let file = root.join(self.file.as_deref()?);
        let edge = (file.to_string_lossy().into_owned(), self.specifier.clone()?);
        (self.kind == "UNRESOLVED_IMPORT" && is_absent(&edge.0, &edge.1)).then_some(edge)
    }
}

/// Bundles a definition.
pub(super) async fn run(root: &Path, entry: &Entry<'_>) -> Result<Run, Failed> {
    let source = &entry.file.path;
    let start = Start::new(root, source, entry.export);
    bundled(root, entry.name, source, start).await
}

/// Bundles `export` of a file that is read as `text`, with what `more` exports besides.
pub(super) async fn run_text(
    root: &Path,
    source: &str,
    text: &str,
    export: &str,
    more: &str,
) -> Result<Run, Failed> {
    let mut entry = Start::new(root, source, export);
    entry.code.push_str(more);
    let path = root.join(source).to_string_lossy().into_owned();
    entry.instead = Some((path, text.to_owned()));
    bundled(root, "schema", source, entry).await
}

/// Bundles a module that is written as `code` and imports from `source`.
pub(super) async fn run_code(root: &Path, source: &str, code: String) -> Result<Run, Failed> {
    let instead = None;
    bundled(root, "key", source, Start { code, instead }).await
}

/// Bundles; once more if packages require modules of Node that tools do not have, without guarding it:
/// only the bundler knows which `require` stands in a `try`.
async fn bundled(root: &Path, name: &str, source: &str, entry: Start) -> Result<Run, Failed> {
    let entry = Arc::new(entry);
    let once = |absent| bundled_once(root, name, source, Arc::clone(&entry), absent);
    let first = Box::pin(once(Absent::new())).await;
    let found = match &first {
        Ok(run) => &run.unresolved,
        Err(failed) => &failed.findings,
    };
    let unguarded: Absent = found
        .iter()
        .filter_map(|finding| finding.unguarded(root))
        .collect();
    if unguarded.is_empty() {
        return first;
    }
    Box::pin(once(unguarded)).await
}

async fn bundled_once(
    root: &Path,
    name: &str,
    source: &str,
    entry: Arc<Start>,
    unguarded: Absent,
) -> Result<Run, Failed> {
    let seen = Arc::new(Mutex::new(Absent::new()));
    let builtins = Builtins::new(unguarded, Arc::clone(&seen));
    let native = Arc::new(Mutex::new(native::Seen::default()));
    let deep = deep::Found::default();
    let imports = Arc::new(Mutex::new(Imports::default()));
    let failed = |findings: Vec<Finding>| Failed {
        imports: taken(&imports),
        findings,
    };
    let finding = |event: &BuildDiagnostic| finding(root, event);
    let bundler = BundlerBuilder::default()
        .with_options(options(root, name, Arc::clone(&imports)))
        .with_plugins(vec![
            entry,
            Arc::new(Deep(Arc::clone(&deep))),
            Arc::new(builtins),
            Arc::new(Native::new(Arc::clone(&native))),
            Arc::new(Paths::new(root)),
        ])
        .build();
    let mut bundler = bundler.map_err(|errors| failed(errors.iter().map(finding).collect()))?;
    let output = Box::pin(bundler.generate()).await;
    let too_deep = deep::findings(&deep);
    if !too_deep.is_empty() {
        return Err(failed(too_deep));
    }
    let output = output.map_err(|errors| failed(errors.iter().map(finding).collect()))?;
    let (mut code, mut map) = (None, None);
    for file in &output.assets {
        match file {
            Output::Chunk(chunk) if chunk.is_entry => code = Some(chunk.code.clone()),
            Output::Asset(asset) if asset.filename.ends_with(".map") => {
                map = Some(String::from_utf8_lossy(asset.source.as_bytes()).into_owned());
            }
            Output::Chunk(_) | Output::Asset(_) => {}
        }
    }
    let (Some(code), Some(map)) = (code, map) else {
        let message = format!("the bundler produced no module for {source}");
        return Err(failed(vec![Finding {
            kind: String::new(),
            message,
            file: None,
            specifier: None,
            utf16_at: None,
        }]));
    };
    let unresolved = output
        .warnings
        .iter()
        .map(finding)
        .filter(|finding| finding.kind == "UNRESOLVED_IMPORT");
    let machine_code = machine_code(&native, &taken(&imports));
    let unresolved = unresolved.chain(absent(&seen)).chain(machine_code);
    let unresolved = unresolved.collect();
    Ok(Run {
        code,
        map,
        imports: taken(&imports),
        unresolved,
    })
}

/// One finding for each package and module of Node that it imports, though tools do not have it.
fn absent(seen: &Mutex<Absent>) -> Vec<Finding> {
    let seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
    let mut told = BTreeSet::new();
    let new = |(importer, specifier): &&(String, String)| {
        told.insert((
            package_name(importer),
            builtin(specifier).map(|found| found.name),
        ))
    };
    let new: Vec<_> = seen.iter().filter(new).collect();
    new.into_iter()
        .map(|(importer, specifier)| Finding {
            kind: ABSENT.to_owned(),
            message: String::new(),
            file: Some(importer.clone()),
            specifier: Some(specifier.clone()),
            utf16_at: None,
        })
        .collect()
}

/// One finding for each place that asks for machine code without another way.
fn machine_code(seen: &Mutex<native::Seen>, imports: &Imports) -> Vec<Finding> {
    let seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
    let places = seen.places(imports).into_iter();
    let each = places.map(|(importer, specifier)| Finding {
        kind: NATIVE.to_owned(),
        message: String::new(),
        file: Some(importer),
        specifier: Some(specifier),
        utf16_at: None,
    });
    each.collect()
}

fn taken(imports: &Mutex<Imports>) -> Imports {
    imports
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .clone()
}

fn options(root: &Path, name: &str, imports: Arc<Mutex<Imports>>) -> BundlerOptions {
    BundlerOptions {
        input: Some(vec![InputItem {
            name: Some(name.to_owned()),
            import: ENTRY.to_owned(),
        }]),
        cwd: Some(root.to_owned()),
        // The output directory is the folder itself, so that paths in the source map start there.
        dir: Some(".".to_owned()),
        external: Some(external(imports)),
        platform: Some(Platform::Neutral),
        resolve: Some(ResolveOptions {
            condition_names: Some(vec![
                "worker".to_owned(),
                "browser".to_owned(),
                "module".to_owned(),
            ]),
            main_fields: Some(vec!["module".to_owned(), "main".to_owned()]),
            alias_fields: Some(vec![vec!["browser".to_owned()]]),
            ..ResolveOptions::default()
        }),
        // A stray tsconfig above the folder must not change the artifact.
        tsconfig: Some(TsConfig::Auto(false)),
        format: Some(OutputFormat::Esm),
        sourcemap: Some(SourceMapType::File),
        sourcemap_exclude_sources: Some(true),
        code_splitting: Some(CodeSplittingMode::Bool(false)),
        define: Some(
            DEFINED
                .map(|(name, value)| (name.into(), value.into()))
                .into_iter()
                .collect(),
        ),
        ..BundlerOptions::default()
    }
}

/// Keeps the framework's import as it is, and notes every import that was resolved.
fn external(imports: Arc<Mutex<Imports>>) -> IsExternal {
    IsExternal::Fn(Some(Arc::new(
        move |specifier: &str, importer: Option<&str>, is_resolved: bool| {
            if is_resolved && !specifier.starts_with('\0') {
                let edge = (
                    importer.unwrap_or_default().to_owned(),
                    specifier.to_owned(),
                );
                imports
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .0
                    .insert(edge);
            }
            let is_core = specifier == CORE;
            Box::pin(async move { Ok(is_core) })
        },
    )))
}

/// A build event in our own terms, with paths relative to the folder where the bundler shortens them.
fn finding(root: &Path, event: &BuildDiagnostic) -> Finding {
    let options = DiagnosticOptions {
        cwd: root.to_owned(),
    };
    let shown = event.to_diagnostic_with(&options);
    let (file, utf16_at) = shown
        .get_primary_location()
        .map(|(file, _, _, at)| (file, at))
        .unzip();
    Finding {
        kind: shown.kind(),
        message: event.to_message_with(&options),
        file: event.id().or(file),
        specifier: event.exporter(),
        utf16_at,
    }
}

/// The virtual module that a bundle starts from.
#[derive(Debug)]
struct Start {
    code: String,
    /// A file's absolute path and what it holds instead of what is on disk.
    instead: Option<(String, String)>,
}

impl Start {
    fn new(root: &Path, source: &str, export: &str) -> Self {
        let path = serde_json::Value::from(root.join(source).to_string_lossy().into_owned());
        let export = serde_json::Value::from(export);
        Self {
            code: format!("export {{ {export} as default }} from {path};"),
            instead: None,
        }
    }
}

impl Plugin for Start {
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("openeve:entry")
    }

    fn register_hook_usage(&self) -> HookUsage {
        HookUsage::ResolveId | HookUsage::Load
    }

    async fn resolve_id(
        &self,
        _context: &PluginContext,
        args: &HookResolveIdArgs<'_>,
    ) -> HookResolveIdReturn {
        Ok((args.specifier == ENTRY).then(|| HookResolveIdOutput::from_id(ENTRY_ID)))
    }

    async fn load(
        &self,
        _context: SharedLoadPluginContext,
        args: &HookLoadArgs<'_>,
    ) -> HookLoadReturn {
        let instead = self.instead.as_ref().filter(|(path, _)| args.id == path);
        let loaded = match instead {
            Some((_, text)) => Some((text, ModuleType::Ts)),
            None if args.id == ENTRY_ID => Some((&self.code, ModuleType::Js)),
            None => None,
        };
        Ok(loaded.map(|(code, module_type)| HookLoadOutput {
            code: code.as_str().into(),
            module_type: Some(module_type),
            ..HookLoadOutput::default()
        }))
    }
}
