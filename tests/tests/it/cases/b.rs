//! B, first half: approvals and questions, each decided once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use openeve_domain::ids::RunId;
use openeve_domain::manifest::ApprovalSpec;
use openeve_domain::pause::{Decision, PauseStatus};
use openeve_domain::run::settle_calls::Outcome as ToolOutcome;
use openeve_domain::status::RunStatus;
use openeve_runtime::ports::{Cancelled, Gate as Verdict, Invocation, ToolRunner};
use openeve_runtime::resume::{Decider, Outcome, Which, cancel, resume_input};
use openeve_runtime::step::{StepDeps, Stepped, step};
use openeve_tests::{ClosureTools, ScriptedEngine, World, WorldOptions, ask, calls, output};
use serde_json::{Value, json};

use super::support::{
    STEP_MS, aged_tick, batches, begun, decide, gated, gated_world, held_world, paused, pauses,
    say_answer, texts, times,
};
use super::wire::{Wire, assert_acceptable, of_role, wants, words};
use crate::support::options;

fn reject(reason: &str) -> Decision {
    Decision::Reject {
        reason: reason.into(),
    }
}

/// Decides over HTTP; the status and what is told.
async fn post(world: &World, run: RunId, part: &str) -> (u16, Value) {
    let response = world.post(&format!("/runs/{run}/{part}"), "{}").await;
    (
        response.status,
        serde_json::from_slice(&response.body).unwrap(),
    )
}

/// Public case B1 (langchain-ai/langgraph #6663).
#[tokio::test]
async fn b1_a_pause_that_was_approved_is_not_rejected_afterwards() {
    let world = gated_world(batches(&[&["pay"]])).await;
    let run = paused(&world).await;
    assert_eq!(post(&world, run, "approve").await.0, 200);
    let (status, told) = post(&world, run, "reject").await;
    assert_eq!(
        (status, &told["error"]["code"]),
        (409, &json!("pause_ended")),
        "{told}"
    );
    world.settle().await;
    assert_eq!(world.view(run).await.status, RunStatus::Completed);
    assert_eq!(world.tools.ran().len(), 1);
    assert_eq!(times(&world, run, "pause.decided").await, 1);
    world.assert_invariants().await;
}

/// Public case B2 (langchain-ai/langgraph #6533, #6534).
#[tokio::test]
async fn b2_answers_to_parallel_questions_reach_each_its_own_call() {
    let tools = ClosureTools::asking(|_, answers| {
        Ok(match answers.first() {
            None => ask("which?"),
            Some(text) => output(json!(text)),
        })
    });
    let world = World::new(WorldOptions {
        tools,
        ..options(batches(&[&["act", "act"]]))
    })
    .await;
    let run = paused(&world).await;
    let asked = pauses(&world, run).await;
    let keys: Vec<_> = asked
        .iter()
        .map(|one| (one.pause.call_id, one.pause.generation))
        .collect();
    assert!(keys.len() == 2 && keys[0] != keys[1], "{keys:?}");
    let of_first = r#"{"n":0}"#;
    // Answered in the other order, so that a shared or positional id would mix them up.
    for paused in asked.iter().rev() {
        let text = if paused.arguments == of_first {
            "A"
        } else {
            "B"
        };
        let which = Which {
            call_id: Some(paused.pause.call_id),
            generation: Some(paused.pause.generation),
        };
        let deps = world.resume_deps();
        let taken = resume_input(&deps, run, which, text, &Decider::Operator).await;
        assert!(matches!(taken, Ok(Outcome::Taken { .. })), "{taken:?}");
    }
    world.settle().await;
    assert_eq!(world.view(run).await.reply.as_deref(), Some("A B"));
    world.assert_invariants().await;
}

/// Public case B4 (langchain-ai/langgraphjs #1298).
#[tokio::test]
async fn b4_a_second_question_waits_and_ends_as_the_first_did() {
    let world = gated_world(batches(&[&["ask_question"], &["ask_question"]])).await;
    let run = paused(&world).await;
    for (number, text) in [(1, "a"), (2, "b")] {
        assert_eq!(world.view(run).await.status, RunStatus::WaitingInput);
        assert_eq!(pauses(&world, run).await.len(), number);
        say_answer(&world, run, text).await;
        world.settle().await;
    }
    let reply = world.view(run).await.reply;
    assert_eq!(reply.as_deref(), Some(r#"{"answer":"a"} {"answer":"b"}"#));
    world.assert_invariants().await;
}

/// Public case B6 (langchain-ai/langchainjs PR #11437, #11391; deepagentsjs PR #171).
#[tokio::test]
async fn b6_one_rejection_of_a_batch_leaves_the_other_calls_their_results() {
    let wire = Wire::new(|number, _| match number {
        0 => wants(&[("a", "pay"), ("b", "pay"), ("c", "look")]),
        _ => words("done"),
    });
    let world = gated_world(batches(&[])).await;
    let run = world.say("c", "go").await;
    wire.settle(&world).await;
    assert_eq!(world.view(run).await.status, RunStatus::WaitingApproval);
    decide(&world, run, 0, Decision::Approve).await;
    decide(&world, run, 1, reject("no")).await;
    wire.settle(&world).await;
    assert_eq!(world.view(run).await.status, RunStatus::Completed);
    let statuses =
        "SELECT concat_ws(' ', provider_call_id, status) FROM openeve.tool_calls ORDER BY ordinal";
    let statuses = texts(&world, statuses).await;
    assert_eq!(statuses, ["a succeeded", "b rejected", "c succeeded"]);
    let request = wire.last();
    assert_acceptable(&request);
    let told = of_role(&request, "tool");
    assert_eq!(told.len(), 3);
    let rejected: Value = serde_json::from_str(told[1]["content"].as_str().unwrap()).unwrap();
    assert_eq!(rejected, json!({"rejected": true, "reason": "no"}));
    world.assert_invariants().await;
}

/// Public case B8 (langchain-ai/deepagents #2946).
#[tokio::test]
async fn b8_a_model_that_repeats_a_rejected_call_asks_nobody_again_and_is_stopped() {
    let engine = ScriptedEngine::new(|done, _| calls(done, &["pay"]));
    let mut world = gated_world(engine).await;
    world.settings.run_bounds.repeated_errors = 3;
    let run = paused(&world).await;
    decide(&world, run, 0, reject("too dear")).await;
    world.settle().await;
    let view = world.view(run).await;
    assert_eq!(view.failure.unwrap().code, "repeated_errors");
    assert_eq!(pauses(&world, run).await.len(), 1, "asked once");
    assert!(world.engine.asked() <= 5, "{}", world.engine.asked());
    assert!(world.tools.ran().is_empty());
    world.assert_invariants().await;
}

/// A tool whose predicate wants an approval the first time it is asked, and none later.
struct Flips {
    tools: Arc<ClosureTools>,
    asked: AtomicUsize,
}

#[async_trait]
impl ToolRunner for Flips {
    async fn run(&self, invocation: Invocation<'_>) -> ToolOutcome {
        self.tools.run(invocation).await
    }

    async fn gate(&self, _: Invocation<'_>) -> Result<Verdict, String> {
        match self.asked.fetch_add(1, Ordering::SeqCst) {
            0 => Ok(Verdict::Ask { reason: None }),
            _ => Ok(Verdict::Open),
        }
    }
}

/// Public case B11 (openai/openai-agents-js PR #1418).
#[tokio::test]
async fn b11_a_predicate_is_asked_once_and_its_stored_answer_counts() {
    let mut options = options(batches(&[&["pay"]]));
    let mut pay = gated("pay");
    pay.approval = Some(ApprovalSpec {
        reason: None,
        predicate: true,
        approvers: Vec::new(),
    });
    options.manifest.tools.push(pay);
    let world = World::new(options).await;
    let flips = Arc::new(Flips {
        tools: world.tools.clone(),
        asked: AtomicUsize::new(0),
    });
    let worker = || StepDeps {
        tools: flips.clone(),
        ..world.step_deps()
    };
    let run = begun(&world).await;
    assert_eq!(step(&worker(), run, STEP_MS).await, Ok(Stepped::Waiting));
    let taken = decide(&world, run, 0, Decision::Approve).await;
    assert!(matches!(taken, Outcome::Taken { resumes: true, .. }));
    assert_eq!(step(&worker(), run, STEP_MS).await, Ok(Stepped::Ended));
    assert_eq!(flips.asked.load(Ordering::SeqCst), 1);
    assert_eq!(world.tools.ran().len(), 1);
    world.assert_invariants().await;
}

/// Public case B12 (openai/openai-agents-js #1435).
#[tokio::test]
async fn b12_after_a_second_approval_each_output_is_sent_once_behind_its_own_call() {
    let wire = Wire::new(|number, _| match number {
        0 => wants(&[("first", "pay")]),
        1 => wants(&[("second", "pay"), ("third", "look")]),
        _ => words("done"),
    });
    let world = gated_world(batches(&[])).await;
    let run = world.say("c", "go").await;
    for at in 0..2 {
        wire.settle(&world).await;
        assert_eq!(world.view(run).await.status, RunStatus::WaitingApproval);
        decide(&world, run, at, Decision::Approve).await;
    }
    wire.settle(&world).await;
    assert_eq!(world.view(run).await.status, RunStatus::Completed);
    let requests = wire.requests();
    assert_eq!(requests.len(), 3);
    for (request, outputs) in requests.iter().zip([0, 1, 3]) {
        assert_acceptable(request);
        assert_eq!(of_role(request, "tool").len(), outputs);
    }
}

/// Public case B14 (strands-agents/harness-sdk PR #3615).
#[tokio::test]
async fn b14_a_cancel_during_the_approved_tool_leaves_nothing_to_run_again() {
    let (world, gate) = held_world(batches(&[&["pay"], &["act"]])).await;
    let run = paused(&world).await;
    decide(&world, run, 0, Decision::Approve).await;
    world.bells.take();
    let cancelling = async {
        gate.arrived(1).await;
        let cancelled = cancel(&world.resume_deps(), run, "ada").await;
        assert_eq!(cancelled, Ok(Cancelled::Requested));
        // The effect is done; its outcome and the end of the run are one commit away.
        gate.open();
    };
    let (stepped, ()) = tokio::join!(world.step(run), cancelling);
    assert_eq!(stepped, Ok(Stepped::Ended));
    world.settle().await;
    aged_tick(&world).await;
    world.settle().await;
    assert_eq!(world.view(run).await.status, RunStatus::Cancelled);
    assert_eq!(world.tools.ran().len(), 1, "one effect");
    let statuses = texts(&world, "SELECT status FROM openeve.tool_calls").await;
    assert_eq!(statuses, ["succeeded"], "what was done is on record");
    let paused = &pauses(&world, run).await[0].pause;
    assert_eq!(paused.status, PauseStatus::Decided);
    world.assert_invariants().await;
}

/// Public case B15 (useautumn/autumn PR #2903).
#[tokio::test]
async fn b15_a_double_click_acts_once_and_both_are_told_so() {
    let world = gated_world(batches(&[&["pay"]])).await;
    let run = paused(&world).await;
    let clicks = tokio::join!(post(&world, run, "approve"), post(&world, run, "approve"));
    assert_eq!((clicks.0.0, clicks.1.0), (200, 200), "{clicks:?}");
    let late = [&clicks.0.1, &clicks.1.1];
    let late = late.iter().filter(|told| told["already"] == json!(true));
    assert_eq!(late.count(), 1, "{clicks:?}");
    assert_eq!(world.bells.take().len(), 1);
    assert_eq!(world.step(run).await, Ok(Stepped::Ended));
    assert_eq!(world.tools.ran().len(), 1);
}

/// Public case B16 (Growth-Circle/cadis #852, #1736). Who comes too late is told who came first; the
/// log holds the decision that counts.
#[tokio::test]
async fn b16_of_approve_and_reject_at_once_exactly_one_wins() {
    let world = gated_world(batches(&[&["pay"]])).await;
    for round in 0..5 {
        let run = world.say(&format!("conversation {round}"), "go").await;
        world.settle().await;
        let ran_before = world.tools.ran().len();
        let (yes, no) = tokio::join!(post(&world, run, "approve"), post(&world, run, "reject"));
        let mut statuses = [yes.0, no.0];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 409], "{yes:?} {no:?}");
        world.settle().await;
        assert_eq!(world.view(run).await.status, RunStatus::Completed);
        let ran = world.tools.ran().len() - ran_before;
        assert_eq!(ran, usize::from(yes.0 == 200));
        let events = world.events(run).await;
        let decided: Vec<&Value> = events
            .iter()
            .filter(|event| event.kind == "pause.decided")
            .map(|event| &event.payload["verdict"])
            .collect();
        let won = if yes.0 == 200 { "approve" } else { "reject" };
        assert_eq!(decided, [&json!(won)]);
    }
    world.assert_invariants().await;
}

/// Public case B18 (tale-project/tale PR #718).
#[tokio::test]
async fn b18_two_workers_with_one_approval_run_its_tool_once() {
    let (world, gate) = held_world(batches(&[&["pay"]])).await;
    let run = paused(&world).await;
    decide(&world, run, 0, Decision::Approve).await;
    world.bells.take();
    let second = async {
        gate.arrived(1).await;
        assert_eq!(times(&world, run, "tool.execution_started").await, 1);
        let stepped = world.step(run).await;
        gate.open();
        stepped
    };
    let stepped = tokio::join!(world.step(run), second);
    assert_eq!(stepped, (Ok(Stepped::Ended), Ok(Stepped::Nothing)));
    assert_eq!(world.tools.ran().len(), 1);
    world.assert_invariants().await;
}
