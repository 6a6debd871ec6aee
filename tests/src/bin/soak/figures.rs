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
    recovery(evidence, client, report).await;
    beginning(client, report).await;
    repetitions(evidence, facts, report);
    order(evidence, facts, report);
    memory(stage, evidence, report);
    let dead = stage.dead_letters().await.map(|depth| depth.visible);
    let queues = ["step", "delivery"].into_iter().zip(stage.doorbells());
    for ((queue, bells), dead) in queues.zip(dead) {
        report.figure(format!(
            "doorbells of the {queue}: {} received, {} failed, {dead} dead",
            bells.received, bells.failed
        ));
    }
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

/// How long runs stood still: from the last sign of a holder, which is its last event or its claim
/// if it was killed before it wrote one, to the claim that went on. Claims that found a vanished
/// holder are told by the step's log, since one that is killed itself leaves no event.
async fn recovery(evidence: &Evidence<'_>, client: &Client, report: &mut Report) {
    let sql = "SELECT 'run_' || replace(e.run_id::text, '-', ''), e.created_at, \
               e.kind = 'run.recovery_claimed' FROM openeve.run_events e UNION ALL \
               SELECT 'run_' || replace(r.id::text, '-', ''), ahead.finished_at, false \
               FROM openeve.runs r JOIN openeve.runs ahead \
               ON ahead.conversation_id = r.conversation_id AND ahead.position = r.position - 1 \
               WHERE ahead.finished_at IS NOT NULL";
    let rows = client.query(sql, &[]).await.expect("events are readable");
    let mut signs: HashMap<String, Vec<Timestamp>> = HashMap::new();
    let mut recorded: Vec<(String, Timestamp)> = Vec::new();
    for row in rows {
        let (run, at): (String, Timestamp) = (row.get(0), row.get(1));
        if row.get(2) {
            recorded.push((run.clone(), at));
        }
        signs.entry(run).or_default().push(at);
    }
    let logged = claims_in(evidence);
    // If the log's words have changed, the events still tell most of it.
    let claims = if logged.len() < recorded.len() {
        &recorded
    } else {
        &logged
    };
    for (run, at) in &logged {
        signs.entry(run.clone()).or_default().push(*at);
    }
    let spans = claims.iter().filter_map(|(run, at)| {
        let last = signs.get(run)?.iter().filter(|sign| *sign < at).max()?;
        Some((*last, *at))
    });
    let spans: Vec<(Timestamp, Timestamp)> = spans.collect();
    report.figure(format!(
        "recoveries: {} recorded, {} begun",
        recorded.len(),
        logged.len()
    ));
    if spans.is_empty() {
        let why = "no run was interrupted, so nothing was proved".to_owned();
        report.violation("the attack hits work", why);
    }
    resumed(evidence.struck, &spans, report);
}

/// Claims of runs whose holder had vanished, as the step's log tells them.
fn claims_in(evidence: &Evidence<'_>) -> Vec<(String, Timestamp)> {
    let logs = evidence.logs.iter().filter(|(name, _)| *name == "step");
    let lines = logs.flat_map(|(_, log)| log.lines());
    let claims = lines.filter(|line| line.contains("whose holder vanished"));
    let read = |line: &str| {
        let line: Value = serde_json::from_str(line).ok()?;
        let at = line["timestamp"].as_str()?.parse().ok()?;
        Some((line["run.id"].as_str()?.to_owned(), at))
    };
    claims.filter_map(read).collect()
}

/// The spans as figures, and the bound that they must keep. From the last sign is an upper bound;
/// the first fault after it is when the holder can have been lost.
fn resumed(struck: &[Struck], spans: &[(Timestamp, Timestamp)], report: &mut Report) {
    let ms = |from: Timestamp, to: Timestamp| from.duration_until(to).as_secs_f64() * 1e3;
    let from_sign: Vec<f64> = spans.iter().map(|(last, back)| ms(*last, *back)).collect();
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
    let within = share(&from_sign);
    report.figure(format!(
        "resumed, from the last sign of the holder: {}; within 90 s {:.2} %",
        spread(from_sign.clone()),
        within * 100.0
    ));
    report.figure(format!(
        "resumed, from the first fault after it: {}; within 90 s {:.2} %",
        spread(from_fault.clone()),
        share(&from_fault) * 100.0
    ));
    if within < RESUMED_SHARE && !from_sign.is_empty() {
        let why = format!("{:.2} % of {}", within * 100.0, from_sign.len());
        report.violation("99 % of interrupted runs are resumed within 90 s", why);
    }
}

/// How long runs waited for their first event once nothing stood before them: that they were
/// accepted and that the run ahead had ended. A lost doorbell shows here.
async fn beginning(client: &Client, report: &mut Report) {
    let sql = "SELECT (extract(epoch FROM first.at - greatest(r.created_at, ahead.at)) * 1000)::float8 \
               FROM openeve.runs r \
               CROSS JOIN LATERAL (SELECT min(created_at) AS at FROM openeve.run_events \
               WHERE run_id = r.id AND kind <> 'run.created') first \
               CROSS JOIN LATERAL (SELECT max(finished_at) AS at FROM openeve.runs \
               WHERE conversation_id = r.conversation_id AND position < r.position) ahead \
               WHERE first.at IS NOT NULL";
    let rows = client.query(sql, &[]).await.expect("runs are readable");
    let waited = rows.iter().map(|row| row.get(0)).collect();
    report.figure(format!("could begin to first event: {}", spread(waited)));
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
    let untaken = evidence.replies.iter().filter(|posted| !posted.was_taken);
    report.figure(format!(
        "replies: {} posted, {} of them raw duplicates; the receiver refused {} or lost its answer",
        evidence.replies.len(),
        evidence.replies.len() - ids.len(),
        untaken.count()
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
