//! Tools returned: their outcomes, and what the batch does next.

use serde_json::{Value, json};

use super::RunState;
use super::advance_batch::{Draft, Standing};
use crate::commit::{CallChange, Commit};
use crate::event::{self, Event};
use crate::ids::{CommitId, ToolCallId};
use crate::limits::{TOOL_OUTPUT_BYTES_MAX, TOOL_RESULT_BYTES_MAX};
use crate::pause::PauseRequest;
use crate::status::{SideEffects, ToolCallStatus};
use crate::text::{head_and_tail, prefix};
use crate::transcript::ToolCall;

/// What of an error's text its event carries.
const EVENT_ERROR_BYTES_MAX: usize = 500;

/// What one call came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The call.
    pub id: ToolCallId,
    /// What it returned, or the error the model can act on.
    pub result: Result<Returned, String>,
    /// What the tool emitted, in order.
    pub emitted: Vec<Event>,
}

/// What a call returned.
#[derive(Debug, Clone, PartialEq)]
pub enum Returned {
    /// Its outcome.
    Output(ToolOutput),
    /// It waits for a person and will be started again with the answer.
    Pause(PauseRequest),
}

/// What a tool returned.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolOutput {
    /// The rich result, for people and the log.
    pub result: Value,
    /// What the model reads, if the tool projects it; else the result as JSON.
    pub model_output: Option<String>,
}

/// What to do with outcomes.
#[derive(Debug, Clone, PartialEq)]
pub enum Settled {
    /// All are harmless to repeat: they ride on the next commit, and are already applied.
    Unsaved,
    /// They are to be committed now.
    Commit(Box<Commit>),
}

/// Settles calls that returned. Outcomes of calls without side effects wait for the next commit
/// when nothing else needs one; in memory they count at once.
pub fn settle_calls(state: &mut RunState, outcomes: Vec<Outcome>, commit_id: CommitId) -> Settled {
    let mut changes = Vec::with_capacity(outcomes.len());
    let mut events = Vec::new();
    let mut asked = Vec::new();
    let mut durable = false;
    for outcome in outcomes {
        let running =
            |call: &&ToolCall| call.id == outcome.id && call.status == ToolCallStatus::Started;
        let Some(call) = state.calls.iter().find(running) else {
            continue;
        };
        let result = match outcome.result {
            // What it emitted comes again when it is run again, and is recorded then.
            Ok(Returned::Pause(request)) => {
                asked.push((outcome.id, request));
                continue;
            }
            Ok(Returned::Output(output)) => Ok(output),
            Err(message) => Err(message),
        };
        durable |= call.side_effects != SideEffects::None || !outcome.emitted.is_empty();
        events.extend(outcome.emitted);
        let (change, event) = change(outcome.id, &call.name, result);
        changes.push(change);
        events.push(event);
    }
    let mut draft = Draft::of(state, &[], &changes);
    for (id, request) in asked {
        draft.pause(id, request);
    }
    let standing = draft.advance();
    let moves = !draft.changes.is_empty() || matches!(standing, Standing::Waits(_));
    if !durable && !moves {
        for change in &changes {
            state.change(change);
        }
        state.unsaved.changes.extend(changes);
        state.unsaved.events.extend(events);
        return Settled::Unsaved;
    }
    let mut commit = state.commit(commit_id);
    commit.changes.extend(changes);
    commit.events.extend(events);
    draft.into_commit(standing, &mut commit);
    Settled::Commit(Box::new(commit))
}

fn change(id: ToolCallId, name: &str, result: Result<ToolOutput, String>) -> (CallChange, Event) {
    let (status, kind, result, model_output) = match result {
        Ok(output) => {
            let text = output
                .model_output
                .unwrap_or_else(|| as_text(&output.result));
            (
                ToolCallStatus::Succeeded,
                event::TOOL_SUCCEEDED,
                bounded(output.result),
                text,
            )
        }
        Err(message) => {
            let error = json!({"error": head_and_tail(&message, TOOL_OUTPUT_BYTES_MAX / 2)});
            let text = error.to_string();
            (ToolCallStatus::Failed, event::TOOL_FAILED, error, text)
        }
    };
    let mut payload = json!({"call": id, "tool": name, "output_bytes": model_output.len()});
    if let (Some(error), Some(fields)) = (result.get("error"), payload.as_object_mut())
        && status == ToolCallStatus::Failed
    {
        let error = prefix(error.as_str().unwrap_or_default(), EVENT_ERROR_BYTES_MAX);
        fields.insert("error".to_owned(), json!(error));
    }
    let event = Event::new(kind, payload);
    let model_output = head_and_tail(&model_output, TOOL_OUTPUT_BYTES_MAX);
    (
        CallChange {
            id,
            status,
            result,
            model_output,
        },
        event,
    )
}

/// A plain text is shown as it is; anything else as JSON.
fn as_text(result: &Value) -> String {
    match result {
        Value::String(text) => text.clone(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            result.to_string()
        }
    }
}

/// A result over its bound is kept as head and tail of its text.
fn bounded(result: Value) -> Value {
    let text = result.to_string();
    if text.len() <= TOOL_RESULT_BYTES_MAX {
        return result;
    }
    json!({"truncated": head_and_tail(&text, TOOL_OUTPUT_BYTES_MAX), "bytes": text.len()})
}
