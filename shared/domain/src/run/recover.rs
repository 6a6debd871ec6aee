//! A holder vanished: the recovery plan becomes one commit.

use serde_json::{Value, json};

use super::finish::{Obligation, complete};
use super::{RunState, failed};
use crate::commit::{CallChange, Commit};
use crate::event::{self, Event};
use crate::ids::{CommitId, ToolCallId};
use crate::recovery::{End, Plan, Survived, plan};
use crate::status::ToolCallStatus;
use crate::transcript::{EntryKind, INTERRUPTED_OUTPUT};

/// What a recovery claim leads to.
#[derive(Debug, Clone, PartialEq)]
pub struct Recovery {
    /// To be committed first.
    pub commit: Commit,
    /// Whether the run goes on afterwards.
    pub goes_on: bool,
    /// Whether the checkpoint is left aside.
    pub degraded: bool,
}

/// Decides what a recovery claim does. `obligation` is used only if an answer has none yet.
pub fn recover(state: &RunState, obligation: Obligation, commit_id: CommitId) -> Recovery {
    let plan = plan(Survived {
        calls: &state.calls,
        newest_entry: state.entries.last().map(|entry| entry.kind),
        has_checkpoint: state.checkpoint.is_some(),
        resumes: state.resumes,
        stalls: state.stalls,
        delivery: state.delivery,
    });
    let mut recovery = end(state, &plan, obligation, commit_id);
    // A commit that fails the run has settled every open call already.
    if recovery.commit.failure.is_none() {
        settle(state, &plan, &mut recovery.commit);
    }
    let claimed = Event::new(
        event::RUN_RECOVERY_CLAIMED,
        json!({"epoch": state.epoch, "stalls": state.stalls, "end": format!("{:?}", plan.end)}),
    );
    recovery.commit.events.insert(0, claimed);
    recovery
}

fn end(state: &RunState, plan: &Plan, obligation: Obligation, commit_id: CommitId) -> Recovery {
    let stop = |commit| Recovery {
        commit,
        goes_on: false,
        degraded: false,
    };
    // A recovery commit is no progress: a run that only ever crashes must reach its bound.
    let go_on = |degraded: bool, event: Option<Event>| {
        let mut commit = state.commit(commit_id);
        commit.progress = false;
        commit.resumed = plan.end == End::Resume;
        commit.model_failures = state.model_failures;
        commit.events.extend(event);
        Recovery {
            commit,
            goes_on: true,
            degraded,
        }
    };
    match plan.end {
        End::Complete => stop(complete(state, "", None, commit_id)),
        End::Deliver => {
            let answer = state
                .entries
                .iter()
                .rfind(|entry| entry.kind == EntryKind::Answer);
            let text = answer.map_or("", |entry| entry.text.as_str());
            let owed = state.delivery.is_none().then_some(obligation);
            stop(complete(state, text, owed, commit_id))
        }
        End::Begin => go_on(false, None),
        End::Resume => go_on(
            false,
            Some(Event::new(
                event::RUN_RECOVERY_RESUME_ATTEMPTED,
                json!({"attempt": state.resumes + 1, "seq": state.checkpoint.as_ref().map(|at| at.seq)}),
            )),
        ),
        End::Degrade => go_on(
            true,
            Some(Event::new(
                event::RESUME_DEGRADED,
                json!({"reason": "resumes_used_up"}),
            )),
        ),
        End::Stalled => stop(failed(
            state,
            commit_id,
            "stalled",
            format!(
                "the run crashed {} times in a row without progress; see the step function's log",
                state.stalls
            ),
        )),
        End::Fail => stop(failed(
            state,
            commit_id,
            "unrecoverable",
            "nothing usable survived the crash: no checkpoint and no answer".to_owned(),
        )),
    }
}

fn settle(state: &RunState, plan: &Plan, commit: &mut Commit) {
    let name = |id: ToolCallId| {
        state
            .calls
            .iter()
            .find(|call| call.id == id)
            .map_or("", |call| call.name.as_str())
    };
    for id in &plan.cancel {
        let result = json!({"cancelled": true});
        commit.events.push(Event::new(
            event::TOOL_CANCELLED,
            json!({"call": id, "tool": name(*id)}),
        ));
        commit
            .changes
            .push(change(*id, ToolCallStatus::Cancelled, result));
    }
    for id in &plan.interrupt {
        let result = serde_json::from_str(INTERRUPTED_OUTPUT).unwrap_or(Value::Null);
        commit.events.push(Event::new(
            event::TOOL_INTERRUPTED,
            json!({"call": id, "tool": name(*id)}),
        ));
        commit
            .changes
            .push(change(*id, ToolCallStatus::Interrupted, result));
    }
}

fn change(id: ToolCallId, status: ToolCallStatus, result: Value) -> CallChange {
    let model_output = result.to_string();
    CallChange {
        id,
        status,
        result,
        model_output,
    }
}
