//! Moving an agent folder over from vercel/eve: its files to files of ours, and a report.
//!
//! [`move_over`] is a pure function from the project's files to the new folder's. Definitions are
//! rewritten where their text stands, so that comments and code stay as their author wrote them; what
//! has no counterpart is left out and said, with what to do instead. `docs/from-eve.md` is the same
//! mapping for people. Nothing of the project is executed.
//!
//! It refuses to know where files are read from and written to, and whether the result builds: that
//! is the compiler's part, and says it better.

use std::collections::BTreeMap;

use thiserror::Error;

mod agent;
mod edit;
mod file;
mod mover;
mod other;
mod package;
mod parts;
mod places;
mod report;
mod source;
#[cfg(test)]
mod tests;
mod text;
mod tool;

pub use report::{Entry, Fate, Note};

/// What came of moving a folder over.
#[derive(Debug, Clone)]
pub struct Moved {
    /// Path in the new folder, with `/` → contents.
    pub files: BTreeMap<String, Vec<u8>>,
    /// What became of every file, by its old path.
    pub entries: Vec<Entry>,
}

impl Moved {
    /// The report as Markdown. It is among the files, too, as `IMPORT.md`.
    pub fn report(&self) -> String {
        report::markdown(&self.entries)
    }
}

/// Why a project cannot be moved over.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum MoveError {
    /// There is no agent in it.
    #[error(
        "no agent of eve is here: neither agent/ nor the folder itself has agent.ts, instructions or tools"
    )]
    NoAgent,
    /// There are several.
    #[error("several agents of eve are here: move one of {} over", .0.join(", "))]
    Several(Vec<String>),
    /// It is ours already.
    #[error("{0} imports from \"@openeve/core\", so this is an agent folder of OpenEve already")]
    Ours(String),
}

/// Moves an eve project over.
///
/// `files` are the project's, by their path from its root with `/`: those of the agent, and those
/// beside it that the agent's code imports. The agent is in `agent/` or in the root itself. The same
/// files always give the same result.
pub fn move_over(files: &BTreeMap<String, Vec<u8>>) -> Result<Moved, MoveError> {
    let base = base(files)?;
    let ours = |path: &&String| path.ends_with("agent.ts") && path.starts_with(&base);
    for path in files.keys().filter(ours) {
        let text = files.get(path).map(|bytes| String::from_utf8_lossy(bytes));
        if text.is_some_and(|text| text.contains("\"@openeve/core\"")) {
            return Err(MoveError::Ours(path.clone()));
        }
    }
    let mut moved = mover::Mover::new(files, base).run();
    let report = moved.report();
    moved
        .files
        .insert("IMPORT.md".to_owned(), report.into_bytes());
    Ok(moved)
}

/// Where the agent is, with `/` at its end.
fn base(files: &BTreeMap<String, Vec<u8>>) -> Result<String, MoveError> {
    let is_agent = |base: &str| {
        files.keys().any(|path| {
            path.strip_prefix(base).is_some_and(|rest| {
                matches!(rest, "agent.ts" | "instructions.md" | "instructions.ts")
                    || rest.starts_with("instructions/")
                    || (rest.starts_with("tools/") && !base.is_empty())
            })
        })
    };
    if is_agent("agent/") {
        return Ok("agent/".to_owned());
    }
    let mut members: Vec<String> = files
        .keys()
        .filter_map(|path| path.strip_prefix("agents/")?.split('/').next())
        .map(|name| format!("agents/{name}"))
        .collect();
    members.dedup();
    members
        .retain(|member| is_agent(&format!("{member}/agent/")) || is_agent(&format!("{member}/")));
    if !members.is_empty() {
        return Err(MoveError::Several(members));
    }
    if is_agent("") {
        return Ok(String::new());
    }
    Err(MoveError::NoAgent)
}
