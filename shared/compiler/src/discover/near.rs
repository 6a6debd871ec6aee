//! Names that are close to a convention and are not it: `tool/`, `Agent.ts`, `agent.mts`, `skills/x.md`.
//!
//! Such a file would be left out in silence, and the author would look for the reason elsewhere. A
//! name that only resembles a convention, other than in case or number, is reported where that
//! convention itself is absent.

use std::path::Path;

use openeve_domain::nearest::nearest;

use super::{OTHER_SCRIPTS, entries};
use crate::diagnostic::{Code, Diagnostic};

/// Files that the framework reads at the top of an agent folder.
pub(super) const FILES: [&str; 6] = [
    "instructions.md",
    "agent.ts",
    "context.ts",
    "gateway.ts",
    "instrumentation.ts",
    "sandbox.ts",
];

/// Directories that it reads.
pub(super) const DIRECTORIES: [&str; 9] = [
    "channels",
    "connections",
    "routines",
    "sandbox",
    "schedules",
    "skills",
    "subagents",
    "tools",
    "triggers",
];

/// Words that people use for a part of the folder, and the part.
const SYNONYMS: [(&str, &str); 8] = [
    ("agents", "subagents"),
    ("crons", "schedules"),
    ("functions", "tools"),
    ("instruction.md", "instructions.md"),
    ("jobs", "schedules"),
    ("prompt.md", "instructions.md"),
    ("sub-agents", "subagents"),
    ("system.md", "instructions.md"),
];

/// Reports every entry at the top of a folder that was meant to be a part of it.
pub(super) fn report(root: &Path, base: &str, diagnostics: &mut Vec<Diagnostic>) {
    let names = entries(root, base.trim_end_matches('/'), diagnostics);
    for name in &names {
        let path = format!("{base}{name}");
        let is_directory = root.join(&path).is_dir();
        let known: &[&str] = if is_directory { &DIRECTORIES } else { &FILES };
        if name.starts_with('.') || name.ends_with(".d.ts") || known.contains(&name.as_str()) {
            continue;
        }
        let Some(meant) = meant(name, known, is_directory) else {
            continue;
        };
        let lower = name.to_lowercase();
        let is_the_word = meant == lower || meant.strip_suffix('s') == Some(lower.as_str());
        if !is_the_word && names.iter().any(|other| other == meant) {
            continue;
        }
        let slash = if is_directory { "/" } else { "" };
        let message = format!("{path}{slash} is no part of an agent folder, so nothing reads it");
        diagnostics.push(
            Diagnostic::new(Code::NearName, message)
                .in_file(path)
                .help(format!(
                    "did you mean {base}{meant}{slash}? if not, keep it in another folder, such as lib/"
                )),
        );
    }
}

/// The part of a folder that a name stands for.
fn meant<'k>(name: &str, known: &[&'k str], is_directory: bool) -> Option<&'k str> {
    let lower = name.to_lowercase();
    let exact = |wanted: &str| known.iter().find(|known| **known == wanted).copied();
    let synonym = SYNONYMS.iter().find(|(word, _)| *word == lower);
    if let Some(found) = exact(&lower).or_else(|| exact(synonym?.1)) {
        return Some(found);
    }
    if is_directory {
        return nearest(&lower, known.iter().copied());
    }
    let (stem, ending) = lower.rsplit_once('.')?;
    let of_ending = |wanted: &str| {
        let stems = known.iter().filter_map(|known| known.strip_suffix(wanted));
        let found = nearest(stem, stems)?;
        known
            .iter()
            .find(|known| **known == format!("{found}{wanted}"))
            .copied()
    };
    match ending {
        "ts" => of_ending(".ts"),
        "md" => of_ending(".md"),
        "mdx" | "markdown" | "txt" => exact(&format!("{stem}.md")),
        other if OTHER_SCRIPTS.contains(&other) => exact(&format!("{stem}.ts")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_was_meant_is_found_and_one_of_the_authors_own_is_left_alone() {
        for (name, wanted) in [
            ("Agent.ts", Some("agent.ts")),
            ("agents.ts", Some("agent.ts")),
            ("agent.js", Some("agent.ts")),
            ("agent.mts", Some("agent.ts")),
            ("INSTRUCTIONS.MD", Some("instructions.md")),
            ("instruction.md", Some("instructions.md")),
            ("instructions.txt", Some("instructions.md")),
            ("system.md", Some("instructions.md")),
            ("README.md", None),
            ("package.json", None),
            ("tsconfig.json", None),
            ("vite.config.ts", None),
            ("types.ts", None),
        ] {
            assert_eq!(meant(name, &FILES, false), wanted, "{name}");
        }
        for (name, wanted) in [
            ("tool", Some("tools")),
            ("Tools", Some("tools")),
            ("chanels", Some("channels")),
            ("sub-agents", Some("subagents")),
            ("agents", Some("subagents")),
            ("crons", Some("schedules")),
            ("migrations", None),
            ("integrations", None),
            ("lib", None),
            ("playbooks", None),
            ("node_modules", None),
            ("tests", None),
            ("scripts", None),
            ("src", None),
            ("evals", None),
        ] {
            assert_eq!(meant(name, &DIRECTORIES, true), wanted, "{name}");
        }
    }
}
