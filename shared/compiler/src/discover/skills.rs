//! `skills/<name>/SKILL.md` and what lies beside it (ledger F.01).
//!
//! The name is the directory's. A file of another name in its place is reported with the name that
//! was meant; the files beside `SKILL.md` belong to the skill.

use std::fs;
use std::path::Path;

use super::{SourceFile, entries, is_name, read_file};
use crate::diagnostic::{Code, Diagnostic};

/// The file that makes a directory a skill.
const SKILL: &str = "SKILL.md";
/// Directories below a skill that are read.
const DEPTH_MAX: usize = 8;

/// A skill as it lies in the folder.
#[derive(Debug, Clone)]
pub(crate) struct SkillFolder {
    pub(crate) name: String,
    pub(crate) file: SourceFile,
    /// The other files of the skill, by path.
    pub(crate) others: Vec<Asset>,
}

/// A file that goes into the artifact as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Asset {
    /// Relative to the agent folder, with `/`.
    pub(crate) path: String,
    pub(crate) bytes: Vec<u8>,
}

/// Reads every skill of a folder.
pub(super) fn read(root: &Path, base: &str, diagnostics: &mut Vec<Diagnostic>) -> Vec<SkillFolder> {
    let directory = format!("{base}skills");
    let mut skills = Vec::new();
    for name in entries(root, &directory, diagnostics) {
        let path = format!("{directory}/{name}");
        if name.starts_with('.') {
            continue;
        }
        if !root.join(&path).is_dir() {
            report_file(&path, &name, diagnostics);
            continue;
        }
        if !is_name(&name) {
            let message = format!("{path} cannot name a skill: {name:?} is not a name");
            let help = "use a letter, then up to 63 letters, digits, _ or -";
            diagnostics.push(
                Diagnostic::new(Code::BadName, message)
                    .in_file(path)
                    .help(help),
            );
            continue;
        }
        let inside = entries(root, &path, diagnostics);
        if !inside.iter().any(|entry| entry == SKILL) {
            report_without_skill(&path, &inside, diagnostics);
            continue;
        }
        let Some(file) = read_file(root, &format!("{path}/{SKILL}"), diagnostics) else {
            continue;
        };
        let mut others = Vec::new();
        gather(root, &path, 0, &mut others, diagnostics);
        skills.push(SkillFolder { name, file, others });
    }
    skills
}

/// A Markdown file directly in `skills/` was meant to be a skill.
fn report_file(path: &str, name: &str, diagnostics: &mut Vec<Diagnostic>) {
    let Some(stem) = name.strip_suffix(".md").filter(|stem| *stem != "README") else {
        return;
    };
    let meant = format!(
        "{}/{stem}/{SKILL}",
        path.strip_suffix(&format!("/{name}")).unwrap_or("skills")
    );
    let message = format!("{path} is no skill, so nothing reads it: a skill is a directory");
    diagnostics.push(
        Diagnostic::new(Code::NearName, message)
            .in_file(path)
            .help(format!("move it to {meant}")),
    );
}

fn report_without_skill(path: &str, inside: &[String], diagnostics: &mut Vec<Diagnostic>) {
    let near = inside
        .iter()
        .find(|entry| entry.eq_ignore_ascii_case(SKILL) || entry.eq_ignore_ascii_case("skills.md"));
    let message = format!("{path} holds no {SKILL}, so it is no skill");
    let help = match near {
        Some(near) => format!("rename {path}/{near} to {path}/{SKILL}"),
        None => format!("write {path}/{SKILL}, with name and description between two lines of ---"),
    };
    diagnostics.push(
        Diagnostic::new(Code::NearName, message)
            .in_file(path)
            .help(help),
    );
}

/// The files below a directory, but `SKILL.md` at its top. `depth` is how far down it already is.
pub(super) fn gather(
    root: &Path,
    directory: &str,
    depth: usize,
    found: &mut Vec<Asset>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    for entry in entries(root, directory, diagnostics) {
        let path = format!("{directory}/{entry}");
        if entry.starts_with('.') || (depth == 0 && entry == SKILL) {
            continue;
        }
        if !root.join(&path).is_dir() {
            match fs::read(root.join(&path)) {
                Ok(bytes) => found.push(Asset { path, bytes }),
                Err(error) => {
                    let message = format!("{path} cannot be read: {error}");
                    let found = Diagnostic::new(Code::UnreadableFile, message);
                    diagnostics.push(found.in_file(path));
                }
            }
        } else if depth < DEPTH_MAX {
            gather(root, &path, depth + 1, found, diagnostics);
        }
    }
}
