//! What the bundler reports, as diagnostics with a place and a way out.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use openeve_domain::node::{Support, builtin};

use super::builtins::package_name;
use super::rolldown_run::{ABSENT, Failed, Finding, NATIVE};
use super::{CORE, Imports, relative};
use crate::aliases::{Aliases, looks_like_one};
use crate::cause::{EVE, EVE_HELP, is_eve};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::discover::{Folder, SourceFile};
use crate::parse::parse;

/// What is shown of the bundler's own words: it may quote a whole minified line.
const MESSAGE_CHARS_MAX: usize = 300;

/// Imports that lead nowhere, though the bundle itself could be written.
pub(super) fn unresolved(
    folder: &Folder,
    tool: &str,
    imports: &Imports,
    findings: &[Finding],
) -> Vec<Diagnostic> {
    findings
        .iter()
        .flat_map(|finding| one(folder, tool, imports, finding))
        .collect()
}

/// Why a bundle could not be written.
pub(super) fn translate(folder: &Folder, tool: &str, failed: &Failed) -> Vec<Diagnostic> {
    failed
        .findings
        .iter()
        .flat_map(|finding| one(folder, tool, &failed.imports, finding))
        .collect()
}

fn one(folder: &Folder, tool: &str, imports: &Imports, finding: &Finding) -> Vec<Diagnostic> {
    let source = finding
        .file
        .as_deref()
        .and_then(|path| open(&folder.root, path));
    match finding.kind.as_str() {
        "UNRESOLVED_IMPORT" | "RESOLVE_ERROR" => {
            let specifier = finding.specifier.as_deref().unwrap_or_default();
            let importer = source.as_ref().map_or(tool, |source| source.path.as_str());
            let chain = imports.chain(
                &folder.root,
                tool,
                finding.file.as_deref().unwrap_or_default(),
            );
            let wanted = Wanted::new(folder, specifier, finding);
            let mut message = format!("{importer} imports {specifier:?}, {}", wanted.nature);
            if chain.len() > 2 || (chain.len() == 2 && importer != tool) {
                let _ = write!(message, " ({})", chain.join(" → "));
            }
            let mut found = Diagnostic::new(Code::UnresolvedImport, message).help(wanted.way_out);
            found.cause = wanted.cause;
            vec![placed(
                found,
                source.as_ref(),
                importer,
                finding,
                specifier.len() + 2,
            )]
        }
        ABSENT => vec![absent(tool, source.as_ref(), finding)],
        NATIVE => vec![native(tool, source.as_ref(), finding)],
        "MISSING_EXPORT" => {
            let importer = source.as_ref().map_or(tool, |source| source.path.as_str());
            let message = finding.message.trim_end_matches('.').replace('\\', "/");
            let found = Diagnostic::new(Code::MissingExport, message)
                .help("correct the name, or export it there");
            vec![placed(found, source.as_ref(), importer, finding, 1)]
        }
        "JSON_PARSE" => vec![generic(Code::SyntaxError, tool, source.as_ref(), finding)],
        "PARSE_ERROR" => match source.as_ref().map(|source| parse(source, |_| ())) {
            Some(Err(found)) => found,
            _ => vec![generic(Code::SyntaxError, tool, source.as_ref(), finding)],
        },
        _ => vec![generic(Code::BundleFailed, tool, source.as_ref(), finding)],
    }
}

/// A package imports a module of Node that tools do not have.
fn absent(tool: &str, source: Option<&SourceFile>, finding: &Finding) -> Diagnostic {
    let specifier = finding.specifier.as_deref().unwrap_or_default();
    let file = source.map_or(tool, |source| source.path.as_str());
    let package = package_name(finding.file.as_deref().unwrap_or_default()).unwrap_or_default();
    let message = format!(
        "the package {package} imports {specifier:?}, a module of Node that tools do not have: \
         what uses it throws when it is called"
    );
    let help = match builtin(specifier).map(|found| found.support) {
        Some(Support::Refused(instead)) => {
            format!("if the tool needs that part of the package, {instead}")
        }
        Some(Support::Offered) | None => "use another package".to_owned(),
    };
    let found = Diagnostic::new(Code::AbsentBuiltin, message).help(help);
    match source.and_then(|source| Some((source, quoted_at(source, specifier)?))) {
        Some((source, span)) => found.at(source, span),
        None => found.in_file(file),
    }
}

/// A package loads machine code.
fn native(tool: &str, source: Option<&SourceFile>, finding: &Finding) -> Diagnostic {
    let specifier = finding.specifier.as_deref().unwrap_or_default();
    let file = source.map_or(tool, |source| source.path.as_str());
    let path = finding.file.as_deref().unwrap_or_default();
    let owner = package_name(path).map_or_else(
        || file.to_owned(),
        |package| format!("the package {package}"),
    );
    let message =
        format!("{owner} has native code, which the engine cannot load: it loads {specifier:?}");
    let found = Diagnostic::new(Code::NativeCode, message)
        .help("use a package in plain JavaScript or WebAssembly, or one that asks a service")
        .of_cause(format!("native {owner}"));
    match source.and_then(|source| Some((source, quoted_at(source, specifier)?))) {
        Some((source, span)) => found.at(source, span),
        None => found.in_file(file),
    }
}

/// Where a specifier stands in a file.
fn quoted_at(source: &SourceFile, specifier: &str) -> Option<Span> {
    let at = ['"', '\'', '`']
        .iter()
        .find_map(|quote| source.text.find(&format!("{quote}{specifier}{quote}")))?;
    let start = u32::try_from(at).ok()?;
    let width = u32::try_from(specifier.len() + 2).unwrap_or(1);
    let end = start.saturating_add(width);
    Some(Span { start, end })
}

/// A finding in the bundler's own words.
fn generic(code: Code, tool: &str, source: Option<&SourceFile>, finding: &Finding) -> Diagnostic {
    let file = source.map_or(tool, |source| source.path.as_str());
    let first = finding.message.lines().next().unwrap_or_default();
    let mut shown: String = first.chars().take(MESSAGE_CHARS_MAX).collect();
    if shown.len() < first.len() {
        shown.push('…');
    }
    let message = format!("{file} cannot be bundled: {shown}");
    placed(Diagnostic::new(code, message), source, file, finding, 1)
}

fn placed(
    found: Diagnostic,
    source: Option<&SourceFile>,
    file: &str,
    finding: &Finding,
    width: usize,
) -> Diagnostic {
    match (source, finding.utf16_at) {
        (Some(source), Some(at)) => {
            let start = byte_of(&source.text, at);
            let end = start.saturating_add(u32::try_from(width).unwrap_or(u32::MAX));
            found.at(source, Span { start, end })
        }
        _ => found.in_file(file),
    }
}

/// What an import that leads nowhere was meant to lead to.
struct Wanted {
    nature: String,
    way_out: String,
    cause: Option<String>,
}

impl Wanted {
    fn new(folder: &Folder, specifier: &str, finding: &Finding) -> Self {
        let importer = finding.file.as_deref().unwrap_or_default();
        let is_own = package_name(importer).is_none() && !importer.starts_with("node_modules/");
        if is_own && is_eve(specifier) {
            return Self {
                nature: "a package of vercel/eve".to_owned(),
                way_out: EVE_HELP.to_owned(),
                cause: Some(EVE.to_owned()),
            };
        }
        let paths = if is_own {
            Aliases::of(&folder.root).paths(specifier)
        } else {
            Vec::new()
        };
        if let Some(path) = paths.first() {
            return Self {
                nature: format!("which stands for {path}, but there is no such file"),
                way_out: "create the file, or correct the name; tsconfig.json and package.json say what names stand for".to_owned(),
                cause: None,
            };
        }
        if is_own && looks_like_one(specifier) {
            let start = specifier.split('/').next().unwrap_or(specifier);
            let example = if specifier.starts_with('#') {
                "\"imports\": { \"#*\": \"./*.ts\" } of package.json".to_owned()
            } else {
                format!(
                    "\"paths\": {{ \"{start}/*\": [\"./*\"] }} of compilerOptions in tsconfig.json"
                )
            };
            return Self {
                nature: "a name for a path that neither tsconfig.json nor package.json gives"
                    .to_owned(),
                way_out: format!(
                    "say what it stands for in the folder's own file, such as {example}, or write a relative path"
                ),
                cause: Some(format!("alias {start}")),
            };
        }
        let is_package = !is_builtin(specifier)
            && !is_path(specifier)
            && !specifier.starts_with("@openeve/")
            && finding.kind != "RESOLVE_ERROR";
        Self {
            nature: nature(folder, specifier, finding),
            way_out: way_out(folder, specifier),
            cause: is_package.then(|| format!("package {}", package_of(specifier))),
        }
    }
}

/// The package that a specifier is of.
fn package_of(specifier: &str) -> String {
    let parts = if specifier.starts_with('@') { 2 } else { 1 };
    let parts = specifier.split('/').take(parts);
    parts.collect::<Vec<_>>().join("/")
}

/// Why an import leads nowhere.
fn nature(folder: &Folder, specifier: &str, finding: &Finding) -> String {
    if is_builtin(specifier) {
        "a module of Node that tools do not have".to_owned()
    } else if specifier == "openeve"
        || specifier.starts_with(CORE)
        || specifier.starts_with("@openeve/")
    {
        format!("but tools may import {CORE:?} alone from the framework")
    } else if finding.kind == "RESOLVE_ERROR" {
        let reason = finding.message.lines().next().unwrap_or_default();
        format!(
            "which its package does not offer: {}",
            reason.replace(&*folder.root.to_string_lossy(), ".")
        )
    } else if is_path(specifier) {
        "but there is no such file".to_owned()
    } else {
        "a package that is not installed".to_owned()
    }
}

fn way_out(folder: &Folder, specifier: &str) -> String {
    if let Some(Support::Refused(instead)) = builtin(specifier).map(|found| found.support) {
        return instead.to_owned();
    }
    if is_builtin(specifier) {
        return "use what the engine offers, such as fetch, or a package that also runs in browsers".to_owned();
    }
    if specifier.starts_with("@openeve/") || specifier == "openeve" {
        return format!("import from {CORE:?}");
    }
    if is_path(specifier) {
        return "create the file, or correct the path; it is relative to the importing file"
            .to_owned();
    }
    let package = package_of(specifier);
    let listed = folder
        .package
        .as_ref()
        .is_some_and(|file| file.text.contains(&format!("\"{package}\"")));
    if listed {
        format!("run npm install in {}", folder.shown)
    } else {
        format!("run npm install {package} in {}", folder.shown)
    }
}

fn is_builtin(specifier: &str) -> bool {
    specifier.starts_with("node:") || builtin(specifier).is_some()
}

fn is_path(specifier: &str) -> bool {
    specifier.starts_with(['.', '/'])
}

fn open(root: &Path, path: &str) -> Option<SourceFile> {
    let path = root.join(path);
    let text = fs::read_to_string(&path).ok()?;
    Some(SourceFile::new(relative(root, &path), text))
}

/// The byte at an offset in UTF-16 units.
fn byte_of(text: &str, utf16: usize) -> u32 {
    let mut units = 0;
    let byte = text.char_indices().find(|(_, c)| {
        let here = units >= utf16;
        units += c.len_utf16();
        here
    });
    u32::try_from(byte.map_or(text.len(), |(at, _)| at)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offset_in_utf16_units_becomes_one_in_bytes() {
        assert_eq!(byte_of("é😀x", 3), 6);
        assert_eq!(byte_of("abc", 9), 3);
    }

    #[test]
    fn modules_of_node_are_known_with_and_without_their_prefix() {
        for specifier in ["fs", "node:fs", "fs/promises", "node:test", "node:nothing"] {
            assert!(is_builtin(specifier), "{specifier}");
        }
        assert!(!is_builtin("ms"));
        assert!(!is_builtin("./fs"));
    }
}
