//! Somebody asked for the run to end: it ends at the next boundary, whatever it was doing.

use serde_json::json;

use super::{RunState, ended};
use crate::commit::Commit;
use crate::event::{self, Event};
use crate::ids::CommitId;
use crate::status::RunStatus;

/// Ends the run as cancelled. What had started and may have happened is said to be interrupted;
/// the rest is withdrawn, pauses included. No reply is owed.
pub fn cancel(state: &RunState, commit_id: CommitId) -> Commit {
    let mut commit = ended(state, commit_id, RunStatus::Cancelled);
    commit.events.push(Event::new(
        event::RUN_CANCELLED,
        json!({"steps": state.steps}),
    ));
    commit
}
