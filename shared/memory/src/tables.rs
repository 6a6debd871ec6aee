//! The tables, and what several operations need of them.

use std::collections::{BTreeMap, HashMap};

use openeve_domain::channel::ChannelTurn;
use openeve_domain::continuation::Continuation;
use openeve_domain::event::Event;
use openeve_domain::ids::{CommitId, ConversationId, DeliveryId, LeaseToken, RunId, ToolCallId};
use openeve_domain::limits::{HISTORY_BYTES_MAX, HISTORY_MESSAGES_MAX};
use openeve_domain::pause::{Decision, PauseRequest, PauseStatus, waiting_status};
use openeve_domain::status::{DeliveryStatus, RunStatus};
use openeve_domain::transcript::{Entry, EntryKind, ToolCall};
use openeve_domain::usage::Usage;
use openeve_runtime::ports::PortError;
use serde_json::Value;

use crate::clauses::Clauses;

/// A conversation.
#[derive(Debug, Clone)]
pub(crate) struct Conversation {
    pub(crate) tenant: String,
    pub(crate) key: String,
    pub(crate) run_position: i64,
    /// Its runs, by position.
    pub(crate) runs: BTreeMap<i64, RunId>,
}

/// A lease: who holds it and until when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Held {
    pub(crate) token: LeaseToken,
    pub(crate) until: i64,
}

/// A run.
#[derive(Debug, Clone)]
pub(crate) struct Run {
    pub(crate) agent_id: String,
    pub(crate) agent_revision: String,
    pub(crate) conversation_id: ConversationId,
    pub(crate) position: i64,
    pub(crate) trigger: &'static str,
    pub(crate) turn: ChannelTurn,
    pub(crate) status: RunStatus,
    pub(crate) epoch: i64,
    pub(crate) lease: Option<Held>,
    pub(crate) not_before: Option<i64>,
    pub(crate) commit_id: Option<CommitId>,
    pub(crate) commit_count: u64,
    pub(crate) step_count: u64,
    pub(crate) stall_count: u64,
    pub(crate) resume_count: u64,
    pub(crate) model_failures: u32,
    pub(crate) event_seq: i64,
    pub(crate) cancel_requested_at: Option<i64>,
    pub(crate) failure: Option<(String, String)>,
    pub(crate) blocked: Option<(String, String)>,
    pub(crate) wall_from: i64,
    pub(crate) usage: Usage,
    pub(crate) trace_parent: Option<String>,
    pub(crate) created_at: i64,
    pub(crate) updated_at: i64,
    pub(crate) finished_at: Option<i64>,
    pub(crate) entries: Vec<Entry>,
    pub(crate) calls: Vec<Call>,
    pub(crate) pauses: Vec<PauseRow>,
    pub(crate) events: Vec<(i64, Event, i64)>,
    pub(crate) checkpoints: Vec<Continuation>,
    pub(crate) usage_rows: Vec<Usage>,
}

/// A tool call, and whether it ever started.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) call: ToolCall,
    pub(crate) started: bool,
}

/// A pause.
#[derive(Debug, Clone)]
pub(crate) struct PauseRow {
    pub(crate) call_id: ToolCallId,
    pub(crate) generation: u32,
    pub(crate) request: PauseRequest,
    pub(crate) status: PauseStatus,
    pub(crate) decision: Option<Decision>,
    pub(crate) decided_by: Option<String>,
    pub(crate) created_at: i64,
    pub(crate) expires_at: i64,
}

/// A delivery.
#[derive(Debug, Clone)]
pub(crate) struct Delivery {
    pub(crate) key: String,
    pub(crate) run_id: RunId,
    pub(crate) channel: String,
    pub(crate) target: Value,
    pub(crate) text: String,
    pub(crate) status: DeliveryStatus,
    pub(crate) reason: Option<&'static str>,
    pub(crate) lease: Option<Held>,
    pub(crate) attempt_count: u64,
    pub(crate) next_attempt_at: Option<i64>,
    pub(crate) parts_sent: u32,
    pub(crate) provider_ids: Vec<String>,
    pub(crate) last_error: Option<String>,
}

/// An idempotency key.
#[derive(Debug, Clone)]
pub(crate) struct Key {
    pub(crate) run_id: Option<RunId>,
    pub(crate) expires_at: i64,
}

/// Everything.
#[derive(Debug, Default)]
pub struct Tables {
    pub(crate) clauses: Clauses,
    pub(crate) conversations: HashMap<ConversationId, Conversation>,
    /// By agent, channel and key.
    pub(crate) conversation_of: HashMap<(String, String, String), ConversationId>,
    pub(crate) runs: BTreeMap<RunId, Run>,
    pub(crate) run_of_call: HashMap<ToolCallId, RunId>,
    pub(crate) deliveries: BTreeMap<DeliveryId, Delivery>,
    pub(crate) delivery_of: HashMap<String, DeliveryId>,
    pub(crate) keys: BTreeMap<(String, String), Key>,
    /// By agent, schedule and microsecond.
    pub(crate) occurrences: BTreeMap<(String, String, i64), RunId>,
}

/// Adds an unsigned duration to a moment.
pub(crate) fn later(now: i64, ms: u64) -> i64 {
    now.saturating_add(i64::try_from(ms).unwrap_or(i64::MAX / 4))
}

/// The refusal of a CHECK, a foreign key or a trigger.
pub(crate) fn refused(what: &str) -> PortError {
    PortError::corrupt(
        "database_refused",
        format!("the store refused a row that breaks {what}"),
    )
}

/// The refusal of a unique index.
pub(crate) fn conflict(what: &str) -> PortError {
    PortError::corrupt(
        "database_conflict",
        format!("the store refused a second row for {what}"),
    )
}

impl Run {
    /// Whether somebody holds a live lease.
    pub(crate) fn is_leased(&self, now: i64) -> bool {
        self.lease.is_some_and(|held| held.until >= now)
    }

    /// Appends one event.
    pub(crate) fn log(&mut self, event: Event, now: i64) {
        self.event_seq += 1;
        self.events.push((self.event_seq, event, now));
    }

    /// The status once these pauses that are pending count; running if there is none.
    pub(crate) fn status_of_pauses(&self) -> RunStatus {
        let pending = self
            .pauses
            .iter()
            .filter(|pause| pause.status == PauseStatus::Pending)
            .map(|pause| pause.request.kind);
        waiting_status(pending).unwrap_or(RunStatus::Running)
    }
}

impl Tables {
    /// Empty tables with some clauses.
    pub fn new(clauses: Clauses) -> Self {
        Self {
            clauses,
            ..Self::default()
        }
    }

    /// Whose conversation it is, for fairness.
    pub(crate) fn tenant(&self, id: ConversationId) -> String {
        match self.conversations.get(&id) {
            Some(conversation) if !conversation.tenant.is_empty() => conversation.tenant.clone(),
            _ => id.uuid().to_string(),
        }
    }

    /// Whether a run that may work comes before this one in its conversation.
    pub(crate) fn is_behind(&self, run: &Run) -> bool {
        // Whose holder vanished goes on first, whoever is ahead.
        if run.lease.is_some() {
            return false;
        }
        let Some(conversation) = self.conversations.get(&run.conversation_id) else {
            return false;
        };
        conversation
            .runs
            .range(..run.position)
            .filter_map(|(_, id)| self.runs.get(id))
            .any(|ahead| ahead.status.is_claimable() && ahead.blocked.is_none())
    }

    /// The first run of this conversation, other than this one, that may work.
    pub(crate) fn next_run(&self, id: RunId) -> Option<RunId> {
        let run = self.runs.get(&id)?;
        let conversation = self.conversations.get(&run.conversation_id)?;
        conversation.runs.values().copied().find(|other| {
            *other != id
                && self
                    .runs
                    .get(other)
                    .is_some_and(|run| run.status.is_claimable() && run.blocked.is_none())
        })
    }

    /// Earlier turns of a run's conversation, as the claim loads them.
    pub(crate) fn history(&self, run: &Run) -> Vec<Entry> {
        let Some(conversation) = self.conversations.get(&run.conversation_id) else {
            return Vec::new();
        };
        let mut history = Vec::new();
        let earlier = conversation.runs.range(..run.position).rev();
        for entry in earlier
            .filter_map(|(_, id)| self.runs.get(id))
            .flat_map(|run| run.entries.iter().rev())
            .filter(|entry| entry.kind != EntryKind::ToolBatch)
            .take(HISTORY_MESSAGES_MAX)
        {
            let mut entry = entry.clone();
            entry.text = entry.text.chars().take(HISTORY_BYTES_MAX + 1).collect();
            history.push(entry);
        }
        history.reverse();
        history
    }
}
