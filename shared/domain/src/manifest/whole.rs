//! Everything that a manifest holds, that of subagents included: for whoever checks an artifact.

use super::{Manifest, ModuleRef, PartSpec, SkillSpec, SubagentSpec};

impl Manifest {
    /// Every subagent, those of subagents included.
    pub fn all_subagents(&self) -> Vec<&SubagentSpec> {
        let mut found: Vec<&SubagentSpec> = Vec::new();
        let mut open: Vec<&SubagentSpec> = self.subagents.iter().rev().collect();
        while let Some(subagent) = open.pop() {
            found.push(subagent);
            open.extend(subagent.subagents.iter().rev());
        }
        found
    }

    /// The parts of the agent and of every subagent.
    pub fn all_parts(&self) -> Vec<&PartSpec> {
        let below = self.all_subagents().into_iter();
        let below = below.flat_map(|subagent| &subagent.parts);
        self.parts.iter().chain(below).collect()
    }

    /// The skills of the agent and of every subagent.
    pub fn all_skills(&self) -> Vec<&SkillSpec> {
        let below = self.all_subagents().into_iter();
        let below = below.flat_map(|subagent| &subagent.skills);
        self.skills.iter().chain(below).collect()
    }

    /// Every module of the artifact: of tools and of parts with code.
    pub fn modules(&self) -> Vec<&ModuleRef> {
        let below = self.all_subagents().into_iter();
        let tools = below.flat_map(|subagent| &subagent.tools);
        let tools = self.tools.iter().chain(tools).map(|tool| &tool.module);
        let parts = self.all_parts().into_iter();
        tools
            .chain(parts.filter_map(|part| part.module.as_ref()))
            .collect()
    }
}
