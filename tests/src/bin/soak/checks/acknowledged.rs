//! Acceptance: one message is one run, however often it was posted (I1).

use std::collections::{BTreeSet, HashMap};

use super::{Facts, Messages, RunRow};
use crate::load::Heard;
use crate::report::Report;

const RULE: &str = "I1 an acknowledged message is exactly one run";

pub(super) fn check(heard: &[Heard], facts: &Facts, messages: &Messages<'_>, report: &mut Report) {
    let mut runs: HashMap<u64, Vec<&RunRow>> = HashMap::new();
    for run in &facts.runs {
        match run.message {
            Some(number) if messages.contains_key(&number) => {
                runs.entry(number).or_default().push(run);
            }
            _ => report.violation(RULE, format!("run {} answers no message of ours", run.id)),
        }
    }
    let keys: HashMap<&str, &str> = facts
        .keys
        .iter()
        .map(|(key, run)| (key.as_str(), run.as_str()))
        .collect();
    for heard in heard {
        let number = heard.message;
        for why in &heard.refusals {
            report.violation(
                "a message was not accepted",
                format!("message {number}: {why}"),
            );
        }
        let acked: BTreeSet<&str> = heard.acks.iter().map(|ack| ack.run.as_str()).collect();
        let stored: BTreeSet<&str> = runs
            .get(&number)
            .into_iter()
            .flatten()
            .map(|run| run.id.as_str())
            .collect();
        if stored.len() != 1 || (!acked.is_empty() && acked != stored) {
            let why =
                format!("message {number} was acknowledged as {acked:?}, stored as {stored:?}");
            report.violation(RULE, why);
        }
        let fresh = heard.acks.iter().filter(|ack| !ack.is_duplicate).count();
        if fresh > 1 {
            report.violation(RULE, format!("message {number} was new {fresh} times"));
        }
        let key = format!("soak:soak-{number}");
        let kept = keys.get(key.as_str()).copied();
        if kept.is_none() || !stored.iter().all(|run| kept == Some(run)) {
            report.violation(
                RULE,
                format!("the key of message {number} names {kept:?}, not {stored:?}"),
            );
        }
        let conversation = messages
            .get(&number)
            .map(|message| format!("guest-{}", message.conversation));
        for run in runs.get(&number).into_iter().flatten() {
            if Some(&run.conversation) != conversation.as_ref() {
                report.violation(RULE, format!("run {} is in {}", run.id, run.conversation));
            }
        }
    }
}
