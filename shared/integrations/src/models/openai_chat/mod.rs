//! OpenAI Chat Completions, streaming: the protocol of OpenAI and of all who imitate it.
//!
//! [`build`] renders a request, [`ChatTurn`] reads the answer whether it streams or comes as one body.
//! What imitators do differently is handled here: call ids that repeat, indices that are all zero,
//! usage in odd places, errors inside a stream that began with 200, streams without `[DONE]`, reasoning
//! under three names.
//!
//! A request is deterministic: the same transcript gives the same bytes, which is what makes a
//! provider's prompt cache work.

mod calls;
mod reasoning;
mod request;
mod turn;
mod usage;

pub(super) use request::build;
pub(super) use turn::ChatTurn;

#[cfg(test)]
mod tests;
