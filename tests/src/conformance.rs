//! What every store must do: one check a safety clause, the same for memory and for Postgres.
//!
//! Each check builds the one situation in which its clause alone decides, so that a store without
//! the clause fails it. The mutants of the simulation tier and the tests over Postgres both run the
//! whole suite.

use std::sync::Arc;

use async_trait::async_trait;
use openeve_domain::budget::Spent;
use openeve_domain::channel::{ChannelTurn, IdempotencyKey};
use openeve_domain::commit::{Accept, Commit, NewDelivery};
use openeve_domain::continuation::Continuation;
use openeve_domain::delivery::{PartSent, SendOutcome, settle};
use openeve_domain::ids::{CommitId, ConversationId, DeliveryId, LeaseToken, RunId, ToolCallId};
use openeve_domain::pause::{Decide, Decided, Decision, PauseKind, PauseRequest, PauseStatus};
use openeve_domain::run::RunState;
use openeve_domain::run::accept::{Arrival, accept};
use openeve_domain::run::begin_batch::{Batch, CallRequest, PlannedCall, begin_batch};
use openeve_domain::run::finish::{Answer, Obligation, final_key, finish};
use openeve_domain::run::hand_on::hand_on;
use openeve_domain::run::settle_calls::{Outcome, Returned, Settled, ToolOutput, settle_calls};
use openeve_domain::status::{DeliveryStatus, RunStatus, SideEffects, ToolCallStatus};
use openeve_memory::snapshot::{RunRow, Snapshot};
use openeve_runtime::ports::{Claim, CommitAnswer, Heartbeat, Store};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::manifest::manifest;

/// A store under examination, and its clock.
#[async_trait]
pub trait Bench: Send + Sync {
    /// The store.
    fn store(&self) -> Arc<dyn Store>;

    /// Lets time pass, for the store alone.
    async fn advance(&self, ms: i64);

    /// Every row.
    async fn snapshot(&self) -> Snapshot;
}

/// One check: its name is the clause it examines.
pub type Check = (&'static str, for<'a> fn(&'a Subject) -> Checking<'a>);
type Checking<'a> = std::pin::Pin<Box<dyn Future<Output = Result<(), String>> + Send + 'a>>;

/// A store with a count that makes ids.
pub struct Subject {
    bench: Box<dyn Bench>,
    ids: std::sync::atomic::AtomicU64,
}

const LEASE_MS: u64 = 60_000;
const PAST_LEASE_MS: i64 = 120_000;

macro_rules! ensure {
    ($condition:expr, $($why:tt)*) => {
        if !$condition {
            return Err(format!($($why)*));
        }
    };
}

macro_rules! checks {
    ($($name:ident),+ $(,)?) => {
        /// Every check.
        pub const CHECKS: &[Check] = &[$((stringify!($name), |subject| Box::pin($name(subject)))),+];
    };
}

checks![
    fence_epoch,
    fence_commit_count,
    fence_status_running,
    claim_status,
    claim_lease,
    claim_order,
    claim_one_lease,
    claim_counts_stall,
    idempotency_key_unique,
    delivery_key_unique,
    delivery_lease,
    delivery_token,
    part_token,
    pause_pending,
    due_runs,
    due_deliveries,
    due_pauses,
    withdraw_on_end,
    waiting_recomputed,
    expired_only_when_due,
    heartbeat_epoch,
    events_dense,
];

impl Subject {
    /// A store to examine. It is empty.
    pub fn new(bench: impl Bench + 'static) -> Self {
        Self {
            bench: Box::new(bench),
            ids: 1.into(),
        }
    }

    fn uuid(&self) -> Uuid {
        let id = self.ids.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Uuid::from_u128(0x0192_0000_0000_7000_8000_0000_0000_0000 | u128::from(id))
    }

    fn store(&self) -> Arc<dyn Store> {
        self.bench.store()
    }

    fn arrival(&self, conversation: &str, key: &str) -> Accept {
        let arrival = Arrival {
            turn: ChannelTurn {
                channel: "message".into(),
                conversation_key: conversation.into(),
                text: "go".into(),
                tenant: None,
                sender: Some("ada".into()),
                reply_target: Value::Null,
            },
            idempotency: IdempotencyKey::channel("message", key),
            idempotency_ttl_hours: 48,
            trigger: "message",
            trace_parent: None,
            occurrence: None,
        };
        let (run, conversation) = (RunId::new(self.uuid()), ConversationId::new(self.uuid()));
        accept(&manifest(Vec::new()), arrival, run, conversation).unwrap()
    }

    async fn run(&self, conversation: &str, key: &str) -> Result<RunId, String> {
        let accept = self.arrival(conversation, key);
        let accepted = self.store().accept(&accept).await;
        accepted
            .map(|accepted| accepted.run_id)
            .map_err(|error| error.to_string())
    }

    async fn claim(&self, run: RunId) -> Result<Claim, String> {
        let token = LeaseToken::new(self.uuid());
        let claim = self.store().claim(run, token, LEASE_MS).await;
        claim.map_err(|error| error.to_string())
    }

    async fn claimed(&self, run: RunId) -> Result<RunState, String> {
        match self.claim(run).await? {
            Claim::Claimed(state) => Ok(*state),
            other => Err(format!("the run is claimed, not {other:?}")),
        }
    }

    async fn commit(&self, state: &mut RunState, commit: &Commit) -> Result<CommitAnswer, String> {
        let answer = self.store().commit(commit, LEASE_MS).await;
        let answer = answer.map_err(|error| error.to_string())?;
        if matches!(answer, CommitAnswer::Applied(_)) {
            state.apply(commit);
        }
        Ok(answer)
    }

    fn commit_id(&self) -> CommitId {
        CommitId::new(self.uuid())
    }

    fn released(&self, state: &RunState) -> Commit {
        hand_on(state, Spent::Slice, 500, self.commit_id())
    }

    fn answered(&self, state: &RunState) -> Commit {
        let answer = Answer {
            text: "done".into(),
            extra: Value::Null,
            checkpoint: Self::checkpoint(state),
            usage: None,
        };
        finish(state, answer, self.obligation(), self.commit_id())
    }

    fn obligation(&self) -> Obligation {
        Obligation {
            id: DeliveryId::new(self.uuid()),
            leased_by: None,
            lease_ms: LEASE_MS,
        }
    }

    fn checkpoint(state: &RunState) -> Continuation {
        Continuation {
            v: 1,
            engine: "e".into(),
            engine_version: 1,
            seq: state.checkpoint.as_ref().map_or(1, |at| at.seq + 1),
            agent_revision: "r".into(),
            surface: String::new(),
            body: json!({}),
        }
    }

    /// A batch of unsafe calls, gated as told.
    fn batch(&self, state: &RunState, gates: &[Option<PauseKind>]) -> Commit {
        let calls = gates.iter().enumerate().map(|(at, gate)| PlannedCall {
            id: ToolCallId::new(self.uuid()),
            request: CallRequest {
                provider_call_id: format!("c{at}"),
                name: "act".into(),
                arguments: json!({ "n": at }).to_string(),
            },
            side_effects: SideEffects::Unsafe,
            sequential: gate.is_some(),
            gate: gate.map(request),
        });
        let batch = Batch {
            text: String::new(),
            extra: Value::Null,
            calls: calls.collect(),
            checkpoint: Self::checkpoint(state),
            usage: None,
        };
        begin_batch(state, batch, self.commit_id())
    }

    /// A run that waits for approvals of this many calls.
    async fn waiting(&self, conversation: &str, gates: usize) -> Result<RunState, String> {
        let run = self
            .run(conversation, &format!("{conversation}:waiting"))
            .await?;
        let mut state = self.claimed(run).await?;
        let commit = self.batch(&state, &vec![Some(PauseKind::Approval); gates]);
        self.commit(&mut state, &commit).await?;
        Ok(state)
    }

    fn decision(state: &RunState, at: usize, decision: Option<Decision>) -> Decide {
        Decide {
            run_id: state.run_id,
            call_id: state.calls[at].id,
            generation: 1,
            decision,
            by: "ada".into(),
        }
    }

    async fn decide(&self, decide: &Decide) -> Result<Decided, String> {
        let decided = self.store().decide(decide).await;
        decided.map_err(|error| error.to_string())
    }

    async fn row(&self, run: RunId) -> Result<RunRow, String> {
        let snapshot = self.bench.snapshot().await;
        let row = snapshot.runs.into_iter().find(|row| row.id == run);
        row.ok_or_else(|| "the run is there".to_owned())
    }

    /// A delivery that is owed.
    async fn owed(&self, conversation: &str) -> Result<DeliveryId, String> {
        let run = self.run(conversation, conversation).await?;
        let mut state = self.claimed(run).await?;
        let commit = self.answered(&state);
        self.commit(&mut state, &commit).await?;
        commit
            .delivery
            .map(|owed| owed.id)
            .ok_or_else(|| "a reply is owed".to_owned())
    }
}

fn request(kind: PauseKind) -> PauseRequest {
    PauseRequest {
        kind,
        prompt: "?".into(),
        options: Vec::new(),
        approvers: vec!["anyone".into()],
        url: None,
    }
}

async fn fence_epoch(on: &Subject) -> Result<(), String> {
    let run = on.run("c", "1").await?;
    let mut stale = on.claimed(run).await?;
    on.bench.advance(PAST_LEASE_MS).await;
    on.claimed(run).await?;
    let commit = on.released(&stale);
    let answer = on.commit(&mut stale, &commit).await?;
    ensure!(
        answer == CommitAnswer::Superseded,
        "a stale epoch wrote: {answer:?}"
    );
    Ok(())
}

async fn fence_commit_count(on: &Subject) -> Result<(), String> {
    let run = on.run("c", "1").await?;
    let mut state = on.claimed(run).await?;
    let first = on.batch(&state, &[None]);
    on.commit(&mut state, &first).await?;
    let outcome = Outcome {
        id: state.calls[0].id,
        result: Ok(Returned::Output(ToolOutput {
            result: json!(1),
            model_output: None,
        })),
        emitted: Vec::new(),
    };
    let Settled::Commit(second) = settle_calls(&mut state, vec![outcome], on.commit_id()) else {
        return Err("an unsafe outcome is durable".into());
    };
    on.commit(&mut state, &second).await?;
    let before = on.row(run).await?;
    let answer = on.store().commit(&first, LEASE_MS).await;
    ensure!(
        matches!(answer, Ok(CommitAnswer::Superseded)),
        "a late copy was answered {answer:?}"
    );
    ensure!(on.row(run).await? == before, "a late copy changed the run");
    Ok(())
}

async fn fence_status_running(on: &Subject) -> Result<(), String> {
    let run = on.run("c", "1").await?;
    let mut state = on.claimed(run).await?;
    let commit = on.answered(&state);
    on.commit(&mut state, &commit).await?;
    let again = on.released(&state);
    let answer = on.store().commit(&again, LEASE_MS).await;
    ensure!(
        matches!(answer, Ok(CommitAnswer::Superseded)),
        "a run that had ended took {answer:?}"
    );
    Ok(())
}

async fn claim_status(on: &Subject) -> Result<(), String> {
    let waiting = on.waiting("w", 1).await?;
    let claim = on.claim(waiting.run_id).await?;
    ensure!(
        claim == Claim::Settled,
        "a waiting run was claimed: {claim:?}"
    );
    let run = on.run("c", "1").await?;
    let mut state = on.claimed(run).await?;
    let commit = on.answered(&state);
    on.commit(&mut state, &commit).await?;
    let claim = on.claim(run).await?;
    ensure!(
        claim == Claim::Settled,
        "a completed run was claimed: {claim:?}"
    );
    Ok(())
}

async fn claim_lease(on: &Subject) -> Result<(), String> {
    let run = on.run("c", "1").await?;
    on.claimed(run).await?;
    let claim = on.claim(run).await?;
    ensure!(claim == Claim::Busy, "a live lease was taken: {claim:?}");
    Ok(())
}

async fn claim_order(on: &Subject) -> Result<(), String> {
    on.run("c", "1").await?;
    let second = on.run("c", "2").await?;
    let claim = on.claim(second).await?;
    ensure!(
        claim == Claim::Behind,
        "the second run went first: {claim:?}"
    );
    Ok(())
}

async fn claim_one_lease(on: &Subject) -> Result<(), String> {
    let first = on.waiting("c", 1).await?;
    let second = on.run("c", "2").await?;
    on.claimed(second).await?;
    on.decide(&Subject::decision(&first, 0, Some(Decision::Approve)))
        .await?;
    // The first is running again and nobody is ahead of it; the second holds the lease.
    let claim = on.claim(first.run_id).await?;
    ensure!(
        claim == Claim::Behind,
        "two runs of one conversation are leased: {claim:?}"
    );
    Ok(())
}

async fn claim_counts_stall(on: &Subject) -> Result<(), String> {
    let run = on.run("c", "1").await?;
    on.claimed(run).await?;
    on.bench.advance(PAST_LEASE_MS).await;
    let state = on.claimed(run).await?;
    ensure!(
        state.recovery && state.stalls == 1,
        "a crash was not counted"
    );
    Ok(())
}

async fn idempotency_key_unique(on: &Subject) -> Result<(), String> {
    let first = on.run("c", "1").await?;
    let again = on.arrival("c", "1");
    let again = on
        .store()
        .accept(&again)
        .await
        .map_err(|error| error.to_string())?;
    ensure!(
        again.duplicate && again.run_id == first,
        "one key made two runs"
    );
    let runs = on.bench.snapshot().await.runs.len();
    ensure!(runs == 1, "one key made {runs} runs");
    Ok(())
}

async fn delivery_key_unique(on: &Subject) -> Result<(), String> {
    let run = on.run("c", "1").await?;
    let mut state = on.claimed(run).await?;
    for _ in 0..2 {
        let mut commit = on.released(&state);
        commit.lease = openeve_domain::commit::Lease::Extend;
        commit.delivery = Some(NewDelivery {
            id: DeliveryId::new(on.uuid()),
            key: final_key(run),
            channel: "message".into(),
            target: Value::Null,
            text: "hi".into(),
            leased_by: None,
            lease_ms: LEASE_MS,
        });
        on.commit(&mut state, &commit).await?;
    }
    let owed = on.bench.snapshot().await.deliveries.len();
    ensure!(owed == 1, "one key owes {owed} replies");
    Ok(())
}

async fn delivery_lease(on: &Subject) -> Result<(), String> {
    let id = on.owed("c").await?;
    let lease = |token| {
        let store = on.store();
        async move { store.lease_delivery(id, token, LEASE_MS).await }
    };
    let [one, two] = [0, 1].map(|_| LeaseToken::new(on.uuid()));
    let first = lease(one).await.map_err(|error| error.to_string())?;
    ensure!(first.is_some(), "a delivery that is due is not leased");
    let second = lease(two).await.map_err(|error| error.to_string())?;
    ensure!(second.is_none(), "two senders hold one delivery");
    Ok(())
}

async fn delivery_token(on: &Subject) -> Result<(), String> {
    let id = on.owed("c").await?;
    let [one, two] = [0, 1].map(|_| LeaseToken::new(on.uuid()));
    let late = on.store().lease_delivery(id, one, LEASE_MS).await;
    let late = late
        .map_err(|error| error.to_string())?
        .ok_or("it is due")?;
    on.bench.advance(PAST_LEASE_MS).await;
    let own = on.store().lease_delivery(id, two, LEASE_MS).await;
    let own = own
        .map_err(|error| error.to_string())?
        .ok_or("its sender vanished")?;
    ensure!(own.interrupted, "the sender before was interrupted");
    let refused = SendOutcome::Refused {
        error: "late".into(),
    };
    let settled = on
        .store()
        .settle_delivery(&settle(&late, refused, 0, 8, 0.0))
        .await;
    ensure!(settled == Ok(false), "a stale token settled: {settled:?}");
    let status = on.bench.snapshot().await.deliveries[0].status;
    ensure!(
        status == DeliveryStatus::Sending,
        "a stale token changed it to {status:?}"
    );
    Ok(())
}

async fn part_token(on: &Subject) -> Result<(), String> {
    let id = on.owed("c").await?;
    let [one, two] = [0, 1].map(|_| LeaseToken::new(on.uuid()));
    on.store()
        .lease_delivery(id, one, LEASE_MS)
        .await
        .map_err(|error| error.to_string())?;
    on.bench.advance(PAST_LEASE_MS).await;
    on.store()
        .lease_delivery(id, two, LEASE_MS)
        .await
        .map_err(|error| error.to_string())?;
    let part = PartSent {
        id,
        token: one,
        parts_sent: 1,
        provider_id: None,
    };
    let recorded = on.store().part_sent(&part, LEASE_MS).await;
    ensure!(
        recorded == Ok(false),
        "a stale token recorded a part: {recorded:?}"
    );
    Ok(())
}

async fn pause_pending(on: &Subject) -> Result<(), String> {
    let state = on.waiting("c", 2).await?;
    let reason = String::new();
    on.decide(&Subject::decision(&state, 0, Some(Decision::Approve)))
        .await?;
    let second = on
        .decide(&Subject::decision(
            &state,
            0,
            Some(Decision::Reject { reason }),
        ))
        .await?;
    ensure!(
        matches!(second, Decided::Already { .. }),
        "decided twice: {second:?}"
    );
    let pauses = on.bench.snapshot().await.pauses;
    let approved = pauses
        .iter()
        .filter(|pause| pause.decision == Some(Decision::Approve));
    ensure!(approved.count() == 1, "the first decision was overwritten");
    Ok(())
}

async fn due_runs(on: &Subject) -> Result<(), String> {
    let run = on.run("c", "1").await?;
    on.claimed(run).await?;
    let agent = manifest(Vec::new()).agent.id;
    let early = on
        .store()
        .due(&agent, 10, 5_000, 0)
        .await
        .map_err(|error| error.to_string())?;
    ensure!(early.runs.is_empty(), "a leased run is rung");
    on.bench.advance(PAST_LEASE_MS).await;
    let due = on
        .store()
        .due(&agent, 10, 5_000, 0)
        .await
        .map_err(|error| error.to_string())?;
    ensure!(due.runs.len() == 1, "a lost run is not found");
    Ok(())
}

async fn due_deliveries(on: &Subject) -> Result<(), String> {
    let id = on.owed("c").await?;
    let token = LeaseToken::new(on.uuid());
    on.store()
        .lease_delivery(id, token, LEASE_MS)
        .await
        .map_err(|error| error.to_string())?;
    on.bench.advance(PAST_LEASE_MS).await;
    let agent = manifest(Vec::new()).agent.id;
    let due = on
        .store()
        .due(&agent, 10, 5_000, 0)
        .await
        .map_err(|error| error.to_string())?;
    ensure!(
        due.deliveries.len() == 1,
        "a delivery whose sender vanished is not found"
    );
    Ok(())
}

async fn due_pauses(on: &Subject) -> Result<(), String> {
    let state = on.waiting("c", 1).await?;
    on.bench
        .advance(i64::try_from(state.pause_ttl_ms).unwrap() + 1_000)
        .await;
    let agent = manifest(Vec::new()).agent.id;
    let due = on
        .store()
        .due(&agent, 10, 5_000, 0)
        .await
        .map_err(|error| error.to_string())?;
    ensure!(
        due.expired.len() == 1,
        "a pause nobody decided is not found"
    );
    Ok(())
}

async fn withdraw_on_end(on: &Subject) -> Result<(), String> {
    let state = on.waiting("c", 2).await?;
    let cancel = on
        .store()
        .cancel(&manifest(Vec::new()).agent.id, state.run_id, "ada")
        .await;
    cancel.map_err(|error| error.to_string())?;
    let mut state = on.claimed(state.run_id).await?;
    let commit = openeve_domain::run::cancel::cancel(&state, on.commit_id());
    on.commit(&mut state, &commit).await?;
    let pauses = on.bench.snapshot().await.pauses;
    let open = pauses
        .iter()
        .filter(|pause| pause.status == PauseStatus::Pending)
        .count();
    ensure!(open == 0, "{open} pauses outlive their run");
    Ok(())
}

/// A question is asked and answered while another call of the batch still runs: when that one ends,
/// there is nothing to wait for.
async fn waiting_recomputed(on: &Subject) -> Result<(), String> {
    let run = on.run("c", "1").await?;
    let mut state = on.claimed(run).await?;
    let commit = on.batch(&state, &[None, None]);
    on.commit(&mut state, &commit).await?;
    let asks = Outcome {
        id: state.calls[0].id,
        result: Ok(Returned::Pause(request(PauseKind::Input))),
        emitted: Vec::new(),
    };
    let Settled::Commit(commit) = settle_calls(&mut state, vec![asks], on.commit_id()) else {
        return Err("a pause is durable".into());
    };
    on.commit(&mut state, &commit).await?;
    let answer = Decision::Answer { text: "yes".into() };
    let decided = on
        .decide(&Subject::decision(&state, 0, Some(answer)))
        .await?;
    ensure!(
        decided == Decided::Taken { resumes: false },
        "it still runs: {decided:?}"
    );
    let ends = Outcome {
        id: state.calls[1].id,
        result: Err("broken".into()),
        emitted: Vec::new(),
    };
    let Settled::Commit(commit) = settle_calls(&mut state, vec![ends], on.commit_id()) else {
        return Err("an unsafe outcome is durable".into());
    };
    ensure!(
        commit.status == RunStatus::WaitingInput,
        "its holder thinks it waits"
    );
    on.commit(&mut state, &commit).await?;
    let row = on.row(run).await?;
    ensure!(
        row.status == RunStatus::Running && !row.leased,
        "it waits for what was decided: {:?}",
        row.status
    );
    Ok(())
}

async fn expired_only_when_due(on: &Subject) -> Result<(), String> {
    let state = on.waiting("c", 1).await?;
    on.decide(&Subject::decision(&state, 0, None)).await?;
    let pauses = on.bench.snapshot().await.pauses;
    ensure!(
        pauses[0].status == PauseStatus::Pending,
        "a pause expired before its time"
    );
    Ok(())
}

async fn heartbeat_epoch(on: &Subject) -> Result<(), String> {
    let run = on.run("c", "1").await?;
    let stale = on.claimed(run).await?;
    on.bench.advance(PAST_LEASE_MS).await;
    on.claimed(run).await?;
    let beat = on.store().heartbeat(run, stale.epoch, LEASE_MS).await;
    ensure!(
        beat == Ok(Heartbeat::Superseded),
        "a stale epoch's heart beats: {beat:?}"
    );
    Ok(())
}

async fn events_dense(on: &Subject) -> Result<(), String> {
    let mut state = on.waiting("c", 2).await?;
    for at in 0..2 {
        on.decide(&Subject::decision(&state, at, Some(Decision::Approve)))
            .await?;
    }
    state = on.claimed(state.run_id).await?;
    let Settled::Commit(commit) = settle_calls(&mut state, Vec::new(), on.commit_id()) else {
        return Err("the first approved call starts".into());
    };
    on.commit(&mut state, &commit).await?;
    ensure!(
        state.calls[0].status == ToolCallStatus::Started,
        "the first approved call starts"
    );
    let snapshot = on.bench.snapshot().await;
    let numbers: Vec<i64> = snapshot.events.iter().map(|event| event.seq).collect();
    let wanted: Vec<i64> = (1..=snapshot.runs[0].event_seq).collect();
    ensure!(numbers == wanted, "events are numbered {numbers:?}");
    Ok(())
}
