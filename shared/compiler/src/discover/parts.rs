//! The parts of a folder beside tools, channels, schedules and skills: context, instrumentation,
//! triggers, connections, the sandbox in either layout, and subagents with parts of their own.

use std::path::Path;

use super::skills::{Asset, gather};
use super::{NamedFile, SourceFile, entries, is_name, near, read_file, read_named};
use crate::diagnostic::{Code, Diagnostic};

/// Which part a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    Connection,
    Context,
    Instrumentation,
    Sandbox,
    Subagent,
    Trigger,
}

impl Part {
    /// As the manifest calls it.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Connection => "connection",
            Self::Context => "context",
            Self::Instrumentation => "instrumentation",
            Self::Sandbox => "sandbox",
            Self::Subagent => "subagent",
            Self::Trigger => "trigger",
        }
    }

    /// The helper that defines it.
    pub(crate) const fn helper(self) -> &'static str {
        match self {
            Self::Connection => "defineConnection",
            Self::Context => "defineContext",
            Self::Instrumentation => "defineInstrumentation",
            Self::Sandbox => "defineSandbox",
            Self::Subagent => "defineAgent",
            Self::Trigger => "defineTrigger",
        }
    }
}

/// A file of a part.
#[derive(Debug, Clone)]
pub(crate) struct PartFile {
    pub(crate) part: Part,
    /// The file's name, or the directory's of a subagent; the part's own word where there is one only.
    pub(crate) name: String,
    /// The subagent it belongs to.
    pub(crate) owner: Option<String>,
    pub(crate) file: SourceFile,
    /// `instructions.md` of a subagent.
    pub(crate) instructions: Option<SourceFile>,
}

/// The parts of a folder, and the files that its sandboxes begin with.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    pub(crate) files: Vec<PartFile>,
    pub(crate) seeds: Vec<Asset>,
}

/// Reads every part.
pub(super) fn read(root: &Path, diagnostics: &mut Vec<Diagnostic>) -> Parts {
    let mut parts = Parts::default();
    read_into(root, "", None, &mut parts, diagnostics);
    for name in entries(root, "subagents", diagnostics) {
        let base = format!("subagents/{name}");
        if name.starts_with('.') {
            continue;
        }
        if !root.join(&base).is_dir() {
            let stem = name.strip_suffix(".ts").unwrap_or(&name);
            let message =
                format!("{base} is no subagent, so nothing reads it: a subagent is a directory");
            let help =
                format!("move it to subagents/{stem}/agent.ts, with an instructions.md beside it");
            let found = Diagnostic::new(Code::NearName, message).in_file(base);
            diagnostics.push(found.help(help));
        } else if is_name(&name) {
            subagent(root, &name, &mut parts, diagnostics);
        } else {
            let message = format!("{base} cannot name a subagent: {name:?} is not a name");
            let help = "use a letter, then up to 63 letters, digits, _ or -";
            let found = Diagnostic::new(Code::BadName, message).in_file(base);
            diagnostics.push(found.help(help));
        }
    }
    parts
}

fn subagent(root: &Path, name: &str, parts: &mut Parts, diagnostics: &mut Vec<Diagnostic>) {
    let base = format!("subagents/{name}/");
    near::report(root, &base, diagnostics);
    let agent = read_file(root, &format!("{base}agent.ts"), diagnostics);
    let instructions = read_file(root, &format!("{base}instructions.md"), diagnostics);
    let Some(file) = agent else {
        let message = format!("{base}agent.ts is missing");
        let help = "write: import { defineAgent } from \"@openeve/core\"; export default defineAgent({ description: \"What it is for.\" });";
        let found = Diagnostic::new(Code::MissingAgent, message).in_file(format!("{base}agent.ts"));
        diagnostics.push(found.help(help));
        return;
    };
    if instructions
        .as_ref()
        .is_none_or(|file| file.text.trim().is_empty())
    {
        let path = format!("{base}instructions.md");
        let message = format!("{path} is missing or empty");
        let found = Diagnostic::new(Code::MissingInstructions, message).in_file(path);
        diagnostics
            .push(found.help("write who the subagent is and how it works, in plain Markdown"));
    }
    parts.files.push(PartFile {
        part: Part::Subagent,
        name: name.to_owned(),
        owner: None,
        file,
        instructions,
    });
    read_into(root, &base, Some(name), parts, diagnostics);
    for nested in ["channels", "schedules", "skills", "tools", "subagents"] {
        let path = format!("{base}{nested}");
        if root.join(&path).is_dir() {
            let message = format!(
                "{path} belongs to a subagent, which this version does not run yet; it is left out"
            );
            diagnostics.push(Diagnostic::new(Code::NotYetSupported, message).in_file(path));
        }
    }
}

fn read_into(
    root: &Path,
    base: &str,
    owner: Option<&str>,
    parts: &mut Parts,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let mut add = |part: Part, name: &str, file: SourceFile| {
        parts.files.push(PartFile {
            part,
            name: name.to_owned(),
            owner: owner.map(str::to_owned),
            file,
            instructions: None,
        });
    };
    for (part, path) in [
        (Part::Context, "context.ts"),
        (Part::Instrumentation, "instrumentation.ts"),
    ] {
        if let Some(file) = read_file(root, &format!("{base}{path}"), diagnostics) {
            add(part, part.as_str(), file);
        }
    }
    let single = read_file(root, &format!("{base}sandbox.ts"), diagnostics);
    let in_folder = read_file(root, &format!("{base}sandbox/sandbox.ts"), diagnostics);
    if let (Some(single), Some(in_folder)) = (&single, &in_folder) {
        let message = format!(
            "{} and {} both define the sandbox",
            single.path, in_folder.path
        );
        let found =
            Diagnostic::new(Code::DuplicateDefinition, message).in_file(single.path.as_str());
        diagnostics.push(
            found.help("keep one of them; the one in the folder if it has a workspace/ beside it"),
        );
    }
    if let Some(file) = in_folder.or(single) {
        add(Part::Sandbox, "sandbox", file);
    }
    for (part, directory) in [
        (Part::Trigger, "triggers"),
        (Part::Connection, "connections"),
    ] {
        let directory = format!("{base}{directory}");
        for NamedFile { name, file } in read_named(root, &directory, diagnostics) {
            add(part, &name, file);
        }
    }
    let seeds = format!("{base}sandbox/workspace");
    if root.join(&seeds).is_dir() {
        gather(root, &seeds, 1, &mut parts.seeds, diagnostics);
    }
}
