//! Messages that a queue gave up: what is left of doorbells that nobody could answer.

use async_trait::async_trait;

use super::PortError;

/// One message that was given up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Letter {
    /// What it says. Nothing in it is trusted but the id of the row it names.
    pub body: String,
    /// Under which it can be deleted, for as long as nobody else is given it.
    pub receipt: String,
}

/// One queue of dead letters. Its messages are hints: losing one changes no outcome.
#[async_trait]
pub trait DeadLetters: Send + Sync {
    /// Takes at most `max` letters, for long enough to judge them; none means that there is none to
    /// be had now. A letter that is not deleted comes again later.
    async fn receive(&self, max: u64) -> Result<Vec<Letter>, PortError>;

    /// Deletes a letter. Idempotent.
    async fn delete(&self, receipt: &str) -> Result<(), PortError>;
}
