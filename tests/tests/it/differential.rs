//! The store in memory answers as the store in Postgres does, whatever is asked of it.
//!
//! A sequence of operations is made from a seed over a store in memory (`make`), written down with
//! every value (`op`), and played over a fresh store in memory and over Postgres (`play`). Every
//! answer must be the same, and at the end every row. Time passes for both by the same amounts: the
//! clock of the one is advanced, the timestamps of the other are set back; leases and waits are whole
//! minutes, so that the time which really passes never matters. A sequence that fails is made as
//! short as it can be, and its seed and its operations are printed.
//!
//! `OPENEVE_TEST_SEQUENCES` asks for more sequences than usual, `OPENEVE_TEST_SEED` for others.

mod make;
mod op;
mod play;

use openeve_memory::Clauses;
use openeve_testkit::database::TestServer;
use openeve_tests::migrated_database;
use openeve_tests::paths::variable;

use make::sequence;
use play::{Both, differ, shortest};

/// Sequences a lane plays.
const SEQUENCES: u64 = 120;
/// Operations of a sequence.
const OPERATIONS: usize = 60;
/// Sequences among which one must notice a clause that is missing.
const NOTICED_WITHIN: u64 = 500;

fn number(name: &str, usual: u64) -> u64 {
    variable(name).map_or(usual, |text| text.parse().unwrap())
}

/// Plays the seeds from one on, over a database of its own.
async fn lane(first: u64) {
    let database = migrated_database(TestServer::shared()).await;
    let both = Both::over(&database).await;
    let first = first + number("OPENEVE_TEST_SEED", 0);
    for seed in first..first + number("OPENEVE_TEST_SEQUENCES", SEQUENCES) {
        let ops = sequence(seed, OPERATIONS).await;
        if let Err(difference) = both.play(&ops).await {
            let (ops, difference) = shortest(&both, ops, difference).await;
            let ops: Vec<String> = ops.iter().map(|op| format!("{op:?}")).collect();
            panic!("seed {seed}: {difference}\nafter\n{}", ops.join("\n"));
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

/// Whether a sequence tells a store that lacks these clauses from one that lacks only those.
async fn noticed(missing: &[&str], compared_with: &[&str]) -> bool {
    for seed in 0..NOTICED_WITHIN {
        let ops = sequence(seed, OPERATIONS).await;
        let (one, two) = (Clauses::without(missing), Clauses::without(compared_with));
        if differ(&ops, one, two).await {
            return true;
        }
    }
    false
}

/// So the sequences reach what each clause decides; the comparison with Postgres is worth that much.
#[tokio::test]
async fn the_sequences_notice_each_clause_that_is_missing() {
    let mut unseen = Vec::new();
    for name in Clauses::NAMES {
        if !noticed(&[name], &[]).await {
            unseen.push(*name);
        }
    }
    for (name, before) in [
        ("terminal_final", "fence_status_running"),
        ("outcome_once", ""),
        ("pause_trigger", "pause_pending"),
    ] {
        assert!(Clauses::BACKSTOPS.contains(&name), "{name} is a backstop");
        if !noticed(&[name, before], &[before]).await {
            unseen.push(name);
        }
    }
    assert_eq!(
        unseen, [""; 0],
        "no sequence notices that these are missing"
    );
}
