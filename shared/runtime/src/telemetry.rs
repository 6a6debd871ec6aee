//! Names of fields, spans and metrics, with their units, in one place.
//!
//! A log line is written once, where a failure is handled; its message is readable, its fields
//! are these. ERROR means a person must look. No field carries a secret or a message's body.

/// The run, as `run_…`.
pub const RUN_ID: &str = "run.id";
/// The conversation, as `conv_…`.
pub const CONVERSATION_ID: &str = "conversation.id";
/// The delivery, as `dlv_…`.
pub const DELIVERY_ID: &str = "delivery.id";
/// A stable code of a failure.
pub const ERROR_CODE: &str = "error.code";
/// The epoch of a claim.
pub const RUN_EPOCH: &str = "run.epoch";
