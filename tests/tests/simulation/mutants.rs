//! Mutants: each safety clause of the store removed, alone and in pairs, is noticed.
//!
//! Three kinds of tests look for them: the conformance suite, which has one check a clause; single
//! faults at every point of a few scenarios; and seeds. The table that this makes is
//! `docs/durability.md`'s; a test holds the page to it.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use async_trait::async_trait;
use openeve_memory::snapshot::Snapshot;
use openeve_memory::{Clauses, MemoryStore};
use openeve_runtime::ports::Store;
use openeve_tests::conformance::{Bench, CHECKS, Subject};
use openeve_tests::sim::{Plan, Wanted, scenarios, simulate};

struct Memory {
    store: Arc<MemoryStore>,
    now: Arc<AtomicI64>,
}

#[async_trait]
impl Bench for Memory {
    fn store(&self) -> Arc<dyn Store> {
        self.store.clone()
    }

    async fn advance(&self, ms: i64) {
        self.now.fetch_add(ms, Ordering::Relaxed);
    }

    async fn snapshot(&self) -> Snapshot {
        self.store.snapshot()
    }
}

fn subject(clauses: Clauses) -> Subject {
    let now = Arc::new(AtomicI64::new(1_800_000_000_000));
    let clock = now.clone();
    let clock = Arc::new(move || clock.load(Ordering::Relaxed));
    let store = Arc::new(MemoryStore::with_clauses(clock, clauses));
    Subject::new(Memory { store, now })
}

/// The checks that a store with these clauses fails.
fn failed_checks(clauses: &Clauses) -> Vec<&'static str> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let failed = CHECKS.iter().filter(|(_, check)| {
        let subject = subject(clauses.clone());
        runtime.block_on(check(&subject)).is_err()
    });
    failed.map(|(name, _)| *name).collect()
}

/// How many seeds it takes until a history breaks something; `None` if none does.
fn seeds_until_red(clauses: &Clauses, most: u64) -> Option<u64> {
    let scenarios = scenarios();
    let wanted = Wanted {
        clauses: clauses.clone(),
        ..Wanted::default()
    };
    (0..most).find(|seed| {
        let which = usize::try_from(*seed).unwrap() % scenarios.len();
        let report = simulate(&scenarios[which], &Plan::Seed(*seed), &wanted);
        !report.violations.is_empty()
    })
}

#[test]
fn the_store_in_memory_passes_the_conformance_suite() {
    assert_eq!(failed_checks(&Clauses::default()), [""; 0]);
}

#[test]
fn every_clause_removed_alone_is_noticed() {
    let mut unseen = Vec::new();
    for name in Clauses::NAMES {
        let clauses = Clauses::without(&[name]);
        let checks = failed_checks(&clauses);
        let seeds = seeds_until_red(&clauses, 200);
        if checks.is_empty() && seeds.is_none() {
            unseen.push(*name);
        }
    }
    assert_eq!(unseen, [""; 0], "nobody notices that these are missing");
}

#[test]
fn every_pair_of_clauses_removed_is_noticed() {
    let mut pairs = 0;
    for (at, one) in Clauses::NAMES.iter().enumerate() {
        for two in Clauses::NAMES.iter().skip(at + 1) {
            pairs += 1;
            let failed = failed_checks(&Clauses::without(&[one, two]));
            assert!(
                !failed.is_empty(),
                "nobody notices that {one} and {two} are missing"
            );
        }
    }
    assert!(pairs > 200, "{pairs} pairs");
}
