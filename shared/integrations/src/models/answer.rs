//! What an answer has come to, whatever protocol it came by, and whether it may count.
//!
//! An answer counts once its protocol has said how it ended. A word that speaks of failure is never
//! covered by a later one, and an answer that the output limit cut hands no call on.

use openeve_domain::limits::{BATCH_CALLS_MAX, MODEL_ANSWER_BYTES_MAX};
use openeve_domain::run::begin_batch::CallRequest;
use openeve_domain::run::model_failed::ModelFailure;
use openeve_domain::usage::Usage;
use serde_json::Value;

use super::Endpoint;
use super::failures::{ended, filtered, too_large, too_many_calls, truncated};

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
pub(super) enum Finish {
    Done,
    Calls,
    Length,
    Filtered,
    Failed(String),
}

/// What every protocol gathers of an answer.
#[derive(Debug, Default)]
pub(super) struct Draft {
    text: String,
    refused: bool,
    finish: Option<Finish>,
    bytes: usize,
    /// What the answer has cost so far.
    pub(super) usage: Option<Usage>,
}

impl Draft {
    /// More of the text.
    pub(super) fn say(&mut self, piece: &str, deltas: &mut Vec<Delta>) {
        if !piece.is_empty() {
            self.bytes += piece.len();
            self.text.push_str(piece);
            deltas.push(Delta::Text(piece.to_owned()));
        }
    }

    /// More of the text of a refusal.
    pub(super) fn refuse(&mut self, piece: &str, deltas: &mut Vec<Delta>) {
        self.refused |= !piece.is_empty();
        self.say(piece, deltas);
    }

    /// So many bytes of other things came in.
    pub(super) fn count(&mut self, bytes: usize) {
        self.bytes += bytes;
    }

    /// The answer says how it ended.
    pub(super) fn end(&mut self, finish: Option<Finish>) {
        self.finish = self.finish.take().max(finish);
    }

    /// Fails once the answer is larger than we keep.
    pub(super) fn bounded(&self, endpoint: &Endpoint) -> Result<(), ModelFailure> {
        if self.bytes > MODEL_ANSWER_BYTES_MAX {
            return Err(too_large(endpoint));
        }
        Ok(())
    }

    /// Judges the answer, now that no more will come.
    pub(super) fn complete(
        self,
        endpoint: &Endpoint,
        calls: Vec<CallRequest>,
        extra: Value,
    ) -> Result<Completion, ModelFailure> {
        let is_silent = self.text.trim().is_empty() && calls.is_empty();
        let finish = match self.finish {
            Some(Finish::Calls) if calls.is_empty() => {
                return Err(ended(
                    endpoint,
                    "said that it asks for tools and named none",
                ));
            }
            Some(Finish::Done | Finish::Calls) if calls.len() > BATCH_CALLS_MAX => {
                return Err(too_many_calls(endpoint, calls.len()));
            }
            Some(Finish::Done | Finish::Calls) if !calls.is_empty() => Stop::Calls,
            Some(Finish::Done | Finish::Calls) => Stop::Done,
            Some(Finish::Length) if !calls.is_empty() || is_silent => {
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
            calls,
            usage: self.usage,
            extra,
            finish,
            refused: self.refused,
        })
    }
}

/// One protocol's reading of an answer.
pub(super) trait Turn: std::fmt::Debug + Send {
    /// Takes one event of a stream: its name, empty if it has none, and its data.
    fn event(
        &mut self,
        endpoint: &Endpoint,
        name: &str,
        data: &Value,
        deltas: &mut Vec<Delta>,
    ) -> Result<(), ModelFailure>;

    /// Takes an answer that came as one body.
    fn body(&mut self, endpoint: &Endpoint, body: &Value) -> Result<(), ModelFailure>;

    /// Whether the protocol has said that nothing follows.
    fn is_done(&self) -> bool;

    /// What the request has cost so far.
    fn usage(&self) -> Option<Usage>;

    /// Judges the answer, now that no more will come.
    fn complete(
        self: Box<Self>,
        endpoint: &Endpoint,
        aliases: &super::Aliases,
    ) -> Result<Completion, ModelFailure>;
}
