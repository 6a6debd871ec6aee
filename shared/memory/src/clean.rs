//! What Postgres cannot store, and so neither does this store: the NUL character, in texts and in
//! JSON. It becomes U+FFFD.
//!
//! Models and tools may say anything; a character that no column takes must not keep a run from
//! ever being committed.

use openeve_domain::channel::ChannelTurn;
use openeve_domain::event::Event;
use openeve_domain::pause::{Decision, PauseRequest};
use serde_json::{Map, Value};

/// What stands for a NUL.
const REPLACEMENT: &str = "\u{fffd}";

/// A text that a column takes.
pub(crate) fn text(text: &str) -> String {
    if text.contains('\0') {
        text.replace('\0', REPLACEMENT)
    } else {
        text.to_owned()
    }
}

/// A JSON value that a column takes, keys included.
pub(crate) fn json(value: &Value) -> Value {
    match value {
        Value::String(one) => Value::String(text(one)),
        Value::Array(items) => Value::Array(items.iter().map(json).collect()),
        Value::Object(fields) => {
            let clean = fields.iter().map(|(key, value)| (text(key), json(value)));
            Value::Object(clean.collect::<Map<_, _>>())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// A turn, its text included.
pub(crate) fn turn(turn: &ChannelTurn) -> ChannelTurn {
    ChannelTurn {
        channel: text(&turn.channel),
        conversation_key: text(&turn.conversation_key),
        text: text(&turn.text),
        tenant: turn.tenant.as_deref().map(text),
        sender: turn.sender.as_deref().map(text),
        reply_target: json(&turn.reply_target),
    }
}

/// What happened.
pub(crate) fn event(event: &Event) -> Event {
    Event {
        kind: text(&event.kind),
        payload: json(&event.payload),
    }
}

/// What a person is asked.
pub(crate) fn request(request: &PauseRequest) -> PauseRequest {
    PauseRequest {
        kind: request.kind,
        prompt: text(&request.prompt),
        options: request.options.iter().map(|one| text(one)).collect(),
        approvers: request.approvers.iter().map(|one| text(one)).collect(),
        url: request.url.as_deref().map(text),
    }
}

/// What a person decided.
pub(crate) fn decision(decision: &Decision) -> Decision {
    match decision {
        Decision::Approve => Decision::Approve,
        Decision::Authorize => Decision::Authorize,
        Decision::Reject { reason } => Decision::Reject {
            reason: text(reason),
        },
        Decision::Answer { text: said } => Decision::Answer { text: text(said) },
    }
}
