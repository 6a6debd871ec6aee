//! Third stage: from files to what they define, read statically (ledger A3).
//!
//! Each kind of file has its module: it reads what it can, reports the rest and returns a draft if
//! all that the manifest needs is there. No draft looks at another; that is the next stage's part.

use std::collections::{BTreeMap, BTreeSet};

use openeve_domain::manifest::PartSpec;

use crate::bundle::Entry;
use crate::diagnostic::Diagnostic;
use crate::discover::{Folder, SourceFile};

mod agent;
mod approval;
mod calculate;
mod channel;
mod collections;
mod definition;
mod environment;
mod eval;
mod fields;
mod forms;
mod gateway;
mod modules;
mod part;
mod reach;
mod reference;
mod schedule;
mod scope;
mod shapes;
mod skill;
#[cfg(test)]
mod tests;
mod tool;
mod value;
mod variables;

pub(crate) use agent::AgentDraft;
pub(crate) use channel::ChannelDraft;
pub(crate) use gateway::Gateway;
use modules::Modules;
pub(crate) use reference::{Reference, To};
pub(crate) use schedule::ScheduleDraft;
pub(crate) use skill::SkillDraft;
pub(crate) use tool::{MadeSchema, ToolDraft, schema_problem};
pub(crate) use value::{Kind, Node};
use variables::variables;

/// What came of reading one file.
#[derive(Debug)]
pub(crate) struct Read<T> {
    draft: Option<T>,
    /// Environment variables the file names.
    env: BTreeSet<String>,
    /// Names of other parts of the folder.
    references: Vec<Reference>,
    diagnostics: Vec<Diagnostic>,
}

impl<T> Read<T> {
    fn failed(diagnostics: Vec<Diagnostic>) -> Self {
        Self {
            draft: None,
            env: BTreeSet::new(),
            references: Vec::new(),
            diagnostics,
        }
    }
}

/// Everything that was read.
#[derive(Debug, Default)]
pub(crate) struct Drafts {
    pub(crate) agent: Option<AgentDraft>,
    pub(crate) gateway: Gateway,
    pub(crate) tools: Vec<ToolDraft>,
    /// Tool name and a schema of it that is made by code.
    pub(crate) made: Vec<(String, MadeSchema)>,
    /// Tool name → the export that holds its definition, for every tool that can be bundled.
    pub(crate) tool_exports: BTreeMap<String, String>,
    pub(crate) channels: Vec<ChannelDraft>,
    pub(crate) schedules: Vec<ScheduleDraft>,
    pub(crate) skills: Vec<SkillDraft>,
    pub(crate) parts: Vec<PartSpec>,
    /// Path of a file and a name that it says.
    pub(crate) references: Vec<(String, Reference)>,
    /// Files that definitions import values from.
    pub(crate) neighbours: Vec<SourceFile>,
    /// Environment variable → the files that name it.
    pub(crate) env: BTreeMap<String, BTreeSet<String>>,
}

impl Drafts {
    /// Every definition that can be bundled.
    pub(crate) fn entries<'a>(&'a self, folder: &'a Folder) -> Vec<Entry<'a>> {
        let tools = folder.tools.iter().filter_map(|tool| {
            let export = self.tool_exports.get(&tool.name)?;
            Some(Entry {
                directory: "tools",
                name: &tool.name,
                file: &tool.file,
                export,
            })
        });
        tools.collect()
    }
}

/// Reads every file of the folder.
pub(crate) fn lower(folder: &Folder, diagnostics: &mut Vec<Diagnostic>) -> Drafts {
    let mut drafts = Drafts::default();
    let modules = Modules::new(&folder.root);
    let mut reached = reach::Reached::default();
    if let Some(file) = &folder.agent {
        let name = folder
            .root
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        let read = agent::agent(file, &name, &modules);
        drafts.agent = drafts.take(&file.path, read, diagnostics);
    }
    if let Some(file) = &folder.gateway {
        let read = gateway::gateway(file, &modules);
        drafts.gateway = drafts
            .take(&file.path, read, diagnostics)
            .unwrap_or_default();
    }
    for source in &folder.tools {
        let read = tool::tool(source, &modules);
        let deep = reach::too_deep_below(&modules, &mut reached, &source.file.path);
        let can_be_bundled = deep.is_empty();
        diagnostics.extend(deep);
        diagnostics.extend(read.diagnostics);
        drafts.tools.extend(read.draft);
        let made = read.made.into_iter();
        drafts
            .made
            .extend(made.map(|made| (source.name.clone(), made)));
        drafts.tool_exports.extend(
            read.export
                .filter(|_| can_be_bundled)
                .map(|export| (source.name.clone(), export)),
        );
    }
    for source in &folder.channels {
        let draft = drafts.take(
            &source.file.path,
            channel::channel(source, &modules),
            diagnostics,
        );
        drafts.channels.extend(draft);
    }
    for source in &folder.schedules {
        let draft = drafts.take(
            &source.file.path,
            schedule::schedule(source, &modules),
            diagnostics,
        );
        drafts.schedules.extend(draft);
    }
    for source in &folder.skills {
        let draft = drafts.take(&source.file.path, skill::skill(source), diagnostics);
        drafts.skills.extend(draft);
    }
    for source in &folder.parts.files {
        let draft = drafts.take(&source.file.path, part::part(source, &modules), diagnostics);
        drafts.parts.extend(draft);
    }
    drafts.neighbours = modules.sources();
    drafts
}

impl Drafts {
    /// Notes the environment variables that code reads while it runs.
    pub(crate) fn note_variables<'f>(&mut self, files: impl IntoIterator<Item = &'f SourceFile>) {
        for file in files {
            for name in variables(file) {
                self.env.entry(name).or_default().insert(file.path.clone());
            }
        }
    }

    fn take<T>(
        &mut self,
        path: &str,
        read: Read<T>,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<T> {
        for name in read.env {
            self.env.entry(name).or_default().insert(path.to_owned());
        }
        let references = read.references.into_iter();
        self.references
            .extend(references.map(|reference| (path.to_owned(), reference)));
        diagnostics.extend(read.diagnostics);
        read.draft
    }
}
