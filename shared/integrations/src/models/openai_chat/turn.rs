//! What one answer has come to, and whether it may count.
//!
//! An answer counts once its finish reason is in; `[DONE]` alone proves nothing and may be missing.
//! A reason that speaks of failure is never covered by a later one.

use openeve_domain::limits::{BATCH_CALLS_MAX, MODEL_ANSWER_BYTES_MAX};
use openeve_domain::run::begin_batch::CallRequest;
use openeve_domain::run::model_failed::ModelFailure;
use openeve_domain::usage::Usage;
use serde_json::Value;

use super::failures::{ended, filtered, too_large, too_many_calls, truncated};
use super::{Aliases, calls, error, reasoning, usage};
use crate::models::Endpoint;

/// Something to show while the answer comes in. Void if the answer fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delta {
    /// More of the text.
    Text(String),
}

/// A whole answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Completion {
    /// What the model said; may be empty when there are calls.
    pub text: String,
    /// What it asked for, in order, under the tools' own names. Arguments are verbatim and may be
    /// no JSON; such a call must be answered with an error and never run.
    pub calls: Vec<CallRequest>,
    /// What it cost, if the provider said so.
    pub usage: Option<Usage>,
    /// What the provider wants back verbatim; null if nothing.
    pub extra: Value,
    /// Why it ended.
    pub finish: Stop,
    /// Whether the text, or a part of it, came as a refusal.
    pub refused: bool,
}

/// Why a usable answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// It was done.
    Done,
    /// It waits for its calls.
    Calls,
    /// The output limit cut its text. There are no calls.
    Length,
}

/// How an answer was said to have ended. Ordered: a later word replaces only a lesser one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Finish {
    Done,
    Calls,
    Length,
    Filtered,
    Failed(String),
}

/// Gathers one answer.
#[derive(Debug, Default)]
pub(super) struct Turn {
    text: String,
    refused: bool,
    calls: calls::Gathered,
    reasoning: reasoning::Gathered,
    finish: Option<Finish>,
    bytes: usize,
    pub(super) usage: Option<Usage>,
}

impl Turn {
    /// Takes one chunk of a stream, or a whole body, which has `message` where a chunk has `delta`.
    pub(super) fn apply(
        &mut self,
        endpoint: &Endpoint,
        chunk: &Value,
        deltas: &mut Vec<Delta>,
    ) -> Result<(), ModelFailure> {
        if let Some(failure) = error::in_band(endpoint, chunk) {
            return Err(failure);
        }
        self.usage = usage::of_chunk(chunk).or(self.usage);
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
                    self.bytes += self.calls.merge(piece);
                }
            } else if let Some(message) = choice.get("message") {
                self.merge(message, deltas);
                tool_calls(message).for_each(|call| self.calls.push(call));
            }
            let said = choice
                .get("finish_reason")
                .and_then(Value::as_str)
                .and_then(finish);
            self.finish = self.finish.take().max(said);
        }
        if self.bytes > MODEL_ANSWER_BYTES_MAX {
            return Err(too_large(endpoint));
        }
        Ok(())
    }

    /// Judges the answer, now that no more will come.
    pub(super) fn complete(
        self,
        endpoint: &Endpoint,
        aliases: &Aliases,
    ) -> Result<Completion, ModelFailure> {
        let is_silent = self.text.trim().is_empty() && self.calls.len() == 0;
        let finish = match self.finish {
            Some(Finish::Calls) if self.calls.len() == 0 => {
                return Err(ended(
                    endpoint,
                    "said that it asks for tools and named none",
                ));
            }
            Some(Finish::Done | Finish::Calls) if self.calls.len() > BATCH_CALLS_MAX => {
                return Err(too_many_calls(endpoint, self.calls.len()));
            }
            Some(Finish::Done | Finish::Calls) if self.calls.len() > 0 => Stop::Calls,
            Some(Finish::Done | Finish::Calls) => Stop::Done,
            Some(Finish::Length) if self.calls.len() > 0 || is_silent => {
                return Err(truncated(endpoint));
            }
            Some(Finish::Length) => Stop::Length,
            Some(Finish::Filtered) => return Err(filtered(endpoint)),
            Some(Finish::Failed(reason)) => {
                return Err(ended(
                    endpoint,
                    &format!("ended with finish reason {reason:?}"),
                ));
            }
            None if self.bytes == 0 => {
                return Err(ended(endpoint, "broke off before its first word"));
            }
            None => return Err(ended(endpoint, "broke off before its end")),
        };
        Ok(Completion {
            text: self.text,
            calls: self.calls.finish(aliases),
            usage: self.usage,
            extra: self.reasoning.extra(&endpoint.origin()),
            finish,
            refused: self.refused,
        })
    }

    fn merge(&mut self, delta: &Value, deltas: &mut Vec<Delta>) {
        self.bytes += self.reasoning.merge(delta);
        let refusal = delta
            .get("refusal")
            .and_then(Value::as_str)
            .unwrap_or_default();
        self.refused |= !refusal.is_empty();
        let content = delta.get("content").map(text_of).unwrap_or_default();
        for piece in [content, refusal.to_owned()] {
            if !piece.is_empty() {
                self.bytes += piece.len();
                self.text.push_str(&piece);
                deltas.push(Delta::Text(piece));
            }
        }
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
