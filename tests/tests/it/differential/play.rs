//! Playing a sequence over both stores, and making a failing one short.

use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use jiff::Timestamp;
use openeve_domain::secret::Secret;
use openeve_memory::snapshot::Snapshot;
use openeve_memory::{Clauses, MemoryStore};
use openeve_postgres::{PgStore, Pool};
use openeve_testkit::database::TestDatabase;
use openeve_tests::snapshot;
use tokio_postgres::Client;

use super::op::{Op, ask, minutes};

/// When the clock of memory begins.
const BEGIN: i64 = 1_800_000_000_000;
/// Milliseconds of a minute.
const MINUTE_MS: i64 = 60_000;

/// A store in memory and its clock.
pub(super) struct Memory {
    pub(super) store: MemoryStore,
    now: Arc<AtomicI64>,
}

impl Memory {
    /// An empty one.
    pub(super) fn new() -> Self {
        Self::under(Clauses::default())
    }

    /// An empty one in which only these clauses hold.
    pub(super) fn under(clauses: Clauses) -> Self {
        let now = Arc::new(AtomicI64::new(BEGIN));
        let clock = now.clone();
        let clock = Arc::new(move || clock.load(Ordering::Relaxed));
        Self {
            store: MemoryStore::with_clauses(clock, clauses),
            now,
        }
    }

    /// What time it is for it.
    pub(super) fn now(&self) -> i64 {
        self.now.load(Ordering::Relaxed)
    }

    /// Lets the time of one operation pass: a real one takes time, too.
    pub(super) fn tick(&self, op: &Op) {
        let ms = match op {
            Op::Pass(minutes) => minutes * MINUTE_MS,
            _ => 1,
        };
        self.now.fetch_add(ms, Ordering::Relaxed);
    }
}

/// Postgres, beside which a store in memory is filled anew for each sequence.
pub(super) struct Both {
    postgres: PgStore,
    client: Client,
}

impl Both {
    /// Over a database of its own.
    pub(super) async fn over(database: &TestDatabase) -> Self {
        let pool = Pool::new(&Secret::new(database.url()), 1, None).unwrap();
        Self {
            postgres: PgStore::new(pool),
            client: database.connect().await,
        }
    }

    /// Plays a sequence; the first difference.
    pub(super) async fn play(&self, ops: &[Op]) -> Result<(), String> {
        self.client.batch_execute(EMPTY).await.unwrap();
        let memory = Memory::new();
        for (at, op) in ops.iter().enumerate() {
            memory.tick(op);
            if let Op::Pass(minutes) = op {
                self.pass(*minutes).await;
            }
            let here = ask(&memory.store, op, memory.now()).await;
            let now = Timestamp::now().as_millisecond();
            let there = ask(&self.postgres, op, now).await;
            if here != there {
                return Err(format!(
                    "operation {at} {op:?}\n  memory:   {here:?}\n  postgres: {there:?}"
                ));
            }
        }
        let here = free_of_time(memory.store.snapshot(), memory.now());
        let now = snapshot::now(&self.client).await;
        let there = free_of_time(snapshot::read(&self.client).await, now);
        same(&here, &there)
    }

    /// Lets time pass: whatever is compared with the clock is set back.
    async fn pass(&self, minutes: i64) {
        let sql = PASS.replace("$1", &format!("INTERVAL '{minutes} minutes'"));
        self.client.batch_execute(&sql).await.unwrap();
    }
}

/// Whether a sequence tells two stores in memory apart, each with clauses of its own.
pub(super) async fn differ(ops: &[Op], one: Clauses, two: Clauses) -> bool {
    let (one, two) = (Memory::under(one), Memory::under(two));
    for op in ops {
        one.tick(op);
        two.tick(op);
        if ask(&one.store, op, one.now()).await != ask(&two.store, op, two.now()).await {
            return true;
        }
    }
    one.store.snapshot() != two.store.snapshot()
}

/// Leaves out of a failing sequence what it fails without.
pub(super) async fn shortest(
    both: &Both,
    mut ops: Vec<Op>,
    mut difference: String,
) -> (Vec<Op>, String) {
    let mut at = ops.len();
    while at > 0 {
        at -= 1;
        let mut fewer = ops.clone();
        fewer.remove(at);
        if let Err(other) = both.play(&fewer).await {
            ops = fewer;
            difference = other;
            at = at.min(ops.len());
        }
    }
    (ops, difference)
}

const EMPTY: &str = "TRUNCATE openeve.pauses, openeve.tool_calls, openeve.checkpoints, openeve.messages, \
    openeve.run_events, openeve.usage_records, openeve.schedule_runs, openeve.deliveries, \
    openeve.idempotency_keys, openeve.runs, openeve.conversations CASCADE";

const PASS: &str = "
    UPDATE openeve.runs SET lease_expires_at = lease_expires_at - $1, not_before = not_before - $1,
        cancel_requested_at = cancel_requested_at - $1, wall_from = wall_from - $1,
        created_at = created_at - $1, updated_at = updated_at - $1, finished_at = finished_at - $1;
    UPDATE openeve.run_events SET created_at = created_at - $1;
    UPDATE openeve.pauses SET created_at = created_at - $1, expires_at = expires_at - $1,
        decided_at = decided_at - $1;
    UPDATE openeve.deliveries SET lease_expires_at = lease_expires_at - $1,
        next_attempt_at = next_attempt_at - $1, updated_at = updated_at - $1,
        settled_at = settled_at - $1;
    UPDATE openeve.idempotency_keys SET expires_at = expires_at - $1;";

/// All times as minutes from now.
fn free_of_time(mut all: Snapshot, now: i64) -> Snapshot {
    let set = |at: &mut i64| *at = minutes(*at, now);
    for run in &mut all.runs {
        run.lease_expires_at.iter_mut().for_each(set);
        run.not_before.iter_mut().for_each(set);
        run.finished_at.iter_mut().for_each(set);
        set(&mut run.wall_from);
        set(&mut run.updated_at);
    }
    all.events.iter_mut().for_each(|row| set(&mut row.at));
    for pause in &mut all.pauses {
        set(&mut pause.expires_at);
    }
    for delivery in &mut all.deliveries {
        delivery.next_attempt_at.iter_mut().for_each(set);
        delivery.lease_expires_at.iter_mut().for_each(set);
    }
    for key in &mut all.keys {
        key.expires_at.iter_mut().for_each(set);
    }
    all
}

fn same(here: &Snapshot, there: &Snapshot) -> Result<(), String> {
    rows("runs", &here.runs, &there.runs)?;
    rows("events", &here.events, &there.events)?;
    rows("calls", &here.calls, &there.calls)?;
    rows("pauses", &here.pauses, &there.pauses)?;
    rows("deliveries", &here.deliveries, &there.deliveries)?;
    rows("keys", &here.keys, &there.keys)?;
    rows("usage", &here.usage, &there.usage)?;
    rows("messages", &here.messages, &there.messages)?;
    rows("checkpoints", &here.checkpoints, &there.checkpoints)?;
    rows("occurrences", &here.occurrences, &there.occurrences)
}

fn rows<T: Debug + PartialEq>(what: &str, here: &[T], there: &[T]) -> Result<(), String> {
    for at in 0..here.len().max(there.len()) {
        let (own, other) = (here.get(at), there.get(at));
        if own != other {
            return Err(format!(
                "row {at} of {what}\n  memory:   {own:?}\n  postgres: {other:?}"
            ));
        }
    }
    Ok(())
}
