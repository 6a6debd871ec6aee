//! Events of a run: what happened, in order, densely numbered by the store.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One durable event before the store numbers it. The payload is at most
/// [`EVENT_BYTES_MAX`](crate::limits::EVENT_BYTES_MAX) bytes and holds no secret.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// One of the names below, or what an authored tool emitted.
    pub kind: String,
    /// What else there is to know.
    pub payload: Value,
}

impl Event {
    /// An event of one kind.
    pub fn new(kind: &str, payload: Value) -> Self {
        Self {
            kind: kind.to_owned(),
            payload,
        }
    }
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $text:literal;)+) => {
        $($(#[$doc])* pub const $name: &str = $text;)+
        /// Every kind the framework itself records; an authored tool may not emit these.
        pub const FRAMEWORK_KINDS: &[&str] = &[$($text,)+];
    };
}

kinds! {
    /// The turn was accepted and its run persisted.
    RUN_CREATED = "run.created";
    /// The run ended with an answer.
    RUN_COMPLETED = "run.completed";
    /// The run ended without one; the payload names the reason.
    RUN_FAILED = "run.failed";
    /// The run was ended by request.
    RUN_CANCELLED = "run.cancelled";
    /// Somebody asked for the run to end; its step does it at the next boundary.
    RUN_CANCEL_REQUESTED = "run.cancel_requested";
    /// A failed run was begun again as another one.
    RUN_REDRIVEN = "run.redriven";
    /// This build cannot read the run; it is left for another, or for the operator.
    RUN_BLOCKED = "run.blocked";
    /// The run waits for a person.
    RUN_WAITING = "run.waiting";
    /// The run was handed to the next step.
    RUN_CHAINED = "run.chained";
    /// The run waits because a provider asked it to.
    RUN_PARKED = "run.parked";
    /// A step claimed a run whose previous holder had not released it.
    RUN_RECOVERY_CLAIMED = "run.recovery_claimed";
    /// Recovery resumes from the newest checkpoint.
    RUN_RECOVERY_RESUME_ATTEMPTED = "run.recovery_resume_attempted";
    /// A checkpoint could not be used; the run went on without it.
    RESUME_DEGRADED = "harness.resume_degraded";
    /// The model answered.
    MODEL_RESPONDED = "model.responded";
    /// A model request failed and will be tried again.
    MODEL_RETRYING = "model.retrying";
    /// A call's intent was committed; its tool may run now.
    TOOL_STARTED = "tool.execution_started";
    /// A call returned a result.
    TOOL_SUCCEEDED = "tool.execution_succeeded";
    /// A call returned an error result.
    TOOL_FAILED = "tool.execution_failed";
    /// A crash fell between start and outcome.
    TOOL_INTERRUPTED = "tool.execution_interrupted";
    /// A call was withdrawn before it started.
    TOOL_CANCELLED = "tool.cancelled";
    /// A call was not run because the batch paused before it.
    TOOL_SKIPPED = "tool.skipped";
    /// A person said no, or had said no to the same call before.
    TOOL_REJECTED = "tool.rejected";
    /// A call waits for a person.
    PAUSE_REQUESTED = "pause.requested";
    /// A person decided.
    PAUSE_DECIDED = "pause.decided";
    /// Nobody decided in time.
    PAUSE_EXPIRED = "pause.expired";
    /// The reply is owed.
    DELIVERY_CREATED = "delivery.created";
    /// The channel took the reply.
    DELIVERY_SENT = "delivery.sent";
    /// The first send failed and will be tried again later.
    DELIVERY_DEFERRED = "delivery.deferred";
    /// A later send failed and will be tried again later.
    DELIVERY_RETRYING = "delivery.retrying";
    /// A delivery that was given up is owed again.
    DELIVERY_REDRIVEN = "delivery.redriven";
    /// Silence was intended.
    DELIVERY_SUPPRESSED = "delivery.suppressed";
    /// The reply was given up.
    DELIVERY_FAILED = "delivery.failed";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn framework_kinds_are_unique() {
        let mut kinds = FRAMEWORK_KINDS.to_vec();
        kinds.sort_unstable();
        kinds.dedup();
        assert_eq!(kinds.len(), FRAMEWORK_KINDS.len());
    }
}
