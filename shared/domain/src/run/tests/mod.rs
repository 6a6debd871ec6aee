//! Each transition on its own, and the table of the module's header.

use serde_json::{Value, json};
use uuid::Uuid;

use super::accept::{AcceptError, Arrival, accept};
use super::begin_batch::{Batch, CallRequest, PlannedCall, begin_batch};
use super::finish::{Answer, Obligation, final_key, finish};
use super::hand_on::hand_on;
use super::model_failed::{ModelFailure, Reaction, model_failed};
use super::recover::recover;
use super::settle_calls::{Outcome, Returned, Settled, ToolOutput, settle_calls};
use super::*;
use crate::budget::Spent;
use crate::channel::IdempotencyKey;
use crate::commit::UsageRecord;
use crate::ids::{DeliveryId, LeaseToken, ToolCallId};
use crate::limits::{
    MESSAGE_BYTES_MAX, RUN_STEPS_MAX, TOOL_OUTPUT_BYTES_MAX, TOOL_RESULT_BYTES_MAX,
};
use crate::manifest::{
    AgentSpec, DynamicConnections, DynamicSchedules, Execution, Manifest, ModuleRef, Reasoning,
    SelfImprovement, ToolSpec,
};
use crate::pause::{PauseKind, PauseRequest};
use crate::retry::Class;
use crate::status::SideEffects;

mod bounds;
mod pauses;

const COMMIT: CommitId = CommitId::new(Uuid::from_u128(99));

fn manifest() -> Manifest {
    let tool = |name: &str, side_effects, execution| ToolSpec {
        name: name.into(),
        description: String::new(),
        input_schema: json!({"type": "object"}),
        side_effects,
        execution,
        timeout_ms: None,
        approval: None,
        module: ModuleRef {
            path: String::new(),
            sha256: String::new(),
        },
        source: String::new(),
    };
    Manifest {
        format: 1,
        revision: "r1".into(),
        agent: AgentSpec {
            id: "a".into(),
            model: "p/m".into(),
            reasoning: Reasoning::default(),
            description: None,
            default_tools: Vec::new(),
            context: None,
            self_improvement: SelfImprovement::default(),
            dynamic_schedules: DynamicSchedules::default(),
            dynamic_connections: DynamicConnections::default(),
        },
        instructions: String::new(),
        gateway: std::collections::BTreeMap::new(),
        tools: vec![
            tool("look", SideEffects::None, Execution::Parallel),
            tool("act", SideEffects::Unsafe, Execution::Parallel),
            tool("alone", SideEffects::Unsafe, Execution::Sequential),
            tool("gated", SideEffects::Unsafe, Execution::Parallel),
        ],
        capabilities: std::collections::BTreeMap::new(),
        channels: Vec::new(),
        schedules: Vec::new(),
        skills: Vec::new(),
        parts: Vec::new(),
        subagents: Vec::new(),
        env: Vec::new(),
        sources: std::collections::BTreeMap::new(),
        versions: std::collections::BTreeMap::new(),
        validation: Vec::new(),
    }
}

fn approval(prompt: &str) -> PauseRequest {
    PauseRequest {
        kind: PauseKind::Approval,
        prompt: prompt.into(),
        options: Vec::new(),
        approvers: Vec::new(),
        url: None,
    }
}

fn turn(text: &str) -> ChannelTurn {
    ChannelTurn {
        channel: "message".into(),
        conversation_key: "c".into(),
        text: text.into(),
        tenant: None,
        sender: None,
        reply_target: json!({"to": "there"}),
    }
}

fn claimed() -> RunState {
    RunState {
        run_id: RunId::new(Uuid::from_u128(1)),
        epoch: 3,
        conversation_id: ConversationId::new(Uuid::from_u128(2)),
        agent_revision: "r1".into(),
        turn: turn("go"),
        status: RunStatus::Running,
        commits: 0,
        steps: 1,
        stalls: 0,
        resumes: 0,
        model_failures: 0,
        recovery: false,
        usage: Usage::default(),
        tree_usage: Usage::default(),
        wall_ms: 0,
        cancel_requested: false,
        pause_ttl_ms: crate::limits::PAUSE_TTL_MS,
        tenant: "t".into(),
        history: Vec::new(),
        entries: vec![Entry {
            seq: 0,
            kind: EntryKind::User,
            text: "go".into(),
            extra: Value::Null,
        }],
        calls: Vec::new(),
        pauses: Vec::new(),
        checkpoint: None,
        delivery: None,
        trace_parent: None,
        unsaved: Unsaved::default(),
    }
}

fn checkpoint(seq: u32) -> Continuation {
    Continuation {
        v: 1,
        engine: "e".into(),
        engine_version: 1,
        seq,
        agent_revision: "r1".into(),
        surface: String::new(),
        body: Value::Null,
    }
}

fn batch(names: &[&str]) -> Batch {
    let calls = names.iter().zip(10_u128..).map(|(name, id)| {
        let request = CallRequest {
            provider_call_id: format!("c{id}"),
            name: (*name).into(),
            arguments: "{}".into(),
        };
        let manifest = manifest();
        let tool = manifest.tool(name);
        let gate = (*name == "gated").then(|| approval("why"));
        PlannedCall {
            id: ToolCallId::new(Uuid::from_u128(id)),
            request,
            side_effects: tool.map_or(SideEffects::None, |tool| tool.side_effects),
            sequential: gate.is_some()
                || tool.is_some_and(|tool| tool.execution == Execution::Sequential),
            gate,
        }
    });
    let usage = Usage {
        input_tokens: 5,
        output_tokens: 1,
        ..Usage::default()
    };
    Batch {
        text: String::new(),
        extra: Value::Null,
        calls: calls.collect(),
        checkpoint: checkpoint(1),
        usage: Some(UsageRecord {
            model: "p/m".into(),
            usage,
        }),
    }
}

fn begun(names: &[&str]) -> RunState {
    let mut state = claimed();
    let commit = begin_batch(&state, batch(names), COMMIT);
    state.apply(&commit);
    state
}

fn outcome(id: u128, result: Value) -> Outcome {
    Outcome {
        id: ToolCallId::new(Uuid::from_u128(id)),
        result: Ok(Returned::Output(ToolOutput {
            result,
            model_output: None,
        })),
        emitted: Vec::new(),
    }
}

fn obligation(inline: bool) -> Obligation {
    let leased_by = inline.then(|| LeaseToken::new(Uuid::from_u128(8)));
    Obligation {
        id: DeliveryId::new(Uuid::from_u128(7)),
        leased_by,
        lease_ms: 60_000,
    }
}

fn kinds(commit: &Commit) -> Vec<&str> {
    commit
        .events
        .iter()
        .map(|event| event.kind.as_str())
        .collect()
}

fn statuses(state: &RunState) -> Vec<ToolCallStatus> {
    state.calls.iter().map(|call| call.status).collect()
}

#[test]
fn an_arrival_without_words_or_with_too_many_is_not_accepted() {
    let arrive = |text: &str| {
        let arrival = Arrival {
            turn: turn(text),
            idempotency: IdempotencyKey::channel("message", "1"),
            idempotency_ttl_hours: 48,
            trigger: "message",
            trace_parent: None,
            occurrence: None,
        };
        let ids = (
            RunId::new(Uuid::from_u128(1)),
            ConversationId::new(Uuid::from_u128(2)),
        );
        accept(&manifest(), arrival, ids.0, ids.1)
    };
    assert_eq!(arrive(" \n").unwrap_err(), AcceptError::Empty);
    assert!(matches!(
        arrive(&"x".repeat(MESSAGE_BYTES_MAX + 1)),
        Err(AcceptError::TooLarge { .. })
    ));
    let accepted = arrive("go").unwrap();
    assert_eq!(
        (accepted.agent_revision.as_str(), accepted.events.len()),
        ("r1", 1)
    );
}

#[test]
fn a_parallel_batch_starts_every_call_and_a_sequential_one_only_the_first() {
    use ToolCallStatus::{Requested, Started};
    assert_eq!(statuses(&begun(&["act", "look"])), [Started, Started]);
    assert_eq!(
        statuses(&begun(&["act", "alone", "look"])),
        [Started, Requested, Requested]
    );
}

#[test]
fn intents_are_committed_with_the_side_effects_the_manifest_declares() {
    let state = begun(&["look", "act", "nonesuch"]);
    let classes: Vec<SideEffects> = state.calls.iter().map(|call| call.side_effects).collect();
    assert_eq!(
        classes,
        [SideEffects::None, SideEffects::Unsafe, SideEffects::None]
    );
    assert_eq!(
        (
            state.usage.input_tokens,
            state.iterations(),
            state.next_seq()
        ),
        (5, 1, 2)
    );
}

#[test]
fn harmless_outcomes_wait_for_the_next_commit_whatever_it_is() {
    let mut state = begun(&["look"]);
    assert_eq!(
        settle_calls(&mut state, vec![outcome(10, json!("seen"))], COMMIT),
        Settled::Unsaved
    );
    assert_eq!(
        statuses(&state),
        [ToolCallStatus::Succeeded],
        "in memory it counts at once"
    );
    let commit = hand_on(&state, Spent::Slice, RUN_STEPS_MAX, COMMIT);
    assert_eq!(commit.changes.len(), 1);
    assert_eq!(kinds(&commit), [event::TOOL_SUCCEEDED, event::RUN_CHAINED]);
    state.apply(&commit);
    assert_eq!(state.unsaved, Unsaved::default());
}

#[test]
fn an_emitted_event_makes_a_harmless_outcome_durable_at_once() {
    let mut state = begun(&["look"]);
    let emitted = vec![Event::new("seen.it", json!({}))];
    let outcome = Outcome {
        emitted,
        ..outcome(10, json!("seen"))
    };
    let Settled::Commit(commit) = settle_calls(&mut state, vec![outcome], COMMIT) else {
        panic!("not durable")
    };
    assert_eq!(kinds(&commit), ["seen.it", event::TOOL_SUCCEEDED]);
}

#[test]
fn the_outcome_of_a_sequential_call_starts_the_next_in_the_same_commit() {
    use ToolCallStatus::{Requested, Started, Succeeded};
    let mut state = begun(&["alone", "look", "look"]);
    let Settled::Commit(commit) = settle_calls(&mut state, vec![outcome(10, json!(1))], COMMIT)
    else {
        panic!("unsafe")
    };
    assert_eq!(kinds(&commit), [event::TOOL_SUCCEEDED, event::TOOL_STARTED]);
    state.apply(&commit);
    assert_eq!(statuses(&state), [Succeeded, Started, Requested]);
}

#[test]
fn a_result_is_bounded_for_the_model_and_for_the_log() {
    let mut state = begun(&["act"]);
    let huge = json!("x".repeat(TOOL_RESULT_BYTES_MAX + 1));
    let Settled::Commit(commit) = settle_calls(&mut state, vec![outcome(10, huge)], COMMIT) else {
        panic!("unsafe")
    };
    assert!(commit.changes[0].model_output.len() <= TOOL_OUTPUT_BYTES_MAX);
    assert!(commit.changes[0].result["bytes"].as_u64().unwrap() > TOOL_RESULT_BYTES_MAX as u64);
}

#[test]
fn an_error_is_a_result_the_model_can_read() {
    let mut state = begun(&["act"]);
    let failed = Outcome {
        result: Err("out of order".into()),
        ..outcome(10, Value::Null)
    };
    let Settled::Commit(commit) = settle_calls(&mut state, vec![failed], COMMIT) else {
        panic!("unsafe")
    };
    let change = &commit.changes[0];
    assert_eq!(
        (change.status, change.model_output.as_str()),
        (ToolCallStatus::Failed, r#"{"error":"out of order"}"#)
    );
}

#[test]
fn an_outcome_of_a_call_nobody_asked_for_changes_nothing() {
    let mut state = begun(&["look"]);
    assert_eq!(
        settle_calls(&mut state, vec![outcome(77, json!(1))], COMMIT),
        Settled::Unsaved
    );
    assert_eq!(statuses(&state), [ToolCallStatus::Started]);
}

#[test]
fn an_answer_completes_the_run_and_owes_exactly_one_reply() {
    for inline in [false, true] {
        let answer = Answer {
            text: "done".into(),
            extra: Value::Null,
            checkpoint: checkpoint(1),
            usage: None,
        };
        let mut state = claimed();
        let commit = finish(&state, answer, obligation(inline), COMMIT);
        let owed = commit.delivery.clone().unwrap();
        assert_eq!(
            (owed.key, owed.text.as_str(), owed.leased_by.is_some()),
            (final_key(state.run_id), "done", inline)
        );
        assert_eq!(owed.target, json!({"to": "there"}));
        assert_eq!(
            (commit.status, commit.lease),
            (RunStatus::Completed, Lease::Release { not_before_ms: 0 })
        );
        state.apply(&commit);
        let status = if inline {
            DeliveryStatus::Sending
        } else {
            DeliveryStatus::Pending
        };
        assert_eq!(
            (state.status, state.delivery),
            (RunStatus::Completed, Some(status))
        );
    }
}

#[test]
fn time_that_is_up_releases_the_run_until_its_steps_are_used_up() {
    let mut state = claimed();
    assert_eq!(
        hand_on(&state, Spent::Deadline, RUN_STEPS_MAX, COMMIT).status,
        RunStatus::Running
    );
    state.steps = RUN_STEPS_MAX;
    let last = hand_on(&state, Spent::Deadline, RUN_STEPS_MAX, COMMIT);
    assert_eq!(
        (last.status, last.failure.unwrap().code.as_str()),
        (RunStatus::Failed, "max_steps")
    );
}

#[test]
fn a_failed_request_is_asked_again_parked_or_ends_the_run() {
    let failure = |class| ModelFailure {
        code: "model_overloaded".into(),
        message: "busy".into(),
        class,
    };
    let react = |class, failures| model_failed(&claimed(), failure(class), failures, 1.0, COMMIT);
    assert_eq!(
        react(Class::Retry { after_ms: None }, 1),
        Reaction::AskAgain { wait_ms: 2_000 }
    );
    let Reaction::Commit(parked) = react(
        Class::Retry {
            after_ms: Some(60_000),
        },
        1,
    ) else {
        panic!("parked")
    };
    assert_eq!(
        (parked.status, parked.lease),
        (
            RunStatus::Running,
            Lease::Release {
                not_before_ms: 60_000
            }
        )
    );
    assert_eq!(parked.model_failures, 1);
    for (class, failures) in [
        (Class::Retry { after_ms: None }, 5),
        (Class::Refused, 1),
        (Class::Corrupt, 1),
    ] {
        let Reaction::Commit(ended) = react(class, failures) else {
            panic!("ended")
        };
        assert_eq!(ended.status, RunStatus::Failed, "{class:?}");
    }
}

#[test]
fn recovery_interrupts_what_may_have_run_and_is_no_progress() {
    let mut state = begun(&["act"]);
    (state.recovery, state.stalls) = (true, 1);
    let recovery = recover(&state, obligation(false), COMMIT);
    assert!(recovery.goes_on && !recovery.degraded);
    assert_eq!(
        recovery.commit.changes[0].status,
        ToolCallStatus::Interrupted
    );
    assert!(recovery.commit.resumed && !recovery.commit.progress);
    state.apply(&recovery.commit);
    assert_eq!((state.resumes, state.stalls), (1, 1));
}

#[test]
fn an_answer_without_a_delivery_gets_one_and_one_with_a_delivery_adopts_it() {
    let mut state = claimed();
    state.entries.push(Entry {
        seq: 1,
        kind: EntryKind::Answer,
        text: "done".into(),
        extra: Value::Null,
    });
    let created = recover(&state, obligation(false), COMMIT).commit;
    assert_eq!(created.delivery.unwrap().text, "done");
    state.delivery = Some(DeliveryStatus::Pending);
    let adopted = recover(&state, obligation(false), COMMIT).commit;
    assert!(adopted.delivery.is_none());
    assert_eq!(adopted.status, RunStatus::Completed);
}

/// No transition leaves a lease on a run that has ended, nor ends one without saying why.
#[test]
fn whatever_ends_a_run_releases_it_and_says_why() {
    let mut state = claimed();
    state.stalls = 9;
    let stalled = recover(&state, obligation(false), COMMIT).commit;
    state.entries.clear();
    state.stalls = 0;
    let lost = recover(&state, obligation(false), COMMIT).commit;
    for commit in [stalled, lost] {
        assert_eq!(commit.status, RunStatus::Failed);
        assert!(matches!(commit.lease, Lease::Release { .. }));
        assert!(commit.failure.is_some() && kinds(&commit).contains(&event::RUN_FAILED));
    }
}

#[test]
fn a_run_that_fails_leaves_no_call_open() {
    use ToolCallStatus::{Cancelled, Interrupted};
    let mut state = begun(&["alone", "look"]);
    state.stalls = 9;
    let commit = recover(&state, obligation(false), COMMIT).commit;
    state.apply(&commit);
    assert_eq!(statuses(&state), [Interrupted, Cancelled]);
    assert_eq!(commit.changes.len(), 2, "one outcome each");
}

#[test]
fn a_run_given_up_leaves_no_call_open_whose_outcome_was_never_written() {
    let mut state = begun(&["look"]);
    let settled = settle_calls(&mut state, vec![outcome(10, json!("seen"))], COMMIT);
    assert_eq!(settled, Settled::Unsaved);
    let commit = give_up(&mut state, COMMIT, "database_refused", "too much".into());
    assert_eq!(commit.changes.len(), 1);
    assert_eq!(commit.changes[0].status, ToolCallStatus::Interrupted);
}

#[test]
fn each_commit_names_the_number_of_those_before_it() {
    let mut state = claimed();
    for number in 0..3 {
        let commit = hand_on(&state, Spent::Slice, RUN_STEPS_MAX, COMMIT);
        assert_eq!(commit.follows, number);
        state.apply(&commit);
    }
}
