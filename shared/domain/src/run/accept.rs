//! A turn was verified and normalised: everything its run begins with.

use serde_json::json;

use crate::channel::{ChannelTurn, IdempotencyKey};
use crate::commit::{Accept, Occurrence};
use crate::event::{self, Event};
use crate::ids::{ConversationId, RunId};
use crate::limits::MESSAGE_BYTES_MAX;
use crate::manifest::Manifest;

/// A turn that is not accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AcceptError {
    /// Nothing was said.
    #[error("the message is empty; send a text")]
    Empty,
    /// Too much was said.
    #[error("the message has {bytes} bytes; at most {max} are accepted, send the rest as a file")]
    TooLarge {
        /// Its size.
        bytes: usize,
        /// The bound.
        max: usize,
    },
}

/// What a turn arrives with.
#[derive(Debug, Clone)]
pub struct Arrival {
    /// The turn.
    pub turn: ChannelTurn,
    /// Under which it may come again.
    pub idempotency: IdempotencyKey,
    /// How long that key is kept.
    pub idempotency_ttl_hours: u64,
    /// `message` or `schedule`.
    pub trigger: &'static str,
    /// W3C trace context of the request.
    pub trace_parent: Option<String>,
    /// The schedule's occurrence, if it is one.
    pub occurrence: Option<Occurrence>,
}

/// Decides whether a turn becomes a run, and with what.
pub fn accept(
    manifest: &Manifest,
    arrival: Arrival,
    run_id: RunId,
    conversation_id: ConversationId,
) -> Result<Accept, AcceptError> {
    let bytes = arrival.turn.text.len();
    if arrival.turn.text.trim().is_empty() {
        return Err(AcceptError::Empty);
    }
    if bytes > MESSAGE_BYTES_MAX {
        return Err(AcceptError::TooLarge {
            bytes,
            max: MESSAGE_BYTES_MAX,
        });
    }
    let payload = json!({
        "channel": arrival.turn.channel,
        "trigger": arrival.trigger,
        "agent_revision": manifest.revision,
        "bytes": bytes,
    });
    let may_answer = arrival.trigger == "message";
    Ok(Accept {
        run_id,
        may_answer,
        conversation_id,
        agent_id: manifest.agent.id.clone(),
        agent_revision: manifest.revision.clone(),
        trigger: arrival.trigger,
        turn: arrival.turn,
        // Agents may share a database; a delivery id is unique for one of them.
        idempotency: IdempotencyKey {
            key: format!("{}:{}", manifest.agent.id, arrival.idempotency.key),
            ..arrival.idempotency
        },
        idempotency_ttl_hours: arrival.idempotency_ttl_hours,
        events: vec![Event::new(event::RUN_CREATED, payload)],
        trace_parent: arrival.trace_parent,
        occurrence: arrival.occurrence,
    })
}
