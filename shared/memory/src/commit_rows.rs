//! The rows of a commit: what the schema refuses of them, and how they are written.

use openeve_domain::commit::{CallChange, Commit, NewDelivery};
use openeve_domain::ids::{RunId, ToolCallId};
use openeve_domain::pause::PauseStatus;
use openeve_domain::status::{DeliveryStatus, SideEffects, ToolCallStatus};
use openeve_domain::transcript::{Entry, ToolCall};
use openeve_domain::usage::Usage;
use openeve_runtime::ports::PortError;
use serde_json::Value;

use crate::clean;
use crate::tables::{Call, Delivery, Held, PauseRow, Run, Tables, conflict, later, refused};

impl Tables {
    /// The calls as they stand afterwards: those that are new, and those that moved.
    pub(crate) fn staged_calls(&self, run: &Run, commit: &Commit) -> Result<Vec<Call>, PortError> {
        let mut staged: Vec<Call> = Vec::with_capacity(commit.calls.len() + commit.changes.len());
        for call in &commit.calls {
            let place = (call.entry_seq, call.ordinal);
            let row = new_call(call)?;
            if self.run_of_call.contains_key(&call.id)
                || staged.iter().any(|other| other.call.id == call.id)
            {
                return Err(conflict("tool_calls_pkey"));
            }
            let mut others = run.calls.iter().chain(&staged);
            if others.any(|other| (other.call.entry_seq, other.call.ordinal) == place) {
                return Err(conflict("tool_calls_run_id_entry_seq_ordinal_key"));
            }
            staged.push(row);
        }
        let mut changes: Vec<&CallChange> = commit.changes.iter().collect();
        changes.sort_by_key(|change| change.id);
        // A statement changes a row once.
        changes.dedup_by_key(|change| change.id);
        for change in changes {
            if let Some(row) = staged.iter_mut().find(|row| row.call.id == change.id) {
                self.change(row, change)?;
            } else if let Some(row) = run.calls.iter().find(|row| row.call.id == change.id) {
                let mut row = row.clone();
                self.change(&mut row, change)?;
                staged.push(row);
            }
        }
        Ok(staged)
    }

    fn change(&self, row: &mut Call, change: &CallChange) -> Result<(), PortError> {
        let settled = row.call.status.is_settled();
        if self.clauses.outcome_once && settled && row.call.status != change.status {
            return Err(refused("tool_calls_have_one_outcome"));
        }
        let harmless = row.call.side_effects == SideEffects::None;
        match change.status {
            ToolCallStatus::Started => row.started = true,
            ToolCallStatus::Succeeded if harmless => row.started = true,
            ToolCallStatus::Succeeded | ToolCallStatus::Failed | ToolCallStatus::Interrupted
                if !row.started =>
            {
                return Err(refused("tool_calls_outcome_has_start"));
            }
            ToolCallStatus::Requested => return Err(refused("tool_calls_settled_has_time")),
            ToolCallStatus::Succeeded
            | ToolCallStatus::Failed
            | ToolCallStatus::Interrupted
            | ToolCallStatus::AwaitingApproval
            | ToolCallStatus::Skipped
            | ToolCallStatus::Rejected
            | ToolCallStatus::Cancelled => {}
        }
        row.call.status = change.status;
        row.call.model_output = clean::text(&change.model_output);
        Ok(())
    }

    /// A second delivery under one id is refused; one whose key exists is adopted.
    pub(crate) fn check_delivery(&self, commit: &Commit) -> Result<(), PortError> {
        match &commit.delivery {
            Some(owed) if !self.is_owed(&owed.key) && self.deliveries.contains_key(&owed.id) => {
                Err(conflict("deliveries_pkey"))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Creates the final obligation, due at once or already leased by an inline sender.
    pub(crate) fn owe(&mut self, now: i64, run_id: RunId, owed: &NewDelivery) {
        if self.is_owed(&owed.key) {
            return;
        }
        let lease = owed.leased_by.map(|token| Held {
            token,
            until: later(now, owed.lease_ms),
        });
        let delivery = Delivery {
            key: owed.key.clone(),
            run_id,
            channel: owed.channel.clone(),
            target: clean::json(&owed.target),
            text: clean::text(&owed.text),
            status: if lease.is_some() {
                DeliveryStatus::Sending
            } else {
                DeliveryStatus::Pending
            },
            reason: None,
            attempt_count: u64::from(lease.is_some()),
            next_attempt_at: lease.is_none().then_some(now),
            lease,
            parts_sent: 0,
            provider_ids: Vec::new(),
            last_error: None,
        };
        self.delivery_of.insert(owed.key.clone(), owed.id);
        self.deliveries.insert(owed.id, delivery);
    }

    /// Whether a delivery of this key exists.
    pub(crate) fn is_owed(&self, key: &str) -> bool {
        self.clauses.delivery_key_unique && self.delivery_of.contains_key(key)
    }
}

/// No two rows of a transcript share a place.
pub(crate) fn check_entries(run: &Run, commit: &Commit) -> Result<(), PortError> {
    for (at, entry) in commit.entries.iter().enumerate() {
        let before = commit.entries.iter().take(at);
        let mut others = run.entries.iter().chain(before);
        if others.any(|other| other.seq == entry.seq) {
            return Err(conflict("messages_pkey"));
        }
    }
    Ok(())
}

/// Appends to the transcript.
pub(crate) fn insert_entries(run: &mut Run, commit: &Commit) {
    for entry in &commit.entries {
        let place = run.entries.partition_point(|own| own.seq < entry.seq);
        let row = Entry {
            seq: entry.seq,
            kind: entry.kind,
            text: clean::text(&entry.text),
            extra: clean::json(&entry.extra),
        };
        run.entries.insert(place, row);
    }
}

/// Writes calls that were staged.
pub(crate) fn write_calls(run: &mut Run, staged: Vec<Call>) {
    for row in staged {
        match run.calls.iter_mut().find(|own| own.call.id == row.call.id) {
            Some(own) => *own = row,
            None => run.calls.push(row),
        }
    }
}

/// No two checkpoints of a run share a place.
pub(crate) fn check_checkpoint(run: &Run, commit: &Commit) -> Result<(), PortError> {
    match &commit.checkpoint {
        Some(at) if run.checkpoints.iter().any(|own| own.seq == at.seq) => {
            Err(conflict("checkpoints_pkey"))
        }
        Some(_) | None => Ok(()),
    }
}

/// Stores the continuation, the newest one last.
pub(crate) fn insert_checkpoint(run: &mut Run, commit: &Commit) {
    if let Some(at) = &commit.checkpoint {
        let mut row = at.clone();
        row.body = clean::json(&row.body);
        let place = run.checkpoints.partition_point(|own| own.seq < at.seq);
        run.checkpoints.insert(place, row);
    }
}

/// A pause has a generation of its own, and a call that exists.
pub(crate) fn check_pauses(
    run: &Run,
    commit: &Commit,
    exists: impl Fn(ToolCallId) -> bool,
) -> Result<(), PortError> {
    for (at, pause) in commit.pauses.iter().enumerate() {
        if pause.generation == 0 {
            return Err(refused("pauses_generation_check"));
        }
        let place = (pause.call_id, pause.generation);
        let stored = |own: &PauseRow| (own.call_id, own.generation) == place;
        let mut before = commit.pauses.iter().take(at);
        if run.pauses.iter().any(stored)
            || before.any(|other| (other.call_id, other.generation) == place)
        {
            return Err(conflict("pauses_pkey"));
        }
    }
    if !commit.pauses.iter().all(|pause| exists(pause.call_id)) {
        return Err(refused("pauses_tool_call_id_fkey"));
    }
    Ok(())
}

/// Creates the pauses of calls that wait from now on.
pub(crate) fn insert_pauses(now: i64, run: &mut Run, commit: &Commit) {
    let rows = commit.pauses.iter().map(|pause| PauseRow {
        call_id: pause.call_id,
        generation: pause.generation,
        request: clean::request(&pause.request),
        status: PauseStatus::Pending,
        decision: None,
        decided_by: None,
        created_at: now,
        expires_at: later(now, pause.ttl_ms),
    });
    run.pauses.extend(rows);
}

/// What a column keeps of a request's cost: a provider may claim any number of tokens.
pub(crate) fn recorded(usage: Usage) -> Usage {
    const TOKENS_MAX: u64 = 1_000_000_000_000;
    Usage {
        input_tokens: usage.input_tokens.min(TOKENS_MAX),
        cached_tokens: usage.cached_tokens.min(TOKENS_MAX),
        output_tokens: usage.output_tokens.min(TOKENS_MAX),
        reasoning_tokens: usage.reasoning_tokens.min(TOKENS_MAX),
        cost_micros: usage.cost_micros.min(TOKENS_MAX),
    }
}

/// A new call may have begun; it has no outcome that needs a start.
fn new_call(call: &ToolCall) -> Result<Call, PortError> {
    let started = call.status == ToolCallStatus::Started;
    let begun = matches!(
        call.status,
        ToolCallStatus::Succeeded | ToolCallStatus::Failed | ToolCallStatus::Interrupted
    );
    if begun {
        return Err(refused("tool_calls_outcome_has_start"));
    }
    Ok(Call {
        started,
        call: ToolCall {
            id: call.id,
            entry_seq: call.entry_seq,
            ordinal: call.ordinal,
            provider_call_id: clean::text(&call.provider_call_id),
            name: clean::text(&call.name),
            arguments: clean::text(&call.arguments),
            side_effects: call.side_effects,
            sequential: call.sequential,
            gate: call.gate.as_ref().map(clean::request),
            status: call.status,
            result: Value::Null,
            model_output: clean::text(&call.model_output),
        },
    })
}
