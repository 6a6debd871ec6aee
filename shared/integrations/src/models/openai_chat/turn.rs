//! Reads one answer: whole chunks of a stream, or a body.
//!
//! It counts once its finish reason is in; `[DONE]` alone proves nothing and may be missing.

use openeve_domain::run::model_failed::ModelFailure;
use openeve_domain::usage::Usage;
use serde_json::Value;

use super::{calls, reasoning, usage};
use crate::models::answer::{Draft, Finish, Turn};
use crate::models::{Aliases, Completion, Delta, Endpoint, error};

/// Gathers one answer.
#[derive(Debug, Default)]
pub(in crate::models) struct ChatTurn {
    draft: Draft,
    calls: calls::Gathered,
    reasoning: reasoning::Gathered,
}

impl Turn for ChatTurn {
    fn event(
        &mut self,
        endpoint: &Endpoint,
        _: &str,
        data: &Value,
        deltas: &mut Vec<Delta>,
    ) -> Result<(), ModelFailure> {
        self.apply(endpoint, data, deltas)
    }

    fn body(&mut self, endpoint: &Endpoint, body: &Value) -> Result<(), ModelFailure> {
        self.apply(endpoint, body, &mut Vec::new())
    }

    /// Usage may follow the finish reason, so only `[DONE]` says so.
    fn is_done(&self) -> bool {
        false
    }

    fn usage(&self) -> Option<Usage> {
        self.draft.usage
    }

    fn complete(
        self: Box<Self>,
        endpoint: &Endpoint,
        aliases: &Aliases,
    ) -> Result<Completion, ModelFailure> {
        let extra = self.reasoning.extra(&endpoint.origin());
        let calls = self.calls.finish(aliases);
        self.draft.complete(endpoint, calls, extra)
    }
}

impl ChatTurn {
    /// Takes one chunk of a stream, or a whole body, which has `message` where a chunk has `delta`.
    fn apply(
        &mut self,
        endpoint: &Endpoint,
        chunk: &Value,
        deltas: &mut Vec<Delta>,
    ) -> Result<(), ModelFailure> {
        if let Some(failure) = error::in_band(endpoint, chunk) {
            return Err(failure);
        }
        self.draft.usage = usage::of_chunk(chunk).or(self.draft.usage);
        let choices = chunk
            .get("choices")
            .and_then(Value::as_array)
            .map(Vec::as_slice)
            .unwrap_or_default();
        // We never ask for a second choice; a server that sends one is not mixed into the first.
        let first = |choice: &&Value| choice.get("index").and_then(Value::as_u64).unwrap_or(0) == 0;
        for choice in choices.iter().filter(first) {
            if let Some(delta) = choice.get("delta").filter(|delta| delta.is_object()) {
                self.merge(delta, deltas);
                for piece in tool_calls(delta) {
                    let bytes = self.calls.merge(piece);
                    self.draft.count(bytes);
                }
            } else if let Some(message) = choice.get("message") {
                self.merge(message, deltas);
                tool_calls(message).for_each(|call| self.calls.push(call));
            }
            let said = choice.get("finish_reason").and_then(Value::as_str);
            self.draft.end(said.and_then(finish));
        }
        self.draft.bounded(endpoint)
    }

    fn merge(&mut self, delta: &Value, deltas: &mut Vec<Delta>) {
        self.draft.count(self.reasoning.merge(delta));
        let refusal = delta
            .get("refusal")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let content = delta.get("content").map(text_of).unwrap_or_default();
        self.draft.say(&content, deltas);
        self.draft.refuse(refusal, deltas);
    }
}

/// Reads a finish reason. One that nobody documented counts as done: the answer did end.
fn finish(reason: &str) -> Option<Finish> {
    Some(match reason {
        "" => return None,
        "tool_calls" | "function_call" | "tool_use" => Finish::Calls,
        "length" | "max_tokens" | "max_output_tokens" | "model_length" => Finish::Length,
        "content_filter" | "safety" | "refusal" => Finish::Filtered,
        "error"
        | "network_error"
        | "insufficient_system_resource"
        | "abort"
        | "aborted"
        | "cancelled" => Finish::Failed(reason.to_owned()),
        _ => Finish::Done,
    })
}

fn tool_calls(delta: &Value) -> impl Iterator<Item = &Value> {
    delta
        .get("tool_calls")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

/// Content is a text, or a list of parts of which some are texts (Mistral's reasoning models).
fn text_of(content: &Value) -> String {
    if let Some(text) = content.as_str() {
        return text.to_owned();
    }
    let parts = content.as_array().into_iter().flatten();
    parts
        .filter_map(|part| part.get("text").and_then(Value::as_str))
        .collect()
}
