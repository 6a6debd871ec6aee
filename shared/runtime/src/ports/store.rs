//! The store: all truth, behind one write primitive.

use async_trait::async_trait;
use jiff::Timestamp;
use openeve_domain::commit::{Accept, Commit, Committed, Failure};
use openeve_domain::delivery::{LeasedDelivery, PartSent, Settlement};
use openeve_domain::ids::{ConversationId, DeliveryId, LeaseToken, RunId};
use openeve_domain::manifest::Manifest;
use openeve_domain::pause::{Decide, Decided, Pause};
use openeve_domain::run::RunState;
use openeve_domain::status::{DeliveryStatus, RunStatus};
use openeve_domain::usage::Usage;
use serde_json::Value;

use super::PortError;

/// What became of an arrival.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accepted {
    /// The run: the new one, or the one the same key created before.
    pub run_id: RunId,
    /// Its conversation.
    pub conversation_id: ConversationId,
    /// What the channel calls that conversation.
    pub conversation_key: String,
    /// The key had been taken before; nothing was written.
    pub duplicate: bool,
    /// The turn answered a question of this run, and created none.
    pub answered: bool,
    /// Whose conversation it is, for fairness.
    pub tenant: String,
}

/// What became of a claim.
#[derive(Debug, Clone, PartialEq)]
pub enum Claim {
    /// The run is ours under a new epoch, loaded whole.
    Claimed(Box<RunState>),
    /// Somebody holds a live lease; that holder or the tick will ring.
    Busy,
    /// Another run of the conversation is ahead; it rings when it ends.
    Behind,
    /// The run waits until this many milliseconds from now.
    NotYet {
        /// From now, by the database's clock.
        wait_ms: u64,
    },
    /// Nothing to do: the run ended or waits for a person.
    Settled,
    /// There is no such run; the bell was for another database.
    Unknown,
}

/// What became of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommitAnswer {
    /// Applied, once.
    Applied(Committed),
    /// Another epoch has begun; nothing was written, and the writer must stop quietly.
    Superseded,
    /// The commit would have completed the run, and somebody had asked for it to end: nothing was
    /// written, and the writer must end it as cancelled.
    Cancelled,
}

/// What a heartbeat learns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heartbeat {
    /// The lease was extended.
    Alive,
    /// The lease was extended, and somebody asked for the run to end.
    Cancelled,
    /// Another epoch has begun, or the run ended.
    Superseded,
}

/// Rows that need something done, tenants in turn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Due {
    /// Claimable runs nobody works on, each with its tenant.
    pub runs: Vec<(RunId, String)>,
    /// Runs whose lease ends before the next pass, with their tenant and the milliseconds until
    /// then: rung at that moment, a run whose holder vanished waits for its lease and no longer.
    pub expiring: Vec<(RunId, String, u64)>,
    /// Deliveries nobody sends, each with its tenant.
    pub deliveries: Vec<(DeliveryId, String)>,
    /// Pauses nobody decided in time, as the decision that says so.
    pub expired: Vec<Decide>,
}

/// A run's pauses, and what is needed to judge who may decide.
#[derive(Debug, Clone, PartialEq)]
pub struct Pauses {
    /// Where the run stands.
    pub status: RunStatus,
    /// The channel it came through.
    pub channel: String,
    /// Who started it, as the channel names them.
    pub requester: Option<String>,
    /// Whose conversation it is, for fairness.
    pub tenant: String,
    /// Every pause, oldest first, with the tool that waits and its arguments.
    pub pauses: Vec<PausedCall>,
}

/// One pause, with what a person needs to see to decide.
#[derive(Debug, Clone, PartialEq)]
pub struct PausedCall {
    /// The pause.
    pub pause: Pause,
    /// The tool.
    pub tool: String,
    /// The arguments, as the model wrote them.
    pub arguments: String,
    /// When it expires.
    pub expires_at: Timestamp,
}

/// What became of a wish to cancel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cancelled {
    /// Nobody had begun; the run has ended. The next of its conversation may be rung.
    Ended {
        /// The run to ring.
        next_run: Option<RunId>,
    },
    /// Its step ends it at the next boundary; ring it, in case none works on it.
    Requested,
    /// It had ended before.
    Already(RunStatus),
    /// There is no such run.
    Unknown,
}

/// What became of a wish to do something again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Redriven {
    /// The run was set aside; it may be claimed again. Ring it.
    Freed,
    /// The failed run was begun again as this one. Ring it.
    Again {
        /// The new run, or the one an earlier redrive made.
        run_id: RunId,
        /// Whether an earlier redrive had made it.
        before: bool,
    },
    /// The delivery that was given up is owed again as this one. Ring it.
    Owed {
        /// The new delivery, or the one an earlier redrive made.
        delivery_id: DeliveryId,
        /// Whether an earlier redrive had made it.
        before: bool,
    },
    /// There is nothing to redo: it is under way, or ended well.
    Nothing {
        /// Where it stands.
        status: String,
    },
    /// There is no such row.
    Unknown,
}

/// What retention removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Swept {
    /// Expired idempotency keys.
    pub idempotency_keys: u64,
    /// Checkpoints of runs that ended.
    pub checkpoints: u64,
}

/// A run as people read it.
#[derive(Debug, Clone, PartialEq)]
pub struct RunView {
    /// Which run.
    pub run_id: RunId,
    /// Its conversation.
    pub conversation_id: ConversationId,
    /// The channel it came through.
    pub channel: String,
    /// Where it stands.
    pub status: RunStatus,
    /// Why it failed, if it did.
    pub failure: Option<Failure>,
    /// Why no build here can read it, if it was set aside for that.
    pub blocked: Option<Failure>,
    /// The final answer, once there is one.
    pub reply: Option<String>,
    /// The final obligation's status, once there is one.
    pub delivery: Option<DeliveryStatus>,
    /// Steps so far.
    pub steps: u64,
    /// Tokens and price so far.
    pub usage: Usage,
    /// When it was accepted.
    pub created_at: Timestamp,
    /// When it ended.
    pub finished_at: Option<Timestamp>,
}

/// An event as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredEvent {
    /// Position in its run, from one, without gaps.
    pub seq: i64,
    /// What kind.
    pub kind: String,
    /// What else.
    pub payload: Value,
    /// When it was committed, by the database's clock.
    pub at: Timestamp,
}

/// The store. Every method is one network round trip unless it says otherwise; every lease is
/// judged by the store's own clock; a lost answer is resolved by reading back, never by repeating
/// an effect.
#[async_trait]
pub trait Store: Send + Sync {
    /// Accepts a turn in one transaction: key, conversation, message, run and events. Idempotent
    /// by the key (I1). A duplicate costs one more round trip.
    async fn accept(&self, accept: &Accept) -> Result<Accepted, PortError>;

    /// Claims a run under a new epoch and loads it whole. Repeating it with the same token within
    /// the lease finds the run claimed.
    async fn claim(
        &self,
        run_id: RunId,
        token: LeaseToken,
        lease_ms: u64,
    ) -> Result<Claim, PortError>;

    /// Applies a commit under its epoch. Idempotent by the commit's id.
    async fn commit(&self, commit: &Commit, lease_ms: u64) -> Result<CommitAnswer, PortError>;

    /// Applies a decision to one pause, once (I7): the pause that is still pending takes it, and the
    /// run is running again if nothing else of it waits. Idempotent: whoever comes later is told
    /// how it ended. Scope `resume` of protocol section 7.
    async fn decide(&self, decide: &Decide) -> Result<Decided, PortError>;

    /// Asks for a run of an agent to end. One nobody has begun ends at once. Idempotent.
    async fn cancel(&self, agent_id: &str, run_id: RunId, by: &str)
    -> Result<Cancelled, PortError>;

    /// Sets a run aside that this build cannot read, under the claim's token: it is released,
    /// visible as blocked, keeps no other run of its conversation waiting, and may be claimed again
    /// after `wait_ms`, perhaps by a build that can. `false` if the lease is no longer ours.
    async fn set_aside(
        &self,
        run_id: RunId,
        token: LeaseToken,
        why: &Failure,
        wait_ms: u64,
    ) -> Result<bool, PortError>;

    /// Begins a failed run of an agent again as a new run, or frees one that was set aside. A
    /// failed run is redriven at most once. Idempotent.
    async fn redrive_run(
        &self,
        agent_id: &str,
        run_id: RunId,
        fresh: RunId,
    ) -> Result<Redriven, PortError>;

    /// Owes a delivery of an agent that was given up once more, as a new delivery. Idempotent.
    async fn redrive_delivery(
        &self,
        agent_id: &str,
        id: DeliveryId,
        fresh: DeliveryId,
    ) -> Result<Redriven, PortError>;

    /// Extends the lease and `updated_at`, guarded by the epoch, touching nothing else [M.02].
    async fn heartbeat(
        &self,
        run_id: RunId,
        epoch: i64,
        lease_ms: u64,
    ) -> Result<Heartbeat, PortError>;

    /// Leases a delivery that is due; `None` if it is not, or somebody else has it.
    async fn lease_delivery(
        &self,
        id: DeliveryId,
        token: LeaseToken,
        lease_ms: u64,
    ) -> Result<Option<LeasedDelivery>, PortError>;

    /// Records a part that was sent and extends the lease, under its token; `false` if the lease is
    /// no longer ours.
    async fn part_sent(&self, part: &PartSent, lease_ms: u64) -> Result<bool, PortError>;

    /// Settles an attempt under its token; `false` if the lease is no longer ours.
    async fn settle_delivery(&self, settlement: &Settlement) -> Result<bool, PortError>;

    /// Registers an agent and its revision, once each. Idempotent.
    async fn register(&self, manifest: &Manifest) -> Result<(), PortError>;

    /// Rows of an agent that need a bell, of each kind, oldest first: claimable, not leased, and quiet for
    /// `grace_ms`, so that a bell under way is not doubled. Leases that end within `horizon_ms` are
    /// told ahead.
    async fn due(
        &self,
        agent_id: &str,
        limit: u64,
        grace_ms: u64,
        horizon_ms: u64,
    ) -> Result<Due, PortError>;

    /// Removes what retention no longer keeps, at most `limit` rows of a kind.
    async fn sweep(&self, limit: u64) -> Result<Swept, PortError>;

    /// A run of an agent, as people read it.
    async fn run_view(&self, agent_id: &str, run_id: RunId) -> Result<Option<RunView>, PortError>;

    /// The pauses of an agent's run, as whoever decides needs them.
    async fn pauses(&self, agent_id: &str, run_id: RunId) -> Result<Option<Pauses>, PortError>;

    /// Events after a position, in order, at most `limit`.
    async fn run_events(
        &self,
        agent_id: &str,
        run_id: RunId,
        after: i64,
        limit: u64,
    ) -> Result<Vec<StoredEvent>, PortError>;

    /// Whether the database answers and its schema is this build's.
    async fn ready(&self) -> Result<(), PortError>;
}
