//! Acceptance: one message is one run, however often it was posted (I1).

use std::collections::{BTreeMap, BTreeSet, HashMap};

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

/// Runs are in line as their messages arrived: none is ahead of one that had been acknowledged
/// before its own message was posted.
pub(super) fn order(heard: &[Heard], facts: &Facts, report: &mut Report) {
    let heard: HashMap<u64, &Heard> = heard.iter().map(|heard| (heard.message, heard)).collect();
    let mut lines: BTreeMap<&str, Vec<(&RunRow, &Heard)>> = BTreeMap::new();
    for run in &facts.runs {
        if let Some(heard) = run.message.and_then(|number| heard.get(&number)) {
            let line = lines.entry(run.conversation.as_str()).or_default();
            line.push((run, heard));
        }
    }
    for line in lines.values_mut() {
        line.sort_by_key(|(run, _)| run.position);
        let mut latest: Option<(&RunRow, u64)> = None;
        for (run, heard) in line {
            let acked_ms = heard.acks.iter().map(|ack| ack.at_ms).min();
            if let (Some((ahead, tried_ms)), Some(acked_ms)) = (latest, acked_ms)
                && acked_ms < tried_ms
            {
                let why = format!(
                    "{} was acknowledged after {acked_ms} ms and is behind {}, which was posted after {tried_ms} ms",
                    run.id, ahead.id
                );
                report.violation("I11 runs are in line as their messages arrived", why);
            }
            if latest.is_none_or(|(_, tried_ms)| tried_ms < heard.tried_ms) {
                latest = Some((run, heard.tried_ms));
            }
        }
    }
}
