//! The model asked for tools: their intents are committed before any of them runs.

use serde_json::{Value, json};

use super::RunState;
use crate::commit::{Commit, UsageRecord};
use crate::continuation::Continuation;
use crate::event::{self, Event};
use crate::ids::{CommitId, ToolCallId};
use crate::manifest::{Execution, Manifest};
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
    pub calls: Vec<(ToolCallId, CallRequest)>,
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

/// Whether the calls of a batch run one after another: one sequential call makes all so [C.11].
pub fn is_sequential<'a>(manifest: &Manifest, names: impl IntoIterator<Item = &'a str>) -> bool {
    names.into_iter().any(|name| {
        manifest
            .tool(name)
            .is_some_and(|tool| tool.execution == Execution::Sequential)
    })
}

/// Commits the batch's intents: all `started` when they run side by side, else the first.
pub fn begin_batch(
    state: &RunState,
    manifest: &Manifest,
    batch: Batch,
    commit_id: CommitId,
) -> Commit {
    let sequential = is_sequential(
        manifest,
        batch.calls.iter().map(|(_, call)| call.name.as_str()),
    );
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
    for (ordinal, (id, request)) in (0_u32..).zip(batch.calls) {
        let starts = !sequential || ordinal == 0;
        let side_effects = manifest
            .tool(&request.name)
            .map_or(SideEffects::None, |tool| tool.side_effects);
        if starts {
            commit.events.push(started(id, &request.name));
        }
        commit.calls.push(ToolCall {
            id,
            entry_seq: seq,
            ordinal,
            provider_call_id: request.provider_call_id,
            name: request.name,
            arguments: request.arguments,
            side_effects,
            status: if starts {
                ToolCallStatus::Started
            } else {
                ToolCallStatus::Requested
            },
            result: Value::Null,
            model_output: String::new(),
        });
    }
    commit.checkpoint = Some(batch.checkpoint);
    commit.usage.extend(batch.usage);
    commit
}

/// The event of a call that may run from now on.
pub(super) fn started(id: ToolCallId, name: &str) -> Event {
    Event::new(event::TOOL_STARTED, json!({"call": id, "tool": name}))
}
