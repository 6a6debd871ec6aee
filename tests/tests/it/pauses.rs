//! Pauses over real Postgres: asked, decided once, resumed where they stopped.

use openeve_domain::ids::RunId;
use openeve_domain::manifest::{ApprovalSpec, Execution, ToolSpec};
use openeve_domain::pause::{Decision, PauseStatus};
use openeve_domain::status::{RunStatus, SideEffects};
use openeve_domain::transcript::Message;
use openeve_runtime::ports::{Cancelled, Pauses, Store as _};
use openeve_runtime::resume::{Decider, Outcome, Which, cancel, resume_approval, resume_input};
use openeve_runtime::step::Stepped;
use openeve_runtime::tick::tick;
use openeve_tests::{
    ClosureTools, ScriptedEngine, World, WorldOptions, answer, ask, calls, manifest, output, tool,
};
use serde_json::{Value, json};

use crate::support::options;

fn gated(name: &str) -> ToolSpec {
    ToolSpec {
        approval: Some(ApprovalSpec {
            reason: Some("it costs money".into()),
            predicate: false,
            approvers: Vec::new(),
        }),
        ..tool(name, SideEffects::Unsafe, Execution::Parallel)
    }
}

/// Asks for these batches one after another, then answers with what the tools said.
fn batches(batches: &'static [&'static [&'static str]]) -> ScriptedEngine {
    ScriptedEngine::new(
        move |done, messages| match batches.get(usize::try_from(done).unwrap()) {
            Some(names) => calls(done, names),
            None => answer(&results(messages).join(" ")),
        },
    )
}

fn results(messages: &[Message<'_>]) -> Vec<String> {
    let results = messages.iter().filter_map(|message| match message {
        Message::ToolResult { output, .. } => Some(output.to_string()),
        Message::User { .. } | Message::Assistant { .. } => None,
    });
    results.collect()
}

async fn world(engine: ScriptedEngine) -> World {
    let mut options = options(engine);
    options.manifest.tools.push(gated("pay"));
    World::new(options).await
}

async fn pauses(world: &World, run: RunId) -> Pauses {
    world.store.pauses("tester", run).await.unwrap().unwrap()
}

/// Starts a run and works until it waits.
async fn paused(world: &World, conversation: &str) -> RunId {
    let run = world.say(conversation, "go").await;
    world.bells.take();
    assert_eq!(world.step(run).await, Ok(Stepped::Waiting));
    run
}

async fn decide(world: &World, run: RunId, at: usize, decision: Decision) -> Outcome {
    let pauses = pauses(world, run).await;
    let pause = &pauses.pauses[at].pause;
    let which = Which {
        call_id: Some(pause.call_id),
        generation: Some(pause.generation),
    };
    resume_approval(
        &world.resume_deps(),
        run,
        which,
        decision,
        &Decider::Operator,
    )
    .await
    .unwrap()
}

#[tokio::test]
async fn an_approved_call_runs_once_and_its_run_goes_on_in_place() {
    let world = world(batches(&[&["act"], &["pay"], &["act"]])).await;
    let run = paused(&world, "c").await;
    let view = world.view(run).await;
    assert_eq!(view.status, RunStatus::WaitingApproval);
    let asked = pauses(&world, run).await;
    assert_eq!(asked.pauses[0].tool, "pay");
    assert_eq!(asked.pauses[0].pause.request.prompt, "it costs money");
    let taken = decide(&world, run, 0, Decision::Approve).await;
    assert!(
        matches!(taken, Outcome::Taken { resumes: true, .. }),
        "{taken:?}"
    );
    world.settle().await;
    assert_eq!(world.view(run).await.status, RunStatus::Completed);
    let ran: Vec<String> = world
        .tools
        .ran()
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(
        ran,
        ["act", "pay", "act"],
        "what ran before the pause is not run again"
    );
    assert_eq!(world.engine.asked(), 4);
    world.assert_invariants().await;
}

#[tokio::test]
async fn a_rejected_call_tells_the_model_and_never_runs() {
    let world = world(batches(&[&["pay"]])).await;
    let run = paused(&world, "c").await;
    let reason = "too dear".to_owned();
    decide(&world, run, 0, Decision::Reject { reason }).await;
    world.settle().await;
    let view = world.view(run).await;
    let told: Value = serde_json::from_str(&view.reply.unwrap()).unwrap();
    assert_eq!(told, json!({"rejected": true, "reason": "too dear"}));
    assert!(world.tools.ran().is_empty());
    world.assert_invariants().await;
}

#[tokio::test]
async fn two_pauses_decided_at_the_same_moment_leave_nothing_waiting() {
    // Each decision sees the other only through the lock on their run.
    for round in 0..20 {
        let world = world(batches(&[&["pay", "pay"]])).await;
        let run = paused(&world, "c").await;
        let decided = tokio::join!(
            decide(&world, run, 0, Decision::Approve),
            decide(&world, run, 1, Decision::Approve),
        );
        let resumed = [&decided.0, &decided.1]
            .into_iter()
            .filter(|one| matches!(one, Outcome::Taken { resumes: true, .. }))
            .count();
        assert_eq!(resumed, 1, "round {round}: {decided:?}");
        world.settle().await;
        assert_eq!(world.view(run).await.status, RunStatus::Completed);
        assert_eq!(world.tools.ran().len(), 2);
    }
}

#[tokio::test]
async fn the_next_message_answers_a_question_and_starts_no_run() {
    let world = world(ScriptedEngine::new(|done, messages| {
        if done > 0 {
            return answer(&results(messages).join(" "));
        }
        let mut batch = calls(0, &["ask_question"]);
        if let openeve_runtime::ports::Advance::ToolBatch { calls, .. } = &mut batch {
            calls[0].arguments = json!({"question": "Which one?"}).to_string();
        }
        batch
    }))
    .await;
    let run = paused(&world, "c").await;
    assert_eq!(world.view(run).await.status, RunStatus::WaitingInput);
    let body = json!({"message": "the red one", "conversation": "c", "id": "m2"}).to_string();
    let response = world.post("/message", body.clone()).await;
    let told: Value = serde_json::from_slice(&response.body).unwrap();
    assert_eq!(
        (response.status, &told["answered"], &told["run_id"]),
        (202, &json!(true), &json!(run))
    );
    world.settle().await;
    assert_eq!(
        world.view(run).await.reply.as_deref(),
        Some(r#"{"answer":"the red one"}"#)
    );
    // The provider delivers it again: it is still that answer.
    let again = world.post("/message", body).await;
    let told: Value = serde_json::from_slice(&again.body).unwrap();
    assert_eq!(
        (&told["duplicate"], &told["run_id"]),
        (&json!(true), &json!(run))
    );
    world.assert_invariants().await;
}

#[tokio::test]
async fn a_message_and_a_click_for_one_question_lose_neither() {
    for _ in 0..10 {
        let world = asking_world(1).await;
        let run = paused(&world, "c").await;
        let text = json!({"message": "by message", "conversation": "c"}).to_string();
        let deps = world.resume_deps();
        let click = resume_input(&deps, run, Which::default(), "by click", &Decider::Operator);
        let (response, clicked) = tokio::join!(world.post("/message", text), click);
        let told: Value = serde_json::from_slice(&response.body).unwrap();
        let answered = told["answered"] == json!(true);
        let taken = matches!(clicked, Ok(Outcome::Taken { .. }));
        assert_ne!(answered, taken, "one of them answers: {told} {clicked:?}");
        world.settle().await;
        assert_eq!(world.view(run).await.status, RunStatus::Completed);
        if taken {
            let new: RunId = told["run_id"].as_str().unwrap().parse().unwrap();
            assert_ne!(new, run, "the message became a turn of its own");
            let status = world.view(new).await.status;
            assert!(status == RunStatus::WaitingInput, "{status:?}");
        }
    }
}

/// A world whose tool `act` asks this many questions before it acts.
async fn asking_world(questions: usize) -> World {
    let tools = ClosureTools::asking(move |_, answers| {
        Ok(if answers.len() < questions {
            ask(&format!("question {}", answers.len() + 1))
        } else {
            output(json!(answers))
        })
    });
    World::new(WorldOptions {
        tools,
        ..options(batches(&[&["act"]]))
    })
    .await
}

#[tokio::test]
async fn a_tool_that_asks_three_times_pauses_three_times_and_ends_once() {
    let world = asking_world(3).await;
    let run = paused(&world, "c").await;
    for text in ["a", "b", "c"] {
        let deps = world.resume_deps();
        let answered = resume_input(&deps, run, Which::default(), text, &Decider::Operator).await;
        assert!(
            matches!(answered, Ok(Outcome::Taken { .. })),
            "{answered:?}"
        );
        world.settle().await;
    }
    let view = world.view(run).await;
    assert_eq!(view.reply.as_deref(), Some(r#"["a","b","c"]"#));
    let generations: Vec<u32> = pauses(&world, run)
        .await
        .pauses
        .iter()
        .map(|paused| paused.pause.generation)
        .collect();
    assert_eq!(generations, [1, 2, 3]);
    world.assert_invariants().await;
}

#[tokio::test]
async fn a_pause_nobody_answers_expires_and_the_run_goes_on() {
    let world = world(batches(&[&["pay"]])).await;
    let run = paused(&world, "c").await;
    let client = world.database.connect().await;
    let late = "UPDATE openeve.pauses SET expires_at = clock_timestamp() - INTERVAL '1 second'";
    client.batch_execute(late).await.unwrap();
    let ticked = tick(&world.tick_deps()).await.unwrap();
    assert_eq!(ticked.pauses_expired, 1);
    world.settle().await;
    assert_eq!(
        world.view(run).await.reply.as_deref(),
        Some(r#"{"expired":true}"#)
    );
    let late = decide(&world, run, 0, Decision::Approve).await;
    assert!(
        matches!(
            late,
            Outcome::Already {
                status: PauseStatus::Expired,
                ..
            }
        ),
        "a late confirmation is refused explicitly: {late:?}"
    );
    assert!(world.tools.ran().is_empty());
}

#[tokio::test]
async fn a_run_that_waits_keeps_no_other_run_of_its_conversation_waiting() {
    let world = world(batches(&[&["pay"]])).await;
    let first = world.say("c", "one").await;
    let second = world.say("c", "two").await;
    world.settle().await;
    for run in [first, second] {
        assert_eq!(world.view(run).await.status, RunStatus::WaitingApproval);
    }
    decide(&world, second, 0, Decision::Approve).await;
    decide(&world, first, 0, Decision::Approve).await;
    world.settle().await;
    world.tick_late().await;
    for run in [first, second] {
        assert_eq!(world.view(run).await.status, RunStatus::Completed);
    }
    world.assert_invariants().await;
}

#[tokio::test]
async fn a_waiting_run_is_cancelled_and_its_pauses_are_withdrawn() {
    let world = world(batches(&[&["pay", "pay"]])).await;
    let run = paused(&world, "c").await;
    let cancelled = cancel(&world.resume_deps(), run, "ada").await.unwrap();
    assert_eq!(cancelled, Cancelled::Requested);
    world.settle().await;
    assert_eq!(world.view(run).await.status, RunStatus::Cancelled);
    let statuses: Vec<PauseStatus> = pauses(&world, run)
        .await
        .pauses
        .iter()
        .map(|paused| paused.pause.status)
        .collect();
    assert_eq!(statuses, [PauseStatus::Withdrawn; 2]);
    let late = decide(&world, run, 0, Decision::Approve).await;
    assert!(matches!(late, Outcome::Already { .. }), "{late:?}");
    let next = world.say("c", "next").await;
    world.settle().await;
    assert_eq!(world.view(next).await.status, RunStatus::WaitingApproval);
    world.assert_invariants().await;
}

#[tokio::test]
async fn a_run_nobody_began_is_cancelled_at_once_and_the_next_is_rung() {
    let world = world(batches(&[])).await;
    let first = world.say("c", "one").await;
    let second = world.say("c", "two").await;
    world.bells.take();
    let cancelled = cancel(&world.resume_deps(), first, "ada").await.unwrap();
    assert_eq!(
        cancelled,
        Cancelled::Ended {
            next_run: Some(second)
        }
    );
    world.settle().await;
    assert_eq!(world.view(first).await.status, RunStatus::Cancelled);
    assert_eq!(world.view(second).await.status, RunStatus::Completed);
    assert_eq!(
        cancel(&world.resume_deps(), first, "ada").await.unwrap(),
        Cancelled::Already(RunStatus::Cancelled)
    );
    world.assert_invariants().await;
}

#[tokio::test]
async fn only_whom_the_approvers_name_may_decide_and_the_pause_stays() {
    let world = world(batches(&[&["pay"]])).await;
    let body = json!({"message": "go", "conversation": "c", "sender": "ada"}).to_string();
    world.post("/message", body).await;
    world.settle().await;
    let client = world.database.connect().await;
    let id: uuid::Uuid = client
        .query_one("SELECT id FROM openeve.runs", &[])
        .await
        .unwrap()
        .get(0);
    let run = RunId::new(id);
    let by = |name: &str| Decider::Person {
        id: Some(name.into()),
        roles: Vec::new(),
    };
    let decision = Decision::Approve;
    let deps = world.resume_deps();
    let refused = resume_approval(&deps, run, Which::default(), decision.clone(), &by("eve")).await;
    assert!(
        matches!(refused, Ok(Outcome::NotAllowed { .. })),
        "{refused:?}"
    );
    let taken = resume_approval(&deps, run, Which::default(), decision, &by("ada")).await;
    assert!(matches!(taken, Ok(Outcome::Taken { .. })), "{taken:?}");
}

/// Public case B26: the tool an approval was for is gone when the approval comes.
#[tokio::test]
async fn an_approved_call_whose_tool_is_gone_tells_the_model_and_the_log() {
    let world = world(batches(&[&["pay"]])).await;
    let run = paused(&world, "c").await;
    decide(&world, run, 0, Decision::Approve).await;
    world.bells.take();
    let mut deps = world.step_deps();
    let mut other = manifest(vec![tool("act", SideEffects::Unsafe, Execution::Parallel)]);
    other.revision = "later".into();
    deps.manifest = std::sync::Arc::new(other);
    openeve_runtime::step::step(&deps, run, 300_000)
        .await
        .unwrap();
    let view = world.view(run).await;
    assert_eq!(view.status, RunStatus::Completed);
    assert!(
        view.reply.unwrap().contains("there is no tool"),
        "the model is told"
    );
    let kinds = world.kinds(run).await;
    assert!(
        kinds.contains(&"harness.resume_degraded".to_owned()),
        "{kinds:?}"
    );
}

/// Found by the simulation: an earlier run that waited is resumed while a later one, whose holder
/// has vanished, still has its lease. Neither may wait for the other.
#[tokio::test]
async fn a_resumed_run_and_one_whose_holder_vanished_do_not_wait_for_each_other() {
    let world = world(batches(&[&["pay"]])).await;
    let first = paused(&world, "c").await;
    let second = world.say("c", "two").await;
    world.bells.take();
    let token = openeve_domain::ids::LeaseToken::new(uuid::Uuid::from_u128(77));
    world.store.claim(second, token, 60_000).await.unwrap();
    decide(&world, first, 0, Decision::Approve).await;
    world.bells.take();
    world.expire_leases().await;
    world.tick_late().await;
    assert_eq!(world.view(second).await.status, RunStatus::WaitingApproval);
    world.tick_late().await;
    assert_eq!(world.view(first).await.status, RunStatus::Completed);
    world.assert_invariants().await;
}
