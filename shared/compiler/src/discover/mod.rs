//! First stage: which files the folder has and which of them the compiler reads (ledger A1).
//!
//! A file's name is the name of the tool, channel or schedule it defines. Whatever the framework
//! reserves and this version leaves out is named in a warning, so nothing is ignored in silence.
//! Helpers may live anywhere else in the folder, or beside it.

mod agent;
mod migrations;
mod near;
mod parts;
mod skills;

use std::path::{Path, PathBuf};
use std::{fs, io};

use openeve_domain::canonical::sha256_hex;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) use agent::{AgentFiles, SUBAGENT_DEPTH_MAX};
pub(crate) use parts::{Part, PartFile};
pub(crate) use skills::{Asset, SkillFolder};

/// Longest name of a tool, channel or schedule, in characters.
const NAME_CHARS_MAX: usize = 64;

/// Files and directories that the framework reserves and this version leaves out.
const RESERVED: &[(&str, &str)] = &[("routines", "routines")];

/// Names of the framework's own tools [E.04, F.03], those included that this version lacks: a tool
/// of such a name would change its meaning with an upgrade.
const CORE_TOOLS: [&str; 13] = [
    "ask_question",
    "bash",
    "delete",
    "edit",
    "grep",
    "list",
    "load_skill",
    "read",
    "spawn_subagent",
    "tool_call",
    "tool_describe",
    "tool_search",
    "write",
];

/// Extensions that look like code to an author and are not `.ts`.
const OTHER_SCRIPTS: &[&str] = &["cjs", "cts", "js", "jsx", "mjs", "mts", "tsx"];

/// A source file, read.
#[derive(Debug, Clone)]
pub(crate) struct SourceFile {
    /// Relative to the agent folder, with `/`.
    pub(crate) path: String,
    /// The text, without a byte order mark.
    pub(crate) text: String,
    /// SHA-256 of the text.
    pub(crate) sha256: String,
}

impl SourceFile {
    pub(crate) fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        let text = text
            .strip_prefix('\u{feff}')
            .map(str::to_owned)
            .unwrap_or(text);
        Self {
            path: path.into(),
            sha256: sha256_hex(text.as_bytes()),
            text,
        }
    }
}

/// A source file whose name is the name of what it defines.
#[derive(Debug, Clone)]
pub(crate) struct NamedFile {
    pub(crate) name: String,
    pub(crate) file: SourceFile,
}

/// What the folder holds.
#[derive(Debug)]
pub(crate) struct Folder {
    /// The folder, absolute. Never written to the artifact.
    pub(crate) root: PathBuf,
    /// The folder as the caller named it, for messages.
    pub(crate) shown: String,
    /// The agent itself, with its subagents.
    pub(crate) agent: AgentFiles,
    pub(crate) gateway: Option<SourceFile>,
    /// `migrations/`: the author's own, for the command that applies them at a deployment.
    pub(crate) migrations: Vec<Asset>,
    /// `package.json`, to tell a package that is missing from one that is not installed.
    pub(crate) package: Option<SourceFile>,
    /// `package-lock.json`: part of the revision.
    pub(crate) lock: Option<SourceFile>,
}

/// Reads the folder. None if it cannot be opened.
pub(crate) fn discover(folder: &Path, diagnostics: &mut Vec<Diagnostic>) -> Option<Folder> {
    let shown = folder.display().to_string();
    let opened = fs::canonicalize(folder).and_then(|root| fs::read_dir(&root).map(|_| root));
    let root = match opened {
        Ok(root) => root,
        Err(error) => {
            let message = format!("the agent folder {shown} cannot be opened: {error}");
            diagnostics.push(
                Diagnostic::new(Code::UnreadableFolder, message)
                    .help("name a folder that holds instructions.md and agent.ts"),
            );
            return None;
        }
    };
    let mut read = |path: &str| read_file(&root, path, diagnostics);
    let gateway = read("gateway.ts");
    let (package, lock) = (read("package.json"), read("package-lock.json"));
    report_reserved(&root, diagnostics);
    let agent = agent::read(&root, diagnostics);
    let migrations = migrations::read(&root, diagnostics);
    Some(Folder {
        root,
        shown,
        agent,
        gateway,
        migrations,
        package,
        lock,
    })
}

impl Folder {
    /// Every source file of a definition.
    pub(crate) fn sources(&self) -> impl Iterator<Item = &SourceFile> {
        let all = self.agent.all().into_iter();
        let own = all.flat_map(|agent| agent.sources().collect::<Vec<_>>());
        self.gateway.iter().chain(own)
    }

    /// A source file of the folder by its path.
    pub(crate) fn file(&self, path: &str) -> Option<&SourceFile> {
        self.sources().find(|file| file.path == path)
    }
}

/// Whether a text can name a tool, channel, schedule or agent: `^[a-z][a-z0-9_-]{0,63}$`, any case.
pub(crate) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.len() <= NAME_CHARS_MAX
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

/// Whether a name belongs to a tool of the framework.
pub(crate) fn is_core_tool(name: &str) -> bool {
    CORE_TOOLS.contains(&name)
}

fn report_reserved(root: &Path, diagnostics: &mut Vec<Diagnostic>) {
    for (path, what) in RESERVED {
        if root.join(path).exists() {
            diagnostics.push(
                Diagnostic::new(
                    Code::NotYetSupported,
                    format!("{path} is reserved for {what}, which this version does not support yet; it is left out"),
                )
                .in_file(*path),
            );
        }
    }
}

/// The `.ts` files directly in a directory, by name.
fn read_named(root: &Path, directory: &str, diagnostics: &mut Vec<Diagnostic>) -> Vec<NamedFile> {
    let mut found = Vec::new();
    for entry in entries(root, directory, diagnostics) {
        let path = format!("{directory}/{entry}");
        if entry.starts_with('.') || entry.ends_with(".d.ts") {
            continue;
        }
        if root.join(&path).is_dir() {
            let message =
                format!("{path} is a folder; only files directly in {directory}/ are read");
            let help = "keep helpers outside of it, such as in lib/";
            diagnostics.push(
                Diagnostic::new(Code::IgnoredFile, message)
                    .in_file(path)
                    .help(help),
            );
            continue;
        }
        let Some((name, extension)) = entry.rsplit_once('.') else {
            continue;
        };
        if OTHER_SCRIPTS.contains(&extension) {
            let message = format!("{path} is not a .ts file, so it defines nothing");
            let help =
                format!("rename it to {directory}/{name}.ts, or move it out of {directory}/");
            diagnostics.push(
                Diagnostic::new(Code::IgnoredFile, message)
                    .in_file(path)
                    .help(help),
            );
        } else if extension == "ts" && !is_name(name) {
            let message = format!("{path} cannot name a definition: {name:?} is not a name");
            let help = renamed(directory, name).map_or_else(
                || "use a letter, then up to 63 letters, digits, _ or -; keep helpers and tests in another folder".to_owned(),
                |meant| format!("did you mean {meant}? a name is a letter, then up to 63 letters, digits, _ or -; keep helpers and tests in another folder"),
            );
            diagnostics.push(
                Diagnostic::new(Code::BadName, message)
                    .in_file(path)
                    .help(help),
            );
        } else if extension == "ts"
            && let Some(file) = read_file(root, &path, diagnostics)
        {
            found.push(NamedFile {
                name: name.to_owned(),
                file,
            });
        }
    }
    found
}

/// The path that a definition with an impossible name was meant to have.
fn renamed(directory: &str, name: &str) -> Option<String> {
    let joined: String = name
        .trim()
        .chars()
        .map(|letter| {
            if letter.is_whitespace() || letter == '.' {
                '_'
            } else {
                letter
            }
        })
        .collect();
    is_name(&joined).then(|| format!("{directory}/{joined}.ts"))
}

/// Names in a directory, sorted. None there: no names.
fn entries(root: &Path, directory: &str, diagnostics: &mut Vec<Diagnostic>) -> Vec<String> {
    let listed = fs::read_dir(root.join(directory)).and_then(|entries| {
        entries
            .map(|entry| entry.map(|entry| entry.file_name().to_string_lossy().into_owned()))
            .collect()
    });
    let mut names: Vec<String> = listed.unwrap_or_else(|error: io::Error| {
        if error.kind() != io::ErrorKind::NotFound {
            let message = format!("{directory} cannot be read: {error}");
            diagnostics.push(Diagnostic::new(Code::UnreadableFile, message).in_file(directory));
        }
        Vec::new()
    });
    names.sort_unstable();
    names
}

/// Reads one file of the folder. Absent: None, without a finding.
fn read_file(root: &Path, path: &str, diagnostics: &mut Vec<Diagnostic>) -> Option<SourceFile> {
    match fs::read_to_string(root.join(path)) {
        Ok(text) => Some(SourceFile::new(path, text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => {
            let message = format!("{path} cannot be read as UTF-8 text: {error}");
            diagnostics.push(Diagnostic::new(Code::UnreadableFile, message).in_file(path));
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_begins_with_a_letter_and_has_at_most_64_characters() {
        for name in ["a", "Echo", "book_table", "time-until", &"a".repeat(64)] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", "1a", "_a", "a.b", "a b", "é", &"a".repeat(65)] {
            assert!(!is_name(name), "{name}");
        }
    }

    #[test]
    fn a_byte_order_mark_is_not_part_of_the_source() {
        assert_eq!(
            SourceFile::new("a.ts", "\u{feff}x").sha256,
            SourceFile::new("a.ts", "x").sha256
        );
    }
}
