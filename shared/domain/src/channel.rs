//! What a channel hands in, and what it is owed, in words no provider uses.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One inbound message or fire, verified and normalised. The run keeps it as its active event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChannelTurn {
    /// The channel's name: its file name under `channels/`, or `schedule`.
    pub channel: String,
    /// What the channel maps to a conversation; unique within the channel.
    pub conversation_key: String,
    /// What was said.
    pub text: String,
    /// Whose conversation it is, such as a workspace, for fairness between them. None: its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// Who said it, as the provider names them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sender: Option<String>,
    /// Where the reply goes; only the channel's own sender reads it.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub reply_target: Value,
}

/// The identity under which a provider may deliver the same turn again.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct IdempotencyKey {
    /// One of protocol section 7, such as `channel:message` or `schedule`.
    pub scope: String,
    /// Unique within the scope.
    pub key: String,
}

impl IdempotencyKey {
    /// The key of a provider's delivery id on one channel.
    pub fn channel(channel: &str, delivery_id: &str) -> Self {
        Self {
            scope: format!("channel:{channel}"),
            key: delivery_id.to_owned(),
        }
    }

    /// The key of one schedule occurrence.
    pub fn schedule(schedule: &str, occurrence: jiff::Timestamp) -> Self {
        Self {
            scope: "schedule".into(),
            key: format!("{schedule}:{occurrence}"),
        }
    }
}
