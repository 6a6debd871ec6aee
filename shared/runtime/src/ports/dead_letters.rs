//! Messages that a queue gave up: what is left of doorbells that nobody could answer.

use async_trait::async_trait;
use openeve_domain::bell::Place;

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

/// How the row that a doorbell names stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Need {
    /// It needs work and nobody does it.
    Now {
        /// Whose it is, for fairness.
        tenant: String,
    },
    /// Somebody works on it, something is ahead of it, or its time has not come. Whoever that is,
    /// or the tick, rings.
    Later,
    /// It ended, or waits for a person.
    Nothing,
    /// There is no such row of this agent.
    Unknown,
}

/// Looks at one row without taking it. A store of its own kind, since only letters ask this.
#[async_trait]
pub trait Needs: Send + Sync {
    /// How the row stands, by the store's own clock.
    async fn need(&self, agent_id: &str, at: Place) -> Result<Need, PortError>;
}
