//! The one write: everything that changes about a run, under the epoch that may change it.
//!
//! A transition returns a [`Commit`]; the store applies it in one transaction opened by the
//! fencing update, or answers that the writer was superseded. Nothing else writes run state.

use serde_json::Value;

use crate::channel::{ChannelTurn, IdempotencyKey};
use crate::continuation::Continuation;
use crate::event::Event;
use crate::ids::{CommitId, ConversationId, DeliveryId, LeaseToken, RunId, ToolCallId};
use crate::pause::NewPause;
use crate::status::{RunStatus, ToolCallStatus};
use crate::transcript::{Entry, ToolCall};
use crate::usage::Usage;

/// Everything one accepted turn creates, in one transaction.
#[derive(Debug, Clone, PartialEq)]
pub struct Accept {
    /// The new run.
    pub run_id: RunId,
    /// The conversation to create if the key is new.
    pub conversation_id: ConversationId,
    /// The agent's stable identity.
    pub agent_id: String,
    /// The revision the run is pinned to.
    pub agent_revision: String,
    /// What started it: `message` or `schedule`.
    pub trigger: &'static str,
    /// The turn. If the conversation's newest run waits for an answer that its sender may give,
    /// the turn is that answer and creates no run.
    pub turn: ChannelTurn,
    /// Whether the turn may answer a question: a person's message may, a schedule's may not.
    pub may_answer: bool,
    /// Under which the same turn may come again.
    pub idempotency: IdempotencyKey,
    /// How long that key is kept.
    pub idempotency_ttl_hours: u64,
    /// First events, `run.created` among them.
    pub events: Vec<Event>,
    /// W3C trace context of the request.
    pub trace_parent: Option<String>,
    /// The schedule's occurrence that fired, if one did.
    pub occurrence: Option<Occurrence>,
}

/// One occurrence of a schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occurrence {
    /// The schedule's name.
    pub schedule: String,
    /// When it was due.
    pub at: jiff::Timestamp,
}

/// Everything one commit changes.
#[derive(Debug, Clone, PartialEq)]
pub struct Commit {
    /// Whose.
    pub run_id: RunId,
    /// The epoch the writer was given by its claim.
    pub epoch: i64,
    /// Names this commit, so that a lost answer can be read back.
    pub commit_id: CommitId,
    /// How many commits of the run there were before, so that a late copy is refused.
    pub follows: u64,
    /// The status afterwards. A run that is to wait although everything was decided meanwhile is
    /// `running` instead, released and to be rung: [`Committed::status`] tells.
    pub status: RunStatus,
    /// What happens to the lease. A status other than `running` always releases it.
    pub lease: Lease,
    /// Why the run failed, if it did.
    pub failure: Option<Failure>,
    /// Whether this is progress, which clears the count of crashes in a row.
    pub progress: bool,
    /// Whether recovery resumes in place, which is counted.
    pub resumed: bool,
    /// The count of failed model requests in a row afterwards.
    pub model_failures: u32,
    /// New rows of the transcript.
    pub entries: Vec<Entry>,
    /// New tool calls, `requested` or `started`.
    pub calls: Vec<ToolCall>,
    /// Tool calls that move on.
    pub changes: Vec<CallChange>,
    /// The continuation after this iteration.
    pub checkpoint: Option<Continuation>,
    /// What happened.
    pub events: Vec<Event>,
    /// What model requests cost, those that failed and were asked again included.
    pub usage: Vec<UsageRecord>,
    /// Calls that wait for a person from now on.
    pub pauses: Vec<NewPause>,
    /// The reply that is owed from now on.
    pub delivery: Option<NewDelivery>,
}

/// What a commit does to the lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lease {
    /// The writer goes on; the lease is extended to its full length from now.
    Extend,
    /// The writer stops; the run may be claimed again after a delay.
    Release {
        /// How long the run is left alone.
        not_before_ms: u64,
    },
}

/// Why a run failed: a stable code and a message that names place and remedy, without secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// A stable code, such as `model_auth`.
    pub code: String,
    /// For the operator.
    pub message: String,
}

/// One tool call that moves on.
#[derive(Debug, Clone, PartialEq)]
pub struct CallChange {
    /// The call.
    pub id: ToolCallId,
    /// Where it stands now.
    pub status: ToolCallStatus,
    /// The rich result; null while unsettled.
    pub result: Value,
    /// What the model reads; empty while unsettled.
    pub model_output: String,
}

/// The cost of one model request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsageRecord {
    /// `provider/model`.
    pub model: String,
    /// Tokens and price.
    pub usage: Usage,
}

/// A delivery obligation to create.
#[derive(Debug, Clone, PartialEq)]
pub struct NewDelivery {
    /// Its id.
    pub id: DeliveryId,
    /// Its unique key, `final:{run}`.
    pub key: String,
    /// The channel that sends it.
    pub channel: String,
    /// Where to; only the channel's sender reads it.
    pub target: Value,
    /// The text.
    pub text: String,
    /// Created already leased by an inline sender [L.04].
    pub leased_by: Option<LeaseToken>,
    /// How long that lease holds.
    pub lease_ms: u64,
}

/// What a commit that was applied tells its writer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Committed {
    /// The status the run has now.
    pub status: RunStatus,
    /// The next run of the conversation to ring, if the commit made it the first.
    pub next_run: Option<RunId>,
    /// Somebody asked for the run to end.
    pub cancel_requested: bool,
}
