//! Third stage: from files to what they define, read statically (ledger A3).
//!
//! Each kind of file has its module: it reads what it can, reports the rest and returns a draft if
//! all that the manifest needs is there. No draft looks at another; that is the next stage's part.

use std::collections::{BTreeMap, BTreeSet};

use crate::diagnostic::Diagnostic;
use crate::discover::{AgentFiles, Folder};

mod agent;
mod approval;
mod calculate;
mod channel;
mod collections;
mod definition;
mod drafts;
mod environment;
mod eval;
mod fields;
mod foreign;
mod forms;
mod gateway;
mod modules;
mod part;
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
pub(crate) use drafts::{AgentDrafts, Coded, Drafts};
pub(crate) use gateway::Gateway;
use modules::Modules;
pub(crate) use part::PartDraft;
pub(crate) use reference::{Reference, To};
pub(crate) use schedule::ScheduleDraft;
pub(crate) use skill::SkillDraft;
pub(crate) use tool::{MadeSchema, ToolDraft, schema_problem};
pub(crate) use value::{Kind, Node};

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

/// Reads every file of the folder.
pub(crate) fn lower(folder: &Folder, diagnostics: &mut Vec<Diagnostic>) -> Drafts {
    let modules = Modules::new(&folder.root);
    let mut reading = Reading {
        modules: &modules,
        env: BTreeMap::new(),
        diagnostics,
    };
    let mut drafts = Drafts::default();
    if let Some(file) = &folder.gateway {
        let read = gateway::gateway(file, &modules);
        let mut nowhere = AgentDrafts::default();
        drafts.gateway = reading
            .take(&mut nowhere, &file.path, read)
            .unwrap_or_default();
    }
    let name = folder.root.file_name();
    let name = name.map(|name| name.to_string_lossy().into_owned());
    drafts.agent = reading.agent(&folder.agent, &name.unwrap_or_default());
    drafts.env = reading.env;
    drafts.neighbours = modules.sources();
    drafts
}

/// One reading of a folder.
struct Reading<'r> {
    modules: &'r Modules<'r>,
    /// Environment variable → the files that name it.
    env: BTreeMap<String, BTreeSet<String>>,
    diagnostics: &'r mut Vec<Diagnostic>,
}

impl Reading<'_> {
    /// Reads an agent or subagent, and every subagent below it.
    fn agent(&mut self, files: &AgentFiles, folder: &str) -> AgentDrafts {
        let mut drafts = AgentDrafts::default();
        if let Some(file) = &files.agent {
            let role = if files.is_root() {
                agent::Role::Root(folder)
            } else {
                agent::Role::Subagent
            };
            let read = agent::agent(file, role, self.modules);
            drafts.definition = self.take(&mut drafts, &file.path, read);
        }
        self.tools(files, &mut drafts);
        for source in &files.channels {
            let read = channel::channel(source, self.modules);
            let draft = self.take(&mut drafts, &source.file.path, read);
            drafts.channels.extend(draft);
        }
        for source in &files.schedules {
            let read = schedule::schedule(source, self.modules);
            let draft = self.take(&mut drafts, &source.file.path, read);
            drafts.schedules.extend(draft);
        }
        for source in &files.skills {
            let read = skill::skill(source);
            let draft = self.take(&mut drafts, &source.file.path, read);
            drafts.skills.extend(draft);
        }
        self.parts(files, &mut drafts);
        for subagent in &files.subagents {
            drafts.subagents.push(self.agent(subagent, folder));
        }
        drafts
    }

    fn tools(&mut self, files: &AgentFiles, drafts: &mut AgentDrafts) {
        let directory = format!("{}tools", files.base);
        for source in &files.tools {
            let read = tool::tool(source, &directory, self.modules);
            self.diagnostics.extend(read.diagnostics);
            drafts.tools.extend(read.draft);
            let made = read.made.into_iter();
            let made = made.map(|made| (source.name.clone(), made));
            drafts.made.extend(made);
            code(
                drafts,
                &directory,
                &source.name,
                &source.file.path,
                read.export,
            );
        }
    }

    fn parts(&mut self, files: &AgentFiles, drafts: &mut AgentDrafts) {
        for source in &files.parts {
            let directory = format!("{}{}", files.base, source.part.directory());
            let path = &source.file.path;
            let (read, export) = part::part(source, &directory, self.modules);
            let draft = self.take(drafts, path, read);
            drafts.parts.extend(draft);
            code(drafts, &directory, &source.name, path, export);
        }
    }

    fn take<T>(&mut self, drafts: &mut AgentDrafts, path: &str, read: Read<T>) -> Option<T> {
        for name in read.env {
            self.env.entry(name).or_default().insert(path.to_owned());
        }
        let references = read.references.into_iter();
        let references = references.map(|reference| (path.to_owned(), reference));
        drafts.references.extend(references);
        self.diagnostics.extend(read.diagnostics);
        read.draft
    }
}

/// Notes a definition with code.
fn code(
    drafts: &mut AgentDrafts,
    directory: &str,
    name: &str,
    source: &str,
    export: Option<String>,
) {
    let Some(export) = export else { return };
    drafts.coded.push(Coded {
        directory: directory.to_owned(),
        name: name.to_owned(),
        source: source.to_owned(),
        export,
    });
}
