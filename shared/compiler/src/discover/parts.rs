//! The parts of an agent beside tools, channels, schedules, skills and subagents: context,
//! instrumentation, triggers, connections, and the sandbox in either layout.

use std::path::Path;

use super::skills::gather;
use super::{AgentFiles, NamedFile, SourceFile, read_file, read_named};
use crate::diagnostic::{Code, Diagnostic};

/// Which part a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    Connection,
    Context,
    Instrumentation,
    Sandbox,
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
            Self::Trigger => "trigger",
        }
    }

    /// Its directory below an agent, and below the modules of the artifact.
    pub(crate) const fn directory(self) -> &'static str {
        match self {
            Self::Connection => "connections",
            Self::Trigger => "triggers",
            Self::Context | Self::Instrumentation | Self::Sandbox => self.as_str(),
        }
    }

    /// The helper that defines it.
    pub(crate) const fn helper(self) -> &'static str {
        match self {
            Self::Connection => "defineConnection",
            Self::Context => "defineContext",
            Self::Instrumentation => "defineInstrumentation",
            Self::Sandbox => "defineSandbox",
            Self::Trigger => "defineTrigger",
        }
    }
}

/// A file of a part.
#[derive(Debug, Clone)]
pub(crate) struct PartFile {
    pub(crate) part: Part,
    /// The file's name; the part's own word where there is one only.
    pub(crate) name: String,
    pub(crate) file: SourceFile,
}

/// Reads every part of an agent or subagent, and the files that its sandbox begins with.
pub(super) fn read(root: &Path, files: &mut AgentFiles, diagnostics: &mut Vec<Diagnostic>) {
    let base = files.base.clone();
    let mut add = |part: Part, name: &str, file: SourceFile| {
        files.parts.push(PartFile {
            part,
            name: name.to_owned(),
            file,
        });
    };
    let mut single = vec![(Part::Context, "context.ts")];
    if base.is_empty() {
        single.push((Part::Instrumentation, "instrumentation.ts"));
    }
    for (part, path) in single {
        if let Some(file) = read_file(root, &format!("{base}{path}"), diagnostics) {
            add(part, part.as_str(), file);
        }
    }
    if let Some(file) = sandbox(root, &base, diagnostics) {
        add(Part::Sandbox, Part::Sandbox.as_str(), file);
    }
    for part in [Part::Trigger, Part::Connection] {
        let directory = format!("{base}{}", part.directory());
        for NamedFile { name, file } in read_named(root, &directory, diagnostics) {
            add(part, &name, file);
        }
    }
    let seeds = format!("{base}sandbox/workspace");
    if root.join(&seeds).is_dir() {
        gather(root, &seeds, 1, &mut files.seeds, diagnostics);
    }
}

/// The sandbox's file, in either layout [A1.06, A1.07].
fn sandbox(root: &Path, base: &str, diagnostics: &mut Vec<Diagnostic>) -> Option<SourceFile> {
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
    in_folder.or(single)
}
