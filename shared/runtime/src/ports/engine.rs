//! The engine: one iteration of thinking, behind an opaque continuation [C.03–C.08].

use async_trait::async_trait;
use openeve_domain::ids::RunId;
use openeve_domain::manifest::Manifest;
use openeve_domain::run::begin_batch::CallRequest;
use openeve_domain::run::model_failed::ModelFailure;
use openeve_domain::transcript::Message;
use openeve_domain::usage::Usage;
use serde_json::Value;

use super::Observer;

/// What an engine is given for one iteration.
pub struct AdvanceInput<'a> {
    /// The run, for logs and live subscribers.
    pub run_id: RunId,
    /// The agent.
    pub manifest: &'a Manifest,
    /// Its own state after the last iteration; `None` on the first, or after a degrade.
    pub continuation: Option<&'a Value>,
    /// Everything said so far, already repaired.
    pub messages: &'a [Message<'a>],
    /// How long the iteration may take.
    pub budget_ms: u64,
    /// Who listens to tokens as they come.
    pub observer: &'a dyn Observer,
}

/// What one iteration came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Advanced {
    /// What is to happen next.
    pub advance: Advance,
    /// What it cost, also when it failed after costing something.
    pub usage: Option<Usage>,
}

/// What is to happen next.
#[derive(Debug, Clone, PartialEq)]
pub enum Advance {
    /// The turn has its answer.
    Message {
        /// What the model said.
        text: String,
        /// What the provider wants back verbatim; null if nothing.
        extra: Value,
        /// The engine's state afterwards.
        continuation: Value,
    },
    /// Tools are to run.
    ToolBatch {
        /// What the model said beside; may be empty.
        text: String,
        /// What the provider wants back verbatim; null if nothing.
        extra: Value,
        /// The calls, in order; at least one.
        calls: Vec<CallRequest>,
        /// The engine's state afterwards.
        continuation: Value,
    },
    /// The request failed; nothing was decided.
    Failed(ModelFailure),
}

/// An engine. It holds no state between calls: whatever it needs is in the continuation.
#[async_trait]
pub trait Engine: Send + Sync {
    /// Names the engine in every continuation it writes.
    fn name(&self) -> &'static str;

    /// The version of the continuations it writes; it reads all earlier ones.
    fn version(&self) -> u32;

    /// Thinks once. Dropping the future cancels the request; nothing is owed.
    async fn advance(&self, input: AdvanceInput<'_>) -> Advanced;
}
