//! What Postgres cannot store, and so neither does this store: the NUL character, in texts and in
//! JSON. It becomes U+FFFD.
//!
//! Models and tools may say anything; a character that no column takes must not keep a run from
//! ever being committed.

use openeve_domain::channel::ChannelTurn;
use openeve_domain::event::Event;
use openeve_domain::pause::{Decision, PauseRequest};

pub(crate) use openeve_domain::storable::{json, text};

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
