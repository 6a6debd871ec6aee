//! The transcript: append-only rows, and the request that is assembled from them.
//!
//! Rows hold what was said; results of tools hang on the tool call's own row. A request is
//! assembled anew for each iteration and repaired on the way: whatever prefix of the log
//! survived, each call has exactly one result, in call order, right behind its batch (I13, I19).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ids::ToolCallId;
use crate::limits::{HISTORY_BYTES_MAX, HISTORY_MESSAGES_MAX};
use crate::pause::PauseRequest;
use crate::status::{SideEffects, ToolCallStatus};

/// One row of the transcript.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Position in its run, from zero.
    pub seq: u32,
    /// Who said it.
    pub kind: EntryKind,
    /// What was said; may be empty for a batch.
    pub text: String,
    /// What the provider wants back verbatim, such as reasoning blocks. Null if nothing.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub extra: Value,
}

/// Who said a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryKind {
    /// The person or the fire.
    User,
    /// The model asked for tools; the calls are rows of their own.
    ToolBatch,
    /// The model's final answer.
    Answer,
}

impl EntryKind {
    /// The text stored in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::ToolBatch => "tool_batch",
            Self::Answer => "answer",
        }
    }

    /// Reads a stored text.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "user" => Some(Self::User),
            "tool_batch" => Some(Self::ToolBatch),
            "answer" => Some(Self::Answer),
            _ => None,
        }
    }
}

/// One tool call: its intent and, once settled, its outcome.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Our id; the idempotency key derives from it.
    pub id: ToolCallId,
    /// The batch's position in the transcript.
    pub entry_seq: u32,
    /// Position in the batch, from zero.
    pub ordinal: u32,
    /// The provider's id, verbatim.
    pub provider_call_id: String,
    /// The tool.
    pub name: String,
    /// The arguments, verbatim, as the model wrote them.
    pub arguments: String,
    /// What running it twice would do, as declared when it was asked for.
    pub side_effects: SideEffects,
    /// Whether it runs alone, which makes its whole batch run one after another [C.11].
    #[serde(default)]
    pub sequential: bool,
    /// What a person is asked before it runs; decided once, when the call was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<PauseRequest>,
    /// Where it stands.
    pub status: ToolCallStatus,
    /// The rich result, for people and the log. Null until settled.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub result: Value,
    /// What the model reads. Empty until settled.
    #[serde(default)]
    pub model_output: String,
}

/// One message of an assembled request.
#[derive(Debug, Clone, PartialEq)]
pub enum Message<'a> {
    /// What a person or fire said.
    User {
        /// The text.
        text: &'a str,
    },
    /// What the model said.
    Assistant {
        /// The text; may be empty when there are calls.
        text: &'a str,
        /// What it asked for, in order.
        calls: Vec<&'a ToolCall>,
        /// What the provider wants back verbatim.
        extra: &'a Value,
    },
    /// What a tool returned.
    ToolResult {
        /// The call it answers.
        call: &'a ToolCall,
        /// What the model reads.
        output: std::borrow::Cow<'a, str>,
    },
}

/// What a call without an outcome is said to have returned.
pub const INTERRUPTED_OUTPUT: &str = r#"{"interrupted":true}"#;

/// Assembles the messages of a request from earlier turns and this run's rows.
///
/// Repairs: a batch whose calls are all lost is dropped; a call without an outcome is answered
/// with [`INTERRUPTED_OUTPUT`]; a call without a batch is dropped. The log itself is untouched.
pub fn assemble<'a>(
    history: &'a [Entry],
    entries: &'a [Entry],
    calls: &'a [ToolCall],
) -> Vec<Message<'a>> {
    let mut messages = Vec::with_capacity(history.len() + entries.len() + calls.len());
    for entry in bounded(history) {
        match entry.kind {
            EntryKind::User => messages.push(Message::User { text: &entry.text }),
            EntryKind::Answer => messages.push(answer(entry)),
            EntryKind::ToolBatch => {}
        }
    }
    for entry in entries {
        match entry.kind {
            EntryKind::User => messages.push(Message::User { text: &entry.text }),
            EntryKind::Answer => messages.push(answer(entry)),
            EntryKind::ToolBatch => push_batch(&mut messages, entry, calls),
        }
    }
    messages
}

fn answer(entry: &Entry) -> Message<'_> {
    Message::Assistant {
        text: &entry.text,
        calls: Vec::new(),
        extra: &entry.extra,
    }
}

fn push_batch<'a>(messages: &mut Vec<Message<'a>>, entry: &'a Entry, calls: &'a [ToolCall]) {
    let mut batch: Vec<&ToolCall> = calls
        .iter()
        .filter(|call| call.entry_seq == entry.seq)
        .collect();
    if batch.is_empty() {
        return;
    }
    batch.sort_by_key(|call| call.ordinal);
    messages.push(Message::Assistant {
        text: &entry.text,
        calls: batch.clone(),
        extra: &entry.extra,
    });
    for call in batch {
        let output = if call.status.is_settled() {
            call.model_output.as_str()
        } else {
            INTERRUPTED_OUTPUT
        };
        messages.push(Message::ToolResult {
            call,
            output: output.into(),
        });
    }
}

/// The newest part of earlier turns that fits the bounds, never beginning with an answer to
/// something that was cut off.
fn bounded(history: &[Entry]) -> &[Entry] {
    let mut bytes = 0;
    let mut begin = history.len();
    for (at, entry) in history.iter().enumerate().rev() {
        bytes += entry.text.len();
        if bytes > HISTORY_BYTES_MAX || history.len() - at > HISTORY_MESSAGES_MAX {
            break;
        }
        begin = at;
    }
    let kept = history.get(begin..).unwrap_or_default();
    let skip = kept
        .iter()
        .position(|entry| entry.kind == EntryKind::User)
        .unwrap_or(kept.len());
    kept.get(skip..).unwrap_or_default()
}

#[cfg(test)]
mod tests;
