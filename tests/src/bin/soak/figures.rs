//! The figures: how fast runs went on after a crash, how often anything repeated, how much memory.

use std::collections::{BTreeMap, HashMap, HashSet};

use jiff::Timestamp;
use serde_json::Value;
use tokio_postgres::Client;

use crate::chaos::Struck;
use crate::checks::{Evidence, Facts};
use crate::report::Report;
use crate::stage::{FUNCTIONS, Stage};

/// A run goes on within this time after its holder was killed, in this share of cases.
const RESUMED_WITHIN_MS: f64 = 90_000.0;
const RESUMED_SHARE: f64 = 0.99;
/// Kinds of log lines that are listed.
const LOG_LINES_MAX: usize = 12;

/// Adds all of them; too slow a recovery is a violation.
pub(crate) async fn add(
    stage: &Stage,
    evidence: &Evidence<'_>,
    facts: &Facts,
    client: &Client,
    report: &mut Report,
) {
    load(evidence, facts, report);
    faults(evidence.struck, report);
    recovery(evidence.struck, client, report).await;
    repetitions(evidence, facts, report);
    order(evidence, facts, report);
    memory(stage, evidence, report);
    let dead = stage.dead_letters().await.map(|depth| depth.visible);
    report.figure(format!(
        "dead letters: {} of the step, {} of the delivery",
        dead[0], dead[1]
    ));
    for (function, log) in &evidence.logs {
        complaints(function, log, report);
    }
}

fn load(evidence: &Evidence<'_>, facts: &Facts, report: &mut Report) {
    let acks = || evidence.heard.iter().flat_map(|heard| &heard.acks);
    let retries: u64 = evidence.heard.iter().map(|heard| heard.retries).sum();
    let statuses = counted(facts.runs.iter().map(|run| run.status.clone()));
    report.figure(format!(
        "turns: {} in {} s ({}), {} posts acknowledged ({} as duplicates), {retries} posts tried again",
        facts.runs.len(),
        evidence.loaded_ms / 1_000,
        listed(&statuses),
        acks().count(),
        acks().filter(|ack| ack.is_duplicate).count(),
    ));
    let failures = counted(facts.runs.iter().filter_map(|run| run.failure.clone()));
    if !failures.is_empty() {
        report.figure(format!("failures: {}", listed(&failures)));
    }
    #[expect(clippy::cast_precision_loss, reason = "milliseconds of a test")]
    let acked = acks().map(|ack| ack.after_ms as f64).collect();
    report.figure(format!("acknowledged after: {}", spread(acked)));
    let took = facts.runs.iter().filter_map(|run| run.took_ms).collect();
    report.figure(format!("accepted to ended: {}", spread(took)));
    report.figure(format!(
        "quiet {:.1} s after the faults; at most {} steps for one run",
        seconds(evidence.settled.after_ms),
        facts
            .runs
            .iter()
            .map(|run| run.steps)
            .max()
            .unwrap_or_default()
    ));
}

fn faults(struck: &[Struck], report: &mut Report) {
    let all = counted(struck.iter().map(|struck| struck.what.clone()));
    let busy = struck.iter().filter(|struck| struck.was_busy).count();
    let away: u64 = struck.iter().map(|struck| struck.away_ms).sum();
    let longest = struck
        .iter()
        .map(|struck| struck.away_ms)
        .max()
        .unwrap_or_default();
    report.figure(format!(
        "faults: {} ({}); {busy} hit work; Postgres was away {:.1} s in all, {:.1} s at most",
        struck.len(),
        listed(&all),
        seconds(away),
        seconds(longest)
    ));
}

/// Two measures: from the run's last event, which is an upper bound, and from the first fault
/// after it, which is when its holder can have been lost.
async fn recovery(struck: &[Struck], client: &Client, report: &mut Report) {
    let sql = "SELECT greatest(p.created_at, ahead.finished_at), e.created_at \
               FROM openeve.run_events e \
               JOIN openeve.run_events p ON p.run_id = e.run_id AND p.seq = e.seq - 1 \
               JOIN openeve.runs r ON r.id = e.run_id \
               LEFT JOIN openeve.runs ahead ON ahead.conversation_id = r.conversation_id \
               AND ahead.position = r.position - 1 \
               WHERE e.kind = 'run.recovery_claimed'";
    let rows = client.query(sql, &[]).await.expect("events are readable");
    let spans: Vec<(Timestamp, Timestamp)> =
        rows.iter().map(|row| (row.get(0), row.get(1))).collect();
    let ms = |from: Timestamp, to: Timestamp| from.duration_until(to).as_secs_f64() * 1e3;
    let from_event: Vec<f64> = spans.iter().map(|(last, back)| ms(*last, *back)).collect();
    let holders = |struck: &&Struck| struck.what == "step" || struck.what.starts_with("postgres");
    let from_fault = spans.iter().filter_map(|(last, back)| {
        let mut faults = struck.iter().filter(holders).map(|struck| struck.at);
        let first = faults.find(|at| at > last).filter(|at| at < back)?;
        Some(ms(first, *back))
    });
    let from_fault: Vec<f64> = from_fault.collect();
    #[expect(clippy::cast_precision_loss, reason = "counts of a test")]
    let share = |values: &[f64]| {
        let within = values.iter().filter(|ms| **ms <= RESUMED_WITHIN_MS).count();
        within as f64 / values.len().max(1) as f64
    };
    let resumed = share(&from_event);
    report.figure(format!("recoveries: {}", spans.len()));
    if spans.is_empty() {
        let why = "no run was interrupted, so nothing was proved".to_owned();
        report.violation("the attack hits work", why);
    }
    report.figure(format!(
        "resumed, from the run's last event: {}; within 90 s {:.2} %",
        spread(from_event.clone()),
        resumed * 100.0
    ));
    report.figure(format!(
        "resumed, from the first fault after it: {}; within 90 s {:.2} %",
        spread(from_fault.clone()),
        share(&from_fault) * 100.0
    ));
    if resumed < RESUMED_SHARE && !from_event.is_empty() {
        let why = format!("{:.2} % of {}", resumed * 100.0, from_event.len());
        report.violation("99 % of interrupted runs are resumed within 90 s", why);
    }
}

fn repetitions(evidence: &Evidence<'_>, facts: &Facts, report: &mut Report) {
    let calls: HashSet<&str> = evidence
        .effects
        .iter()
        .map(|effect| effect.call.as_str())
        .collect();
    report.figure(format!(
        "tool calls: {} ({}); {} effects, {} of them repetitions of harmless calls",
        facts.calls.len(),
        listed(&counted(facts.calls.iter().map(|call| call.status.clone()))),
        evidence.effects.len(),
        evidence.effects.len() - calls.len()
    ));
    let ids: HashSet<&str> = evidence
        .replies
        .iter()
        .map(|posted| posted.id.as_str())
        .collect();
    report.figure(format!(
        "replies: {} posted, {} of them raw duplicates",
        evidence.replies.len(),
        evidence.replies.len() - ids.len()
    ));
}

/// Replies of one conversation whose first arrival was before that of an earlier run.
fn order(evidence: &Evidence<'_>, facts: &Facts, report: &mut Report) {
    let runs: HashMap<&str, (&str, i64)> = facts
        .runs
        .iter()
        .map(|run| (run.id.as_str(), (run.conversation.as_str(), run.position)))
        .collect();
    let mut seen: HashSet<&str> = HashSet::new();
    let mut newest: HashMap<&str, (i64, Timestamp)> = HashMap::new();
    let mut late = Vec::new();
    for posted in evidence
        .replies
        .iter()
        .filter(|posted| seen.insert(&posted.id))
    {
        let Some((conversation, position)) = runs.get(posted.run.as_str()).copied() else {
            continue;
        };
        match newest.get(conversation) {
            Some((ahead, at)) if *ahead > position => {
                let after_ms = at.duration_until(posted.at).as_millis();
                late.push(format!(
                    "{}: the reply of its run {position} ({}) came {after_ms} ms after that of run {ahead}",
                    conversation, posted.run
                ));
            }
            _ => drop(newest.insert(conversation, (position, posted.at))),
        }
    }
    report.figure(format!(
        "replies that arrived after a later run's reply of their conversation: {}",
        late.len()
    ));
    if evidence.strict_order {
        for why in late {
            report.violation("replies of a conversation arrive in order", why);
        }
    } else if let Some(first) = late.first() {
        report.figure(format!("  such as {first}"));
    }
}

fn memory(stage: &Stage, evidence: &Evidence<'_>, report: &mut Report) {
    for name in FUNCTIONS {
        let stats = stage.function(name).stats();
        let Some(memory) = evidence.memory.get(name) else {
            continue;
        };
        let mib = |kib: u64| kib / 1_024;
        report.figure(format!(
            "{name}: {} MiB resident at most ({} in the first quarter, {} in the last), {} processes at once, \
             {} events, {} cold starts ({}), {} crashes, {} time-outs",
            mib(memory.peak_kib()),
            mib(memory.peak_kib_in(0, 4)),
            mib(memory.peak_kib_in(3, 4)),
            memory.most,
            stats.invocations,
            stats.cold_starts,
            spread(stats.init_ms),
            stats.crashes,
            stats.timeouts
        ));
    }
}

/// The kinds of errors and warnings in a log, the most frequent first.
fn complaints(function: &str, log: &str, report: &mut Report) {
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    for line in log.lines() {
        let Ok(line) = serde_json::from_str::<Value>(line) else {
            continue;
        };
        let level = line["level"].as_str().unwrap_or_default();
        if level == "ERROR" || level == "WARN" {
            let message = line["message"].as_str().unwrap_or_default();
            let code = line["error.code"].as_str().unwrap_or_default();
            *kinds
                .entry(format!("{level} {message} {code}"))
                .or_default() += 1;
        }
    }
    let mut kinds: Vec<(String, usize)> = kinds.into_iter().collect();
    kinds.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    for (kind, count) in kinds.into_iter().take(LOG_LINES_MAX) {
        report.figure(format!("log of {function}: {count} × {}", kind.trim()));
    }
}

fn counted(items: impl Iterator<Item = String>) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for item in items {
        *counts.entry(item).or_default() += 1;
    }
    counts
}

fn listed(counts: &BTreeMap<String, usize>) -> String {
    let items: Vec<String> = counts
        .iter()
        .map(|(item, count)| format!("{count} {item}"))
        .collect();
    items.join(", ")
}

#[expect(clippy::cast_precision_loss, reason = "milliseconds of a test")]
fn seconds(ms: u64) -> f64 {
    ms as f64 / 1e3
}

/// Percentiles of milliseconds.
fn spread(mut values: Vec<f64>) -> String {
    values.sort_by(f64::total_cmp);
    let at = |part: usize| {
        let place = (values.len() * part).div_ceil(100).max(1) - 1;
        values.get(place).copied().unwrap_or_default() / 1e3
    };
    format!(
        "p50 {:.2} s, p90 {:.2} s, p99 {:.2} s, max {:.2} s",
        at(50),
        at(90),
        at(99),
        at(100)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_taken_from_the_values_themselves() {
        let values = (1..=200).map(|n| f64::from(n) * 1e3).collect();
        let expected = "p50 100.00 s, p90 180.00 s, p99 198.00 s, max 200.00 s";
        assert_eq!(spread(values), expected);
        assert!(spread(vec![7.0]).starts_with("p50 0.01 s"));
        assert!(spread(Vec::new()).starts_with("p50 0.00 s"));
    }
}
