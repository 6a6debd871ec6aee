//! The ports: one trait a capability, each with the failure classes its caller acts on.

mod blobs;
mod clock;
mod dead_letters;
mod doorbell;
mod engine;
mod http;
mod observer;
mod sender;
mod store;
mod tools;

pub use blobs::{BlobId, Blobs};
pub use clock::{Clock, Ids};
pub use dead_letters::{DeadLetters, Letter, Need, Needs};
pub use doorbell::Doorbell;
pub use engine::{Advance, AdvanceInput, Advanced, Engine};
pub use http::{Body, HttpClient, HttpError, HttpRequest, HttpResponse};
pub use observer::{NoObserver, Observer};
pub use sender::{SendPlan, Sender};
pub use store::{
    Accepted, Cancelled, Claim, CommitAnswer, Due, Heartbeat, PausedCall, Pauses, Redriven,
    RunView, Store, StoredEvent, Swept,
};
pub use tools::{Gate, Invocation, ToolRunner};

use openeve_domain::retry::Class;

/// A port's failure: its class says what the caller should do, the message says to a person.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct PortError {
    /// What the caller should do.
    pub class: Class,
    /// A stable code with a page, such as `database_unreachable`.
    pub code: &'static str,
    /// What was wrong, where, and what to do. Holds no secret.
    pub message: String,
}

impl PortError {
    /// A failure that may pass.
    pub fn retry(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            class: Class::Retry { after_ms: None },
            code,
            message: message.into(),
        }
    }

    /// A failure that will repeat itself.
    pub fn refused(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            class: Class::Refused,
            code,
            message: message.into(),
        }
    }

    /// Something stored or received makes no sense.
    pub fn corrupt(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            class: Class::Corrupt,
            code,
            message: message.into(),
        }
    }
}
