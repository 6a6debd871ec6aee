//! What came of reading a folder: one set of drafts for the agent and for each subagent.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    AgentDraft, ChannelDraft, Gateway, MadeSchema, PartDraft, Reference, ScheduleDraft, SkillDraft,
    ToolDraft, variables::variables,
};
use crate::bundle::Entry;
use crate::discover::{Folder, SourceFile};

/// Everything that was read.
#[derive(Debug, Default)]
pub(crate) struct Drafts {
    pub(crate) gateway: Gateway,
    pub(crate) agent: AgentDrafts,
    /// Files that definitions import values from.
    pub(crate) neighbours: Vec<SourceFile>,
    /// Environment variable → the files that name it.
    pub(crate) env: BTreeMap<String, BTreeSet<String>>,
}

/// What the files of an agent, or of a subagent, say. Its names are looked up among its own.
#[derive(Debug, Default)]
pub(crate) struct AgentDrafts {
    /// What `agent.ts` says.
    pub(crate) definition: Option<AgentDraft>,
    pub(crate) tools: Vec<ToolDraft>,
    /// Tool and a schema of it that is made by code.
    pub(crate) made: Vec<(String, MadeSchema)>,
    pub(crate) channels: Vec<ChannelDraft>,
    pub(crate) schedules: Vec<ScheduleDraft>,
    pub(crate) skills: Vec<SkillDraft>,
    pub(crate) parts: Vec<PartDraft>,
    /// Path of a file and a name that it says.
    pub(crate) references: Vec<(String, Reference)>,
    /// Definitions with code that can be bundled.
    pub(crate) coded: Vec<Coded>,
    /// In the order of their directories, one for each.
    pub(crate) subagents: Vec<AgentDrafts>,
}

/// A definition with code: it becomes a module of the artifact.
#[derive(Debug)]
pub(crate) struct Coded {
    /// The folder below the modules, such as `subagents/researcher/tools`.
    pub(crate) directory: String,
    pub(crate) name: String,
    /// The path of its file.
    pub(crate) source: String,
    /// What that file exports it as.
    pub(crate) export: String,
}

impl Drafts {
    /// Every definition that can be bundled, those of subagents included.
    pub(crate) fn entries<'a>(&'a self, folder: &'a Folder) -> Vec<Entry<'a>> {
        let coded = self.agent.all().into_iter().flat_map(|each| &each.coded);
        coded
            .filter_map(|coded| {
                Some(Entry {
                    directory: &coded.directory,
                    name: &coded.name,
                    file: folder.file(&coded.source)?,
                    export: &coded.export,
                })
            })
            .collect()
    }

    /// Notes the environment variables that code reads while it runs.
    pub(crate) fn note_variables<'f>(&mut self, files: impl IntoIterator<Item = &'f SourceFile>) {
        for file in files {
            for name in variables(file) {
                self.env.entry(name).or_default().insert(file.path.clone());
            }
        }
    }
}

impl AgentDrafts {
    /// Itself and those of every subagent below it.
    pub(crate) fn all(&self) -> Vec<&Self> {
        let mut all = vec![self];
        for subagent in &self.subagents {
            all.extend(subagent.all());
        }
        all
    }

    /// Does something to these drafts and to those of every subagent below them.
    pub(crate) fn each(&mut self, work: &mut impl FnMut(&mut Self)) {
        work(self);
        for subagent in &mut self.subagents {
            subagent.each(work);
        }
    }
}
