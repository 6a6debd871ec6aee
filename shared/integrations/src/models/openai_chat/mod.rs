//! OpenAI Chat Completions, streaming: the protocol of OpenAI and of all who imitate it.
//!
//! [`build_request`] renders a request, [`Decoder`] reads the answer whether it streams or comes
//! as one body, [`classify_error`] reads a refusal. What imitators do differently is handled here:
//! call ids that repeat, indices that are all zero, usage in odd places, errors inside a stream
//! that began with 200, streams without `[DONE]`, reasoning under three names.
//!
//! A request is deterministic: the same transcript gives the same bytes, which is what makes a
//! provider's prompt cache work.

mod calls;
mod error;
mod failures;
mod names;
mod reasoning;
mod request;
mod response;
mod turn;
mod usage;

pub use error::classify_error;
pub use names::Aliases;
pub use request::{ChatConfig, ChatRequest, PATH, build_request};
pub use response::Decoder;
pub use turn::{Completion, Delta, Stop};

#[cfg(test)]
mod tests;
