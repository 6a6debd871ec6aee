//! Running an authored tool.

use async_trait::async_trait;
use openeve_domain::ids::{ConversationId, RunId, ToolCallId};
use openeve_domain::manifest::ToolSpec;
use openeve_domain::run::settle_calls::Outcome;
use serde_json::Value;

/// One call to run.
#[derive(Debug, Clone)]
pub struct Invocation<'a> {
    /// The run.
    pub run_id: RunId,
    /// Its conversation.
    pub conversation_id: ConversationId,
    /// The call; `ctx.idempotencyKey(label)` derives from it.
    pub call_id: ToolCallId,
    /// The tool.
    pub tool: &'a ToolSpec,
    /// The arguments, parsed.
    pub input: Value,
    /// Wall time, in milliseconds.
    pub timeout_ms: u64,
    /// What was answered to this call's earlier questions, in order. The n-th `ctx.askQuestion`
    /// returns the n-th answer; the first without one pauses the call.
    pub answers: Vec<String>,
}

/// What a tool's own predicate says about one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Gate {
    /// The call may run.
    Open,
    /// A person must approve it first, for this reason if the predicate gave one.
    Ask {
        /// Why.
        reason: Option<String>,
    },
}

/// Runs tools. A tool that throws, loops for ever, allocates without end or returns something
/// that is not JSON gives an error outcome and harms nothing else.
#[async_trait]
pub trait ToolRunner: Send + Sync {
    /// Runs one call to its outcome or its next pause; never fails otherwise. Calls may run side
    /// by side. A call that paused is run again from its start, with one more answer.
    async fn run(&self, invocation: Invocation<'_>) -> Outcome;

    /// Asks the tool's `needsApproval` function about one call. The answer is stored, so it is
    /// asked once for each call. An error is treated as a closed gate, with the error as reason.
    async fn gate(&self, invocation: Invocation<'_>) -> Result<Gate, String>;
}
