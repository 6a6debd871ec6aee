//! Every row as plain data, for whoever checks invariants: filled from memory or from Postgres.
//!
//! Times are milliseconds since the epoch, by the store's own clock.

use openeve_domain::ids::{ConversationId, DeliveryId, RunId, ToolCallId};
use openeve_domain::pause::{Decision, PauseKind, PauseStatus};
use openeve_domain::status::{DeliveryStatus, RunStatus, SideEffects, ToolCallStatus};
use openeve_domain::usage::Usage;
use serde_json::Value;

/// All of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Snapshot {
    /// In the order of their ids.
    pub runs: Vec<RunRow>,
    /// By run and position.
    pub events: Vec<EventRow>,
    /// By run, entry and ordinal.
    pub calls: Vec<CallRow>,
    /// By run, call and generation.
    pub pauses: Vec<PauseRow>,
    /// In the order of their ids.
    pub deliveries: Vec<DeliveryRow>,
    /// By scope and key.
    pub keys: Vec<KeyRow>,
    /// By run and position.
    pub usage: Vec<UsageRow>,
    /// By run and position.
    pub messages: Vec<MessageRow>,
    /// By run and position.
    pub checkpoints: Vec<CheckpointRow>,
    /// By schedule and occurrence.
    pub occurrences: Vec<OccurrenceRow>,
}

/// A run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRow {
    /// Which.
    pub id: RunId,
    /// Its conversation.
    pub conversation_id: ConversationId,
    /// Its place there, in arrival order.
    pub position: i64,
    /// What started it.
    pub trigger: String,
    /// Where it stands.
    pub status: RunStatus,
    /// The newest epoch.
    pub epoch: i64,
    /// Whether somebody holds a lease.
    pub leased: bool,
    /// When that lease ends.
    pub lease_expires_at: Option<i64>,
    /// Before when it is left alone.
    pub not_before: Option<i64>,
    /// Commits so far.
    pub commit_count: i64,
    /// Steps so far.
    pub step_count: i64,
    /// Crashes in a row.
    pub stall_count: i64,
    /// In-place resumes.
    pub resume_count: i64,
    /// Failed model requests in a row.
    pub model_failure_count: i64,
    /// The newest event's number.
    pub event_seq: i64,
    /// Whether somebody asked for its end.
    pub cancel_requested: bool,
    /// Why it failed.
    pub failure_code: Option<String>,
    /// Why no build can read it.
    pub blocked_code: Option<String>,
    /// The sum over its usage.
    pub usage: Usage,
    /// From when the bound on wall time counts.
    pub wall_from: i64,
    /// When somebody last worked on it.
    pub updated_at: i64,
    /// When it ended.
    pub finished_at: Option<i64>,
}

/// An event.
#[derive(Debug, Clone, PartialEq)]
pub struct EventRow {
    /// Whose.
    pub run_id: RunId,
    /// Its number.
    pub seq: i64,
    /// What kind.
    pub kind: String,
    /// What else.
    pub payload: Value,
    /// When.
    pub at: i64,
}

/// A tool call.
#[derive(Debug, Clone, PartialEq)]
pub struct CallRow {
    /// Which.
    pub id: ToolCallId,
    /// Whose.
    pub run_id: RunId,
    /// Its batch.
    pub entry_seq: i64,
    /// Its place there.
    pub ordinal: i64,
    /// The tool.
    pub name: String,
    /// What running it twice would do.
    pub side_effects: SideEffects,
    /// Whether it is gated.
    pub gated: bool,
    /// Where it stands.
    pub status: ToolCallStatus,
    /// Whether it ever started.
    pub started: bool,
    /// What the model reads, if anything.
    pub model_output: Option<String>,
}

/// A pause.
#[derive(Debug, Clone, PartialEq)]
pub struct PauseRow {
    /// Whose.
    pub run_id: RunId,
    /// The call.
    pub call_id: ToolCallId,
    /// Which of its pauses.
    pub generation: i64,
    /// What it waits for.
    pub kind: PauseKind,
    /// Where it stands.
    pub status: PauseStatus,
    /// What was decided.
    pub decision: Option<Decision>,
    /// By whom.
    pub decided_by: Option<String>,
    /// When it expires.
    pub expires_at: i64,
}

/// A delivery.
#[derive(Debug, Clone, PartialEq)]
pub struct DeliveryRow {
    /// Which.
    pub id: DeliveryId,
    /// Its key.
    pub key: String,
    /// Whose.
    pub run_id: RunId,
    /// Where it stands.
    pub status: DeliveryStatus,
    /// Why it ended so.
    pub reason: Option<String>,
    /// Attempts so far.
    pub attempt_count: i64,
    /// Parts sent.
    pub parts_sent: i64,
    /// What the provider calls them.
    pub provider_ids: Vec<String>,
    /// When it is tried next.
    pub next_attempt_at: Option<i64>,
    /// When its sender's lease ends.
    pub lease_expires_at: Option<i64>,
    /// What the last attempt met.
    pub last_error: Option<String>,
}

/// An idempotency key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRow {
    /// Its scope.
    pub scope: String,
    /// Its key.
    pub key: String,
    /// The run it stands for.
    pub run_id: Option<RunId>,
    /// When it is forgotten; `None`: never.
    pub expires_at: Option<i64>,
}

/// What one model request cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsageRow {
    /// Whose.
    pub run_id: RunId,
    /// Its place.
    pub seq: i64,
    /// How much.
    pub usage: Usage,
}

/// A row of the transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageRow {
    /// Whose.
    pub run_id: RunId,
    /// Its place.
    pub seq: i64,
    /// Who said it.
    pub kind: String,
    /// What.
    pub body: String,
}

/// A checkpoint.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckpointRow {
    /// Whose.
    pub run_id: RunId,
    /// Its place.
    pub seq: i64,
    /// The engine's state.
    pub body: Value,
}

/// A schedule's occurrence that fired.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OccurrenceRow {
    /// The schedule.
    pub schedule: String,
    /// When it was due.
    pub at: i64,
    /// The run it became.
    pub run_id: RunId,
}
