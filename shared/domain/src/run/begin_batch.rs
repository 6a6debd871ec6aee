//! The model asked for tools: their intents are committed before any of them runs.

use serde_json::{Value, json};

use super::RunState;
use super::advance_batch::Draft;
use crate::commit::{Commit, UsageRecord};
use crate::continuation::Continuation;
use crate::event::{self, Event};
use crate::ids::{CommitId, ToolCallId};
use crate::pause::PauseRequest;
use crate::status::{SideEffects, ToolCallStatus};
use crate::transcript::{Entry, EntryKind, ToolCall};

/// What the model asked for in one response.
#[derive(Debug, Clone)]
pub struct Batch {
    /// What it said beside; may be empty.
    pub text: String,
    /// What the provider wants back verbatim.
    pub extra: Value,
    /// The calls, in order, each with the id we give it.
    pub calls: Vec<PlannedCall>,
    /// The continuation after this response.
    pub checkpoint: Continuation,
    /// What the request cost.
    pub usage: Option<UsageRecord>,
}

/// One call as the model wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallRequest {
    /// The provider's id, verbatim.
    pub provider_call_id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments, verbatim.
    pub arguments: String,
}

/// One call with what the agent says of its tool. It is decided once and stored with the call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedCall {
    /// The id we give it.
    pub id: ToolCallId,
    /// What the model wrote.
    pub request: CallRequest,
    /// What running it twice would do. A call that names no tool does nothing.
    pub side_effects: SideEffects,
    /// Whether it runs alone.
    pub sequential: bool,
    /// What a person is asked first.
    pub gate: Option<PauseRequest>,
}

/// Commits the batch: what may run is `started`, what a person must allow waits.
pub fn begin_batch(state: &RunState, batch: Batch, commit_id: CommitId) -> Commit {
    let seq = state.next_seq();
    let mut commit = state.commit(commit_id);
    commit.entries.push(Entry {
        seq,
        kind: EntryKind::ToolBatch,
        text: batch.text,
        extra: batch.extra,
    });
    commit.events.push(Event::new(
        event::MODEL_RESPONDED,
        json!({"tool_calls": batch.calls.len(), "usage": batch.usage.as_ref().map(|record| record.usage)}),
    ));
    let mut calls: Vec<ToolCall> = (0_u32..)
        .zip(batch.calls)
        .map(|(ordinal, call)| requested(seq, ordinal, call))
        .collect();
    let mut draft = Draft::of(state, &calls, &[]);
    let standing = draft.advance();
    // A new call is written as it stands after the batch has begun.
    for change in std::mem::take(&mut draft.changes) {
        if let Some(call) = calls.iter_mut().find(|call| call.id == change.id) {
            call.status = change.status;
            call.result = change.result;
            call.model_output = change.model_output;
        }
    }
    commit.calls = calls;
    commit.checkpoint = Some(batch.checkpoint);
    commit.usage.extend(batch.usage);
    draft.into_commit(standing, &mut commit);
    commit
}

fn requested(entry_seq: u32, ordinal: u32, call: PlannedCall) -> ToolCall {
    ToolCall {
        id: call.id,
        entry_seq,
        ordinal,
        provider_call_id: call.request.provider_call_id,
        name: call.request.name,
        arguments: call.request.arguments,
        side_effects: call.side_effects,
        sequential: call.sequential,
        gate: call.gate,
        status: ToolCallStatus::Requested,
        result: Value::Null,
        model_output: String::new(),
    }
}
