//! The plain HTTP channel: a message comes in as JSON or text, the reply leaves as a webhook.
//!
//! In: `POST` with `{"message": "…", "conversation"?, "sender"?, "id"?}`, or with a text body.
//! The delivery id, under which the caller may safely send the same message again, is the
//! `Idempotency-Key` header, else the `webhook-id` header, else `id`. Fields that nobody knows are
//! refused: a misspelt `conversation` would otherwise begin a new one without a word.
//!
//! Out: a request in the form of Standard Webhooks, with the delivery's id as `webhook-id`, so that
//! the receiver can drop a repeat.

mod bearer;
mod inbound;
mod reply;

pub use bearer::check_bearer;
pub use inbound::{Inbound, InboundError, parse};
pub use reply::{ReplyRequest, SignError, classify_reply, render_reply, sign};

#[cfg(test)]
mod tests;
