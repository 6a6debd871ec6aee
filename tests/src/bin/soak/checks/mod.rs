//! The checks: what the database, the tools' traces and the receiver say about the protocol.
//!
//! Every check adds what it finds to the report; none stops at the first finding.

mod acknowledged;
mod database;
mod delivered;
mod effects;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};

use crate::chaos::Struck;
use crate::figures;
use crate::load::Heard;
use crate::plan::{Message, Plan};
use crate::processes::Memory;
use crate::quiet::Settled;
use crate::report::Report;
use crate::stage::{OTHER_MEMORY_MB, STEP_MEMORY_MB, Stage};
use crate::traces::{Effect, Posted};

pub(crate) use database::{CallRow, Facts, RunRow};

/// Runs whose events are told when a rule is broken.
const STORIES_MAX: usize = 5;

/// All that was seen from outside the database.
pub(crate) struct Evidence<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) heard: &'a [Heard],
    pub(crate) struck: &'a [Struck],
    pub(crate) effects: Vec<Effect>,
    pub(crate) replies: Vec<Posted>,
    /// Model requests that no provider would take.
    pub(crate) garbled: Vec<String>,
    pub(crate) logs: Vec<(&'static str, String)>,
    pub(crate) memory: BTreeMap<String, Memory>,
    pub(crate) settled: Settled,
    /// Whether the order of arrival at the receiver is a promise.
    pub(crate) strict_order: bool,
    /// How long the load really lasted.
    pub(crate) loaded_ms: u64,
}

/// Messages by number.
pub(crate) type Messages<'a> = HashMap<u64, &'a Message>;

/// Checks everything and counts what is worth knowing.
pub(crate) async fn check(stage: &Stage, evidence: &Evidence<'_>) -> Report {
    let mut report = Report::default();
    let client = stage.connect().await;
    if let Some(open) = &evidence.settled.open {
        report.violation("I4 it never became quiet", open.clone());
    }
    database::rules(&client, &mut report).await;
    let facts = Facts::read(&client).await;
    let messages: Messages<'_> = evidence
        .plan
        .messages
        .iter()
        .map(|message| (message.number, message))
        .collect();
    acknowledged::check(evidence.heard, &facts, &messages, &mut report);
    acknowledged::order(evidence.heard, &facts, &mut report);
    effects::check(&evidence.effects, &facts, &messages, &mut report);
    delivered::check(&evidence.replies, &facts, &messages, &mut report);
    for why in &evidence.garbled {
        report.violation("I13 a request that no provider accepts", why.clone());
    }
    processes(evidence, &mut report);
    figures::add(stage, evidence, &facts, &client, &mut report).await;
    for run in report.runs_named(STORIES_MAX) {
        let story = database::story(&client, &run).await;
        report.stories.push(format!("what happened to {run}:"));
        report.stories.extend(story);
    }
    report
}

/// Memory stays inside what the template gives, and nothing panics.
fn processes(evidence: &Evidence<'_>, report: &mut Report) {
    for (function, memory) in &evidence.memory {
        let given_mb = match function.as_str() {
            "step" => STEP_MEMORY_MB,
            _ => OTHER_MEMORY_MB,
        };
        let peak_mb = memory.peak_kib() / 1_024;
        if peak_mb > u64::from(given_mb) {
            let why = format!("{function} had {peak_mb} MiB resident and is given {given_mb}");
            report.violation("memory", why);
        }
    }
    for (function, log) in &evidence.logs {
        let panics = log.lines().filter(|line| line.contains("panicked at"));
        for line in panics {
            report.violation("a function panicked", format!("{function}: {line}"));
        }
    }
}
