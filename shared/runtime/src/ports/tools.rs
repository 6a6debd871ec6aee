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
}

/// Runs tools. A tool that throws, loops for ever, allocates without end or returns something
/// that is not JSON gives an error outcome and harms nothing else.
#[async_trait]
pub trait ToolRunner: Send + Sync {
    /// Runs one call to its outcome; never fails otherwise. Calls may run side by side.
    async fn run(&self, invocation: Invocation<'_>) -> Outcome;
}
