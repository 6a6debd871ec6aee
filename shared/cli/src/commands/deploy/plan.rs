//! A plan: the steps of a deployment, and what is missing for them.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::tool::Tool;

/// Something that is missing, and how to get it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Need {
    /// What, in a word: a variable, a program, a flag.
    pub(super) what: String,
    /// Why it is needed and how to get it.
    pub(super) how: String,
}

impl Need {
    /// A need.
    pub(super) fn new(what: impl Into<String>, how: impl Into<String>) -> Self {
        let (what, how) = (what.into(), how.into());
        Self { what, how }
    }
}

/// What one step does.
#[derive(Debug)]
pub(super) enum Work {
    /// Writes the artifact.
    Build,
    /// Writes the functions' archives.
    Functions,
    /// Writes the folder that a container is built from.
    Image {
        /// The program inside.
        binary: PathBuf,
        /// `fly.toml`, if the target wants one.
        fly: Option<String>,
    },
    /// Brings our own schema up to date.
    Schema,
    /// Checks here that the artifact can be served.
    Check,
    /// Runs a tool.
    Run(Tool),
    /// Takes back the record of what is about to be replaced.
    Forget,
}

/// One step.
#[derive(Debug)]
pub(super) struct Step {
    /// What it does, for people.
    pub(super) what: String,
    pub(super) work: Work,
}

/// Steps, what is missing for them, and what is recorded afterwards.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) steps: Vec<Step>,
    pub(super) needs: Vec<Need>,
    /// What may be meant as it is.
    pub(super) notes: Vec<String>,
    /// Names of the variables that are handed over.
    pub(super) variables: Vec<String>,
    /// What is published, for the record.
    pub(super) published: Value,
    /// Where it will answer, if that is known beforehand.
    pub(super) url: Option<String>,
    /// A tool that says afterwards where it answers.
    pub(super) asks_url: Option<Tool>,
    /// Whether this process goes on as the host.
    pub(super) serves: bool,
    /// Where the record is.
    pub(super) record: PathBuf,
}

impl Plan {
    /// An empty plan.
    pub(super) fn new(record: PathBuf) -> Self {
        Self {
            steps: Vec::new(),
            needs: Vec::new(),
            notes: Vec::new(),
            variables: Vec::new(),
            published: json!({}),
            url: None,
            asks_url: None,
            serves: false,
            record,
        }
    }

    /// Adds a step.
    pub(super) fn step(&mut self, what: impl Into<String>, work: Work) {
        let what = what.into();
        self.steps.push(Step { what, work });
    }

    /// Adds a step that runs a tool.
    pub(super) fn runs(&mut self, what: impl Into<String>, tool: Tool) {
        self.step(what, Work::Run(tool));
    }

    /// Adds a need.
    pub(super) fn need(&mut self, what: impl Into<String>, how: impl Into<String>) {
        self.needs.push(Need::new(what, how));
    }
}
