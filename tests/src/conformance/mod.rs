//! What every store must do: one check a safety clause, the same for memory and for Postgres.
//!
//! Each check builds the one situation in which its clause alone decides, so that a store without
//! the clause fails it. The mutants of the simulation tier and the tests over Postgres both run the
//! whole suite.

use std::sync::Arc;

use async_trait::async_trait;
use openeve_domain::budget::Spent;
use openeve_domain::channel::{ChannelTurn, IdempotencyKey};
use openeve_domain::commit::{Accept, Commit};
use openeve_domain::continuation::Continuation;
use openeve_domain::ids::{CommitId, ConversationId, DeliveryId, LeaseToken, RunId, ToolCallId};
use openeve_domain::pause::{Decide, Decided, Decision, PauseKind, PauseRequest};
use openeve_domain::run::RunState;
use openeve_domain::run::accept::{Arrival, accept};
use openeve_domain::run::begin_batch::{Batch, CallRequest, PlannedCall, begin_batch};
use openeve_domain::run::finish::{Answer, Obligation, finish};
use openeve_domain::run::hand_on::hand_on;
use openeve_domain::status::SideEffects;
use openeve_memory::snapshot::{RunRow, Snapshot};
use openeve_runtime::ports::{Claim, CommitAnswer, Store};
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

mod checks;

macro_rules! checks {
    ($($name:ident),+ $(,)?) => {
        /// Every check.
        pub const CHECKS: &[Check] = &[$((stringify!($name), |subject| Box::pin(checks::$name(subject)))),+];
    };
}

checks![
    fence_epoch,
    fence_commit_count,
    fence_status_running,
    cancel_wins,
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
