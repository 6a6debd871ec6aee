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
    for seed in first..first + SEQUENCES {
        let ops = sequence(seed, OPERATIONS).await;
        if let Err(difference) = both.play(&ops).await {
            let (ops, difference) = shortest(&both, ops, difference).await;
            panic!("seed {seed}: {difference}\nafter {ops:#?}");
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
