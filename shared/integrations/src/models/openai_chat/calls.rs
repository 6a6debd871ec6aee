//! Puts the pieces of tool calls together.
//!
//! The protocol keys pieces by `index`, but servers send index 0, or none, for all parallel calls
//! (public case A5): a new id is a new call whatever its index says, and a piece without an id
//! belongs to the newest call of its index.

use openeve_domain::run::begin_batch::CallRequest;
use serde_json::Value;

use crate::models::Aliases;

/// The calls of one answer so far.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    calls: Vec<Call>,
}

#[derive(Debug, Default)]
struct Call {
    id: String,
    index: Option<u64>,
    name: String,
    arguments: String,
}

impl Gathered {
    /// Takes one piece of a stream and returns how many bytes it holds.
    pub(super) fn merge(&mut self, piece: &Value) -> usize {
        let piece = read(piece);
        let bytes = piece.id.len() + piece.name.len() + piece.arguments.len();
        let Some(call) = self.position(&piece).and_then(|at| self.calls.get_mut(at)) else {
            self.calls.push(piece);
            return bytes;
        };
        if call.id.is_empty() {
            call.id = piece.id;
        }
        if call.name.is_empty() {
            call.name = piece.name;
        }
        call.arguments.push_str(&piece.arguments);
        bytes
    }

    /// Takes one whole call of an answer that did not stream.
    pub(super) fn push(&mut self, call: &Value) {
        self.calls.push(read(call));
    }

    /// The calls, in the order they began. Blank arguments are an empty object (public case A1);
    /// others stay as the model wrote them, also when they are not JSON. A call without an id gets
    /// its position as one.
    pub(super) fn finish(self, aliases: &Aliases) -> Vec<CallRequest> {
        let request = |(at, call): (usize, Call)| CallRequest {
            provider_call_id: if call.id.is_empty() {
                format!("call_{at}")
            } else {
                call.id
            },
            name: aliases.name(&call.name).to_owned(),
            arguments: if call.arguments.trim().is_empty() {
                "{}".into()
            } else {
                call.arguments
            },
        };
        self.calls.into_iter().enumerate().map(request).collect()
    }

    fn position(&self, piece: &Call) -> Option<usize> {
        if piece.id.is_empty() {
            self.without_id(piece)
        } else {
            self.with_id(piece)
        }
    }

    fn with_id(&self, piece: &Call) -> Option<usize> {
        let same_id = |call: &Call| {
            let indices_differ =
                call.index.is_some() && piece.index.is_some() && call.index != piece.index;
            call.id == piece.id && !indices_differ
        };
        // An id that comes after the call's first piece belongs to that call.
        let late_id =
            |call: &Call| piece.name.is_empty() && call.id.is_empty() && call.index == piece.index;
        self.calls
            .iter()
            .rposition(same_id)
            .or_else(|| self.calls.iter().rposition(late_id))
    }

    fn without_id(&self, piece: &Call) -> Option<usize> {
        let newest = self.calls.len().checked_sub(1);
        let at = match piece.index {
            Some(_) => self
                .calls
                .iter()
                .rposition(|call| call.index == piece.index),
            None => newest,
        };
        match at {
            Some(at)
                if self
                    .calls
                    .get(at)
                    .is_some_and(|call| begins_another(call, piece)) =>
            {
                None
            }
            Some(at) => Some(at),
            // Arguments alone cannot begin a call.
            None if piece.name.is_empty() => newest,
            None => None,
        }
    }
}

/// Whether a named piece without an id is a new call and not a server repeating the name.
fn begins_another(call: &Call, piece: &Call) -> bool {
    if piece.name.is_empty() || call.name.is_empty() {
        return false;
    }
    let is_complete = || serde_json::from_str::<serde::de::IgnoredAny>(&call.arguments).is_ok();
    piece.name != call.name || (!piece.arguments.trim().is_empty() && is_complete())
}

fn read(piece: &Value) -> Call {
    let text = |pointer: &str| {
        piece
            .pointer(pointer)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let arguments = match piece.pointer("/function/arguments") {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        // Some servers send the object itself.
        Some(value) => value.to_string(),
    };
    Call {
        id: text("/id"),
        index: piece.get("index").and_then(Value::as_u64),
        name: text("/function/name"),
        arguments,
    }
}
