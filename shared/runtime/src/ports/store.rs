//! The store: all truth, behind one write primitive.

use async_trait::async_trait;
use jiff::Timestamp;
use openeve_domain::commit::{Accept, Commit, Committed, Failure};
use openeve_domain::delivery::{LeasedDelivery, Settlement};
use openeve_domain::ids::{ConversationId, DeliveryId, LeaseToken, RunId};
use openeve_domain::manifest::Manifest;
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
}

/// What a heartbeat learns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heartbeat {
    /// The lease was extended.
    Alive,
    /// Another epoch has begun, or the run ended.
    Superseded,
}

/// Rows whose bell should be rung.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Due {
    /// Claimable runs nobody works on.
    pub runs: Vec<RunId>,
    /// Deliveries nobody sends.
    pub deliveries: Vec<DeliveryId>,
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

    /// Settles an attempt under its token; `false` if the lease is no longer ours.
    async fn settle_delivery(&self, settlement: &Settlement) -> Result<bool, PortError>;

    /// Registers an agent and its revision, once each. Idempotent.
    async fn register(&self, manifest: &Manifest) -> Result<(), PortError>;

    /// Rows of an agent that need a bell, of each kind, oldest first: claimable, not leased, and quiet for
    /// `grace_ms`, so that a bell under way is not doubled.
    async fn due(&self, agent_id: &str, limit: u64, grace_ms: u64) -> Result<Due, PortError>;

    /// Removes what retention no longer keeps, at most `limit` rows of a kind.
    async fn sweep(&self, limit: u64) -> Result<Swept, PortError>;

    /// A run of an agent, as people read it.
    async fn run_view(&self, agent_id: &str, run_id: RunId) -> Result<Option<RunView>, PortError>;

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
