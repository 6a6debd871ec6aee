//! The files of an agent, and of each of its subagents: the same parts in the same places, below
//! another folder (ledger A1).
//!
//! What only the agent itself has is refused in a subagent: ways to reach it, what starts it by
//! itself, and what a deployment decides.

use std::path::Path;

use super::skills::{Asset, SkillFolder};
use super::{
    NamedFile, PartFile, SourceFile, entries, is_name, near, parts, read_file, read_named,
};
use crate::diagnostic::{Code, Diagnostic};

/// Subagents of subagents, at most: an agent at that depth has no subagents of its own.
pub(crate) const SUBAGENT_DEPTH_MAX: usize = 4;

/// What a subagent does not have, and what to do instead.
const ROOT_ONLY: [(&str, &str); 6] = [
    (
        "channels",
        "a subagent is reached by the agent above it alone; move it to the agent's own channels/",
    ),
    (
        "schedules",
        "the clock starts the agent itself; move it to the agent's own schedules/ and let its message delegate",
    ),
    (
        "routines",
        "routines start the agent itself; move it to the agent's own routines/",
    ),
    (
        "migrations",
        "a deployment has one database; move it to the agent's own migrations/",
    ),
    (
        "gateway.ts",
        "a subagent runs where the agent runs; gateway.ts beside the agent's agent.ts says where",
    ),
    (
        "instrumentation.ts",
        "traces of a subagent go where the agent's go; instrumentation.ts beside the agent's agent.ts says where",
    ),
];

/// What an agent or a subagent holds.
#[derive(Debug, Default)]
pub(crate) struct AgentFiles {
    /// The directory's name; empty for the agent itself.
    pub(crate) name: String,
    /// Where it lies: empty for the agent itself, such as `subagents/researcher/` for a subagent.
    pub(crate) base: String,
    pub(crate) instructions: Option<SourceFile>,
    pub(crate) agent: Option<SourceFile>,
    pub(crate) tools: Vec<NamedFile>,
    pub(crate) channels: Vec<NamedFile>,
    pub(crate) schedules: Vec<NamedFile>,
    pub(crate) skills: Vec<SkillFolder>,
    pub(crate) parts: Vec<PartFile>,
    /// What its sandbox begins with.
    pub(crate) seeds: Vec<Asset>,
    pub(crate) subagents: Vec<AgentFiles>,
}

impl AgentFiles {
    /// Whether it is the agent itself.
    pub(crate) fn is_root(&self) -> bool {
        self.base.is_empty()
    }

    /// Itself and every subagent below it.
    pub(crate) fn all(&self) -> Vec<&Self> {
        let mut all = vec![self];
        for subagent in &self.subagents {
            all.extend(subagent.all());
        }
        all
    }

    /// Its own source files, without those of its subagents.
    pub(crate) fn sources(&self) -> impl Iterator<Item = &SourceFile> {
        let named = self
            .tools
            .iter()
            .chain(&self.channels)
            .chain(&self.schedules);
        [&self.instructions, &self.agent]
            .into_iter()
            .flatten()
            .chain(named.map(|named| &named.file))
            .chain(self.skills.iter().map(|skill| &skill.file))
            .chain(self.parts.iter().map(|part| &part.file))
    }
}

/// Reads the agent itself and all below it.
pub(super) fn read(root: &Path, diagnostics: &mut Vec<Diagnostic>) -> AgentFiles {
    read_below(root, "", "", 0, diagnostics)
}

fn read_below(
    root: &Path,
    name: &str,
    base: &str,
    depth: usize,
    diagnostics: &mut Vec<Diagnostic>,
) -> AgentFiles {
    let is_root = base.is_empty();
    let from = diagnostics.len();
    let instructions = read_file(root, &format!("{base}instructions.md"), diagnostics);
    let agent = read_file(root, &format!("{base}agent.ts"), diagnostics);
    let mut files = AgentFiles {
        name: name.to_owned(),
        base: base.to_owned(),
        instructions,
        agent,
        ..AgentFiles::default()
    };
    report_required(&files, from, diagnostics);
    near::report(root, base, diagnostics);
    if !is_root {
        report_root_only(root, base, diagnostics);
    }
    files.tools = read_named(root, &format!("{base}tools"), diagnostics);
    if is_root {
        files.channels = read_named(root, "channels", diagnostics);
        files.schedules = read_named(root, "schedules", diagnostics);
    }
    files.skills = super::skills::read(root, base, diagnostics);
    parts::read(root, &mut files, diagnostics);
    files.subagents = subagents(root, base, depth, diagnostics);
    files
}

/// The subagents of an agent at this depth.
fn subagents(
    root: &Path,
    base: &str,
    depth: usize,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<AgentFiles> {
    let directory = format!("{base}subagents");
    let names = entries(root, &directory, diagnostics);
    let mut names = names.iter().filter(|name| !name.starts_with('.'));
    if depth == SUBAGENT_DEPTH_MAX {
        if names.next().is_some() {
            let message = format!(
                "{directory} is too deep: subagents nest {SUBAGENT_DEPTH_MAX} deep at most"
            );
            let help = "move it up, or make skills of what the inner ones know";
            let found = Diagnostic::new(Code::MisplacedPart, message).in_file(directory);
            diagnostics.push(found.help(help));
        }
        return Vec::new();
    }
    let mut found = Vec::new();
    for name in names {
        let path = format!("{directory}/{name}");
        if !root.join(&path).is_dir() {
            report_no_directory(&directory, name, diagnostics);
        } else if is_name(name) {
            let inside = format!("{path}/");
            found.push(read_below(root, name, &inside, depth + 1, diagnostics));
        } else {
            let message = format!("{path} cannot name a subagent: {name:?} is not a name");
            let help = "use a letter, then up to 63 letters, digits, _ or -";
            let found = Diagnostic::new(Code::BadName, message).in_file(path);
            diagnostics.push(found.help(help));
        }
    }
    found
}

fn report_no_directory(directory: &str, name: &str, diagnostics: &mut Vec<Diagnostic>) {
    let path = format!("{directory}/{name}");
    let stem = name.strip_suffix(".ts").unwrap_or(name);
    let message = format!("{path} is no subagent, so nothing reads it: a subagent is a directory");
    let help = format!("move it to {directory}/{stem}/agent.ts, with an instructions.md beside it");
    let found = Diagnostic::new(Code::NearName, message).in_file(path);
    diagnostics.push(found.help(help));
}

/// Reports the parts that a subagent does not have.
fn report_root_only(root: &Path, base: &str, diagnostics: &mut Vec<Diagnostic>) {
    for (name, help) in ROOT_ONLY {
        let path = format!("{base}{name}");
        if root.join(&path).exists() {
            let message =
                format!("{path} belongs to a subagent, and a subagent has no {name} of its own");
            let found = Diagnostic::new(Code::MisplacedPart, message).in_file(path);
            diagnostics.push(found.help(help));
        }
    }
}

/// Reports `instructions.md` and `agent.ts` where they are missing. What could not be read was
/// reported since `from`.
fn report_required(files: &AgentFiles, from: usize, diagnostics: &mut Vec<Diagnostic>) {
    let base = &files.base;
    let unreadable: Vec<String> = diagnostics
        .iter()
        .skip(from)
        .filter_map(|found| found.file.clone())
        .collect();
    let is_readable = |path: &String| !unreadable.contains(path);
    let text = files.instructions.as_ref().map(|file| file.text.trim());
    let path = format!("{base}instructions.md");
    if text.is_none_or(str::is_empty) && is_readable(&path) {
        let what = match text {
            Some(_) => "is empty",
            None => "is missing",
        };
        let help = if files.is_root() {
            "write who the agent is and how it behaves, in plain Markdown"
        } else {
            "write who the subagent is and how it works, in plain Markdown"
        };
        let message = format!("{path} {what}");
        let found = Diagnostic::new(Code::MissingInstructions, message).in_file(path);
        diagnostics.push(found.help(help));
    }
    let path = format!("{base}agent.ts");
    if files.agent.is_none() && is_readable(&path) {
        let keys = if files.is_root() {
            "model: \"openai/gpt-5.4-mini\""
        } else {
            "description: \"What it is for.\""
        };
        let help = format!(
            "write: import {{ defineAgent }} from \"@openeve/core\"; export default defineAgent({{ {keys} }});"
        );
        let message = format!("{path} is missing");
        let found = Diagnostic::new(Code::MissingAgent, message).in_file(path);
        diagnostics.push(found.help(help));
    }
}
