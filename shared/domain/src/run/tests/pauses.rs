//! Pauses: who is asked, what is skipped, and what a decision does to its call.

use super::*;
use crate::commit::Commit;
use crate::core_tools::{ASK_QUESTION, question};
use crate::pause::{Decision, PauseStatus};
use crate::run::cancel::cancel;
use crate::transcript::assemble;

use ToolCallStatus::{
    AwaitingApproval, Cancelled, Interrupted, Rejected, Requested, Skipped, Started, Succeeded,
};

/// A call of `ask_question` in place of the one at this position.
fn asking(mut batch: Batch, at: usize) -> Batch {
    let call = &mut batch.calls[at];
    call.request.name = ASK_QUESTION.into();
    call.sequential = true;
    call.gate = Some(question(&json!({"question": "Which?"})));
    batch
}

fn begun_with(batch: Batch) -> (RunState, Commit) {
    let mut state = claimed();
    let commit = begin_batch(&state, batch, COMMIT);
    state.apply(&commit);
    (state, commit)
}

/// Decides the newest pause of the call at this position, as the store would.
fn decide(state: &mut RunState, at: usize, decision: Option<Decision>) {
    let id = state.calls[at].id;
    let pause = state
        .pauses
        .iter_mut()
        .filter(|pause| pause.call_id == id)
        .max_by_key(|pause| pause.generation)
        .unwrap();
    pause.status = match decision {
        Some(_) => PauseStatus::Decided,
        None => PauseStatus::Expired,
    };
    pause.decision = decision;
}

/// What a step does with an open batch in which nothing runs.
fn resumed(state: &mut RunState) -> Commit {
    let Settled::Commit(commit) = settle_calls(state, Vec::new(), COMMIT) else {
        panic!("nothing moved");
    };
    state.apply(&commit);
    *commit
}

fn ends(state: &mut RunState, id: u128) {
    if let Settled::Commit(commit) = settle_calls(state, vec![outcome(id, json!("ok"))], COMMIT) {
        state.apply(&commit);
    }
}

fn asks(id: u128, prompt: &str) -> Outcome {
    let mut request = question(&json!({ "question": prompt }));
    request.options = Vec::new();
    Outcome {
        id: ToolCallId::new(Uuid::from_u128(id)),
        result: Ok(Returned::Pause(request)),
        emitted: Vec::new(),
    }
}

#[test]
fn a_gated_call_waits_and_releases_the_run() {
    let (state, commit) = begun_with(batch(&["gated"]));
    assert_eq!(commit.status, RunStatus::WaitingApproval);
    assert_eq!(commit.lease, Lease::Release { not_before_ms: 0 });
    assert_eq!(statuses(&state), [AwaitingApproval]);
    assert_eq!(
        (
            commit.pauses[0].generation,
            &commit.pauses[0].request.approvers
        ),
        (1, &vec!["requester".to_owned()])
    );
    assert!(kinds(&commit).contains(&event::PAUSE_REQUESTED));
}

#[test]
fn every_gated_call_of_a_batch_is_asked_for_at_once_and_decided_on_its_own() {
    // Public cases B2 and B6: approve A, reject B, C is nobody's business.
    let (mut state, commit) = begun_with(batch(&["gated", "gated", "look"]));
    assert_eq!(commit.pauses.len(), 2);
    assert_eq!(
        statuses(&state),
        [AwaitingApproval, AwaitingApproval, Requested]
    );
    decide(&mut state, 0, Some(Decision::Approve));
    let reason = "too much".to_owned();
    decide(&mut state, 1, Some(Decision::Reject { reason }));
    resumed(&mut state);
    assert_eq!(statuses(&state), [Started, AwaitingApproval, Requested]);
    ends(&mut state, 10);
    assert_eq!(statuses(&state), [Succeeded, Rejected, Started]);
    ends(&mut state, 12);
    assert_eq!(statuses(&state), [Succeeded, Rejected, Succeeded]);
    let messages = assemble(&state.history, &state.entries, &state.calls);
    assert_eq!(messages.len(), 5, "the batch and one result for each call");
    let told: Value = serde_json::from_str(&state.calls[1].model_output).unwrap();
    assert_eq!(told, json!({"rejected": true, "reason": "too much"}));
}

#[test]
fn calls_before_a_gate_run_before_anybody_is_asked() {
    let (mut state, commit) = begun_with(batch(&["act", "gated"]));
    assert!(commit.pauses.is_empty());
    assert_eq!(statuses(&state), [Started, Requested]);
    ends(&mut state, 10);
    assert_eq!(statuses(&state), [Succeeded, AwaitingApproval]);
    assert_eq!(state.status, RunStatus::WaitingApproval);
}

#[test]
fn sequential_calls_behind_a_pause_are_skipped_with_an_explicit_result() {
    let (mut state, _) = begun_with(asking(batch(&["look", "alone", "gated", "look"]), 0));
    assert_eq!(
        statuses(&state),
        [AwaitingApproval, Skipped, Skipped, Requested]
    );
    assert_eq!(state.status, RunStatus::WaitingInput);
    assert_eq!(state.calls[1].model_output, r#"{"skipped":true}"#);
    decide(&mut state, 0, Some(Decision::Answer { text: "a".into() }));
    resumed(&mut state);
    assert_eq!(statuses(&state), [Succeeded, Skipped, Skipped, Started]);
    assert_eq!(state.calls[0].model_output, r#"{"answer":"a"}"#);
}

#[test]
fn a_question_behind_a_gate_is_skipped() {
    let (state, _) = begun_with(asking(batch(&["gated", "look", "gated"]), 1));
    assert_eq!(
        statuses(&state),
        [AwaitingApproval, Skipped, AwaitingApproval]
    );
}

#[test]
fn a_question_from_inside_a_parallel_batch_waits_for_the_others_and_no_model_is_asked() {
    let (mut state, _) = begun_with(batch(&["act", "act"]));
    let Settled::Commit(commit) = settle_calls(&mut state, vec![asks(10, "Sure?")], COMMIT) else {
        panic!("durable")
    };
    state.apply(&commit);
    assert_eq!(commit.status, RunStatus::Running, "the other still runs");
    assert_eq!(statuses(&state), [AwaitingApproval, Started]);
    let Settled::Commit(commit) = settle_calls(&mut state, vec![outcome(11, json!(1))], COMMIT)
    else {
        panic!("durable")
    };
    assert_eq!(commit.status, RunStatus::WaitingInput);
    assert!(matches!(commit.lease, Lease::Release { .. }));
}

#[test]
fn two_questions_of_one_batch_get_each_its_own_answer_and_go_on_together() {
    let (mut state, _) = begun_with(batch(&["act", "act"]));
    let outcomes = vec![asks(10, "A?"), asks(11, "B?")];
    let Settled::Commit(commit) = settle_calls(&mut state, outcomes, COMMIT) else {
        panic!("durable")
    };
    state.apply(&commit);
    assert_eq!(commit.status, RunStatus::WaitingInput);
    for (at, text) in ["a", "b"].into_iter().enumerate() {
        decide(&mut state, at, Some(Decision::Answer { text: text.into() }));
    }
    resumed(&mut state);
    assert_eq!(statuses(&state), [Started, Started]);
    let answers = [0, 1].map(|at| state.answers(state.calls[at].id));
    assert_eq!(answers, [["a"], ["b"]]);
}

#[test]
fn the_second_question_of_a_call_is_asked_under_the_next_generation() {
    // Public case B4.
    let (mut state, _) = begun_with(batch(&["act"]));
    for (round, text) in ["a", "b"].into_iter().enumerate() {
        let Settled::Commit(commit) = settle_calls(&mut state, vec![asks(10, "?")], COMMIT) else {
            panic!("durable")
        };
        state.apply(&commit);
        assert_eq!(
            commit.pauses[0].generation,
            u32::try_from(round).unwrap() + 1
        );
        assert_eq!(commit.status, RunStatus::WaitingInput);
        decide(&mut state, 0, Some(Decision::Answer { text: text.into() }));
        resumed(&mut state);
    }
    assert_eq!(state.answers(state.calls[0].id), ["a", "b"]);
    ends(&mut state, 10);
    assert_eq!(statuses(&state), [Succeeded]);
}

#[test]
fn an_approved_call_starts_under_the_generation_that_was_approved() {
    let (mut state, _) = begun_with(batch(&["gated"]));
    decide(&mut state, 0, Some(Decision::Approve));
    let commit = resumed(&mut state);
    let started = commit
        .events
        .iter()
        .find(|event| event.kind == event::TOOL_STARTED)
        .unwrap();
    assert_eq!(started.payload["generation"], 1);
}

#[test]
fn a_pause_nobody_answers_is_resolved_as_expired() {
    let (mut state, _) = begun_with(batch(&["gated"]));
    decide(&mut state, 0, None);
    resumed(&mut state);
    assert_eq!(statuses(&state), [Cancelled]);
    assert_eq!(state.calls[0].model_output, r#"{"expired":true}"#);
}

#[test]
fn a_call_that_was_rejected_before_is_rejected_without_asking_again() {
    // Public case B8.
    let (mut state, _) = begun_with(batch(&["gated"]));
    let reason = String::new();
    decide(&mut state, 0, Some(Decision::Reject { reason }));
    resumed(&mut state);
    let mut again = batch(&["gated", "gated"]);
    again.calls[0].id = ToolCallId::new(Uuid::from_u128(20));
    again.calls[1].id = ToolCallId::new(Uuid::from_u128(21));
    again.calls[1].request.arguments = r#"{"other":1}"#.into();
    let commit = begin_batch(&state, again, COMMIT);
    state.apply(&commit);
    assert_eq!(statuses(&state), [Rejected, Rejected, AwaitingApproval]);
    assert_eq!(commit.pauses.len(), 1, "other arguments are another call");
}

#[test]
fn recovery_leaves_a_waiting_call_alone_and_an_approved_one_still_runs() {
    let (mut state, _) = begun_with(batch(&["gated", "alone"]));
    decide(&mut state, 0, Some(Decision::Approve));
    (state.status, state.recovery, state.stalls) = (RunStatus::Running, true, 1);
    let recovery = recover(&state, obligation(false), COMMIT);
    state.apply(&recovery.commit);
    assert_eq!(statuses(&state), [AwaitingApproval, Skipped]);
    assert!(recovery.goes_on && state.has_open_batch());
    resumed(&mut state);
    assert_eq!(statuses(&state), [Started, Skipped]);
}

#[test]
fn a_cancelled_run_leaves_no_call_open_and_owes_nothing() {
    let (mut state, _) = begun_with(batch(&["gated"]));
    let commit = cancel(&state, COMMIT);
    assert_eq!(
        (commit.status, commit.delivery.is_none()),
        (RunStatus::Cancelled, true)
    );
    state.apply(&commit);
    assert_eq!(statuses(&state), [Cancelled]);
    let mut running = begun(&["alone", "look"]);
    let commit = cancel(&running, COMMIT);
    running.apply(&commit);
    assert_eq!(statuses(&running), [Interrupted, Cancelled]);
}

#[test]
fn an_answer_that_comes_after_its_call_was_settled_changes_nothing() {
    let (mut state, _) = begun_with(batch(&["act"]));
    ends(&mut state, 10);
    assert_eq!(
        settle_calls(&mut state, vec![asks(10, "late?")], COMMIT),
        Settled::Unsaved
    );
    assert_eq!(statuses(&state), [Succeeded]);
}
