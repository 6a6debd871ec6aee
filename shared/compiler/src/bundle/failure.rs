//! What the bundler reports, as diagnostics with a place and a way out.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use openeve_domain::node::{Support, builtin};

use super::builtins::package_name;
use super::rolldown_run::{ABSENT, Failed, Finding};
use super::{CORE, Imports, relative};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::discover::{Folder, SourceFile};
use crate::parse::parse;

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
            let mut message = format!(
                "{importer} imports {specifier:?}, {}",
                nature(folder, specifier, finding)
            );
            if chain.len() > 2 || (chain.len() == 2 && importer != tool) {
                let _ = write!(message, " ({})", chain.join(" → "));
            }
            let found =
                Diagnostic::new(Code::UnresolvedImport, message).help(way_out(folder, specifier));
            vec![placed(
                found,
                source.as_ref(),
                importer,
                finding,
                specifier.len() + 2,
            )]
        }
        ABSENT => vec![absent(tool, source.as_ref(), finding)],
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
    let place = source.and_then(|source| {
        let at = ['"', '\'', '`']
            .iter()
            .find_map(|quote| source.text.find(&format!("{quote}{specifier}{quote}")))?;
        Some((source, u32::try_from(at).ok()?))
    });
    match place {
        Some((source, start)) => {
            let width = u32::try_from(specifier.len() + 2).unwrap_or(1);
            let end = start.saturating_add(width);
            found.at(source, Span { start, end })
        }
        None => found.in_file(file),
    }
}

/// A finding in the bundler's own words.
fn generic(code: Code, tool: &str, source: Option<&SourceFile>, finding: &Finding) -> Diagnostic {
    let file = source.map_or(tool, |source| source.path.as_str());
    let first = finding.message.lines().next().unwrap_or_default();
    let message = format!("{file} cannot be bundled: {first}");
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
    let parts = if specifier.starts_with('@') { 2 } else { 1 };
    let package = specifier
        .split('/')
        .take(parts)
        .collect::<Vec<_>>()
        .join("/");
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
