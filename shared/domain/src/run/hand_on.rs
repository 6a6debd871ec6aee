//! The step's time is up: the run is released, and its own bell is rung.

use serde_json::json;

use super::{RunState, failed};
use crate::budget::Spent;
use crate::commit::{Commit, Lease};
use crate::event::{self, Event};
use crate::ids::CommitId;

/// Releases the run for the next step, or ends it when its steps are used up.
pub fn hand_on(state: &RunState, spent: Spent, steps_max: u64, commit_id: CommitId) -> Commit {
    if state.steps >= steps_max {
        return failed(
            state,
            commit_id,
            "max_steps",
            format!("the run used up its {steps_max} steps without an answer"),
        );
    }
    let mut commit = state.commit(commit_id);
    commit.lease = Lease::Release { not_before_ms: 0 };
    commit.model_failures = state.model_failures;
    let reason = match spent {
        Spent::Slice => "slice",
        Spent::Deadline => "deadline",
        Spent::Draining => "draining",
    };
    commit.events.push(Event::new(
        event::RUN_CHAINED,
        json!({"reason": reason, "step": state.steps}),
    ));
    commit
}
