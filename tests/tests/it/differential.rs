//! The store in memory answers as the store in Postgres does, whatever is asked of it.
//!
//! A sequence of operations is made from a seed over a store in memory (`make`), written down with
//! every value (`op`), and played over a fresh store in memory and over Postgres (`play`). Every
//! answer must be the same, and at the end every row. Time passes for both by the same amounts: the
//! clock of the one is advanced, the timestamps of the other are set back; leases and waits are whole
//! minutes, so that the time which really passes never matters. A sequence that fails is made as
//! short as it can be, and its seed and its operations are printed.

mod make;
mod op;
mod play;

use openeve_testkit::database::TestServer;
use openeve_tests::migrated_database;

use make::sequence;
use play::{Both, shortest};

/// Sequences a lane plays.
const SEQUENCES: u64 = 150;
/// Operations of a sequence.
const OPERATIONS: usize = 60;

/// Plays the seeds from one on, over a database of its own.
async fn lane(first: u64) {
    let database = migrated_database(TestServer::shared()).await;
    let both = Both::over(&database).await;
    let sequences = openeve_tests::paths::variable("N").map_or(SEQUENCES, |n| n.parse().unwrap());
    let first =
        first + openeve_tests::paths::variable("F").map_or(0, |n| n.parse::<u64>().unwrap());
    for seed in first..first + sequences {
        let ops = sequence(seed, OPERATIONS).await;
        if let Err(difference) = both.play(&ops).await {
            let (ops, difference) = shortest(&both, ops, difference).await;
            let ops: String = ops.iter().map(|op| format!("\n  {op:?}")).collect();
            panic!("seed {seed}: {difference}\nafter{ops}");
        }
    }
}

#[tokio::test]
async fn memory_and_postgres_give_the_same_answers_and_keep_the_same_rows() {
    lane(0).await;
}

#[tokio::test]
async fn memory_and_postgres_agree_on_other_sequences_too() {
    lane(1_000_000).await;
}

#[tokio::test]
async fn zz_stats() {
    use std::collections::BTreeMap;
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for seed in 0..300 {
        for (op, answer) in make::sequence_with_answers(seed, OPERATIONS).await {
            let op = format!("{op:?}");
            let answer = format!("{answer:?}");
            let name = op.split('(').next().unwrap().to_owned();
            if answer.contains("answered: true") {
                *counts.entry("zz answered".into()).or_default() += 1;
            }
            if answer.contains("expired: [Dec") {
                *counts.entry("zz expired".into()).or_default() += 1;
            }
            if name == "Sweep" && answer.contains("checkpoints: 0") {
                *counts.entry("zz sweep0".into()).or_default() += 1;
            }
            if name == "Claim" && answer.contains("recovery: true") {
                *counts.entry("zz recovery".into()).or_default() += 1;
            }
            if name == "Accept" && answer.contains("duplicate: true") {
                *counts.entry("zz dup".into()).or_default() += 1;
            }
            let kind: String = answer
                .chars()
                .take(40)
                .take_while(|c| !c.is_ascii_digit())
                .collect();
            *counts.entry(format!("{name} -> {kind}")).or_default() += 1;
        }
    }
    for (k, v) in counts {
        println!("{v:6} {k}");
    }
}

#[tokio::test]
async fn zz_mutants() {
    use openeve_memory::Clauses;
    let names = Clauses::NAMES.iter().chain(Clauses::BACKSTOPS);
    let mut seqs = Vec::new();
    for seed in 0..300 {
        seqs.push(sequence(seed, OPERATIONS).await);
    }
    for name in names {
        let mut hits = 0;
        let mut first = None;
        for (seed, ops) in seqs.iter().enumerate() {
            if play::differs(ops, Clauses::without(&[name])).await {
                hits += 1;
                first = first.or(Some(seed));
            }
        }
        println!("{name:24} {hits:4} first {first:?}");
    }
}

#[tokio::test]
async fn zz_time() {
    let database = migrated_database(TestServer::shared()).await;
    let client = database.connect().await;
    let begin = jiff::Timestamp::now();
    for _ in 0..20 {
        client.batch_execute(play::EMPTY).await.unwrap();
    }
    println!(
        "empty {:?}",
        jiff::Timestamp::now().duration_since(begin) / 20
    );
    let begin = jiff::Timestamp::now();
    for _ in 0..20 {
        client.batch_execute("DELETE FROM openeve.pauses; DELETE FROM openeve.tool_calls; DELETE FROM openeve.checkpoints; DELETE FROM openeve.messages; DELETE FROM openeve.run_events; DELETE FROM openeve.usage_records; DELETE FROM openeve.schedule_runs; DELETE FROM openeve.deliveries; DELETE FROM openeve.idempotency_keys; DELETE FROM openeve.runs; DELETE FROM openeve.conversations").await.unwrap();
    }
    println!(
        "delete {:?}",
        jiff::Timestamp::now().duration_since(begin) / 20
    );
    let both = Both::over(&database).await;
    let mut per: std::collections::BTreeMap<String, (u64, i128)> = Default::default();
    for seed in 0..30 {
        let ops = sequence(seed, OPERATIONS).await;
        both.timed(&ops, &mut per).await;
    }
    for (k, (n, ns)) in per {
        println!("{k:20} {n} {} us", ns / i128::from(n) / 1000);
    }
}
