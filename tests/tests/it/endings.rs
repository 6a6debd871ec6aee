//! Runs that end otherwise than by an answer: cancelled, bounded, set aside, begun again.

use std::sync::Arc;

use openeve_domain::ids::RunId;
use openeve_domain::manifest::Execution;
use openeve_domain::status::{RunStatus, SideEffects};
use openeve_runtime::ports::{Cancelled, Redriven, Store as _};
use openeve_runtime::resume::{cancel, redrive_run};
use openeve_runtime::step::Stepped;
use openeve_testkit::gate::Gate;
use openeve_tests::{
    ClosureTools, ScriptedEngine, World, WorldOptions, answer, calls, manifest, tool,
};
use serde_json::json;

use crate::support::{echo, options, tool_turns, world};

/// Public case E8: cancelled after the last boundary, while the answer is on its way. The result of a
/// harmless tool rides on the commit that completes, so nothing is written in between.
#[tokio::test]
async fn a_run_that_was_cancelled_does_not_complete_even_if_its_answer_comes_first() {
    let gate = Gate::new();
    let held = gate.clone();
    let tools = ClosureTools::waiting(move |_, _| {
        let held = held.clone();
        async move {
            held.pass().await;
            Ok(json!("ok"))
        }
    });
    let harmless = tool("look", SideEffects::None, Execution::Parallel);
    let world = World::new(WorldOptions {
        manifest: manifest(vec![harmless]),
        tools,
        ..options(tool_turns("look", 1))
    })
    .await;
    let run = world.say("c", "go").await;
    let drive = async {
        gate.arrived(1).await;
        let cancelled = cancel(&world.resume_deps(), run, "ada").await.unwrap();
        assert_eq!(cancelled, Cancelled::Requested);
        gate.open();
    };
    let (stepped, ()) = tokio::join!(world.step(run), drive);
    assert_eq!(stepped, Ok(Stepped::Ended));
    let view = world.view(run).await;
    assert_eq!((view.status, view.delivery), (RunStatus::Cancelled, None));
    assert_eq!(world.sender.attempts().len(), 0);
    world.assert_invariants().await;
}

/// Public cases C2, C4 and E8: cancelled while a tool runs.
#[tokio::test]
async fn a_run_is_cancelled_while_its_tool_still_runs_and_the_next_message_works() {
    let gate = Gate::new();
    let held = gate.clone();
    let tools = ClosureTools::waiting(move |_, _| {
        let held = held.clone();
        async move {
            held.pass().await;
            Ok(json!("ok"))
        }
    });
    let world = World::new(WorldOptions {
        tools,
        ..options(tool_turns("act", 1))
    })
    .await;
    let run = world.say("c", "go").await;
    world.bells.take();
    let drive = async {
        gate.arrived(1).await;
        let cancelled = cancel(&world.resume_deps(), run, "ada").await.unwrap();
        assert_eq!(cancelled, Cancelled::Requested);
        // The next heartbeat learns of it.
        world.clock.advance_ms(30_000);
    };
    let (stepped, ()) = tokio::join!(world.step(run), drive);
    assert_eq!(stepped, Ok(Stepped::Ended));
    assert_eq!(world.view(run).await.status, RunStatus::Cancelled);
    let kinds = world.kinds(run).await;
    assert!(
        kinds.contains(&"tool.execution_interrupted".to_owned()),
        "{kinds:?}"
    );
    gate.open();
    let next = world.say("c", "next").await;
    world.settle().await;
    assert_eq!(world.view(next).await.status, RunStatus::Completed);
    assert!(
        world
            .sender
            .attempts()
            .iter()
            .all(|sent| sent.run_id == next),
        "no reply is owed"
    );
    world.assert_invariants().await;
}

#[tokio::test]
async fn a_run_cancelled_between_its_claim_and_its_first_write_stops() {
    let world = world(tool_turns("act", 1)).await;
    let run = world.say("c", "go").await;
    world.bells.take();
    let token = openeve_domain::ids::LeaseToken::new(uuid::Uuid::from_u128(9));
    world.store.claim(run, token, 60_000).await.unwrap();
    cancel(&world.resume_deps(), run, "ada").await.unwrap();
    world.expire_leases().await;
    world.settle().await;
    assert_eq!(world.view(run).await.status, RunStatus::Cancelled);
    assert!(world.tools.ran().is_empty());
}

/// Public case G5: a model that asks for ever is stopped by name, and its conversation goes on.
#[tokio::test]
async fn a_model_that_repeats_a_failing_call_is_stopped_by_name() {
    let engine = ScriptedEngine::new(|done, _| calls(done, &["nonesuch"]));
    let mut world = world(engine).await;
    world.settings.run_bounds.repeated_errors = 3;
    let run = world.say("c", "go").await;
    world.settle().await;
    let failure = world.view(run).await.failure.unwrap();
    assert_eq!(failure.code, "repeated_errors");
    assert_eq!(world.engine.asked(), 3);
    world.assert_invariants().await;
}

#[tokio::test]
async fn spending_stops_within_one_call_of_its_bound() {
    let engine = ScriptedEngine::new(|done, _| calls(done, &["look"]));
    let mut world = world(engine).await;
    world.settings.run_bounds.tokens = 30;
    let run = world.say("c", "go").await;
    world.settle().await;
    let view = world.view(run).await;
    assert_eq!(view.failure.unwrap().code, "max_tokens");
    assert_eq!(
        view.usage.input_tokens + view.usage.output_tokens,
        36,
        "three calls of 12"
    );
}

/// Breaks a run's rows so that no build can read them.
async fn break_rows(world: &World, run: RunId) {
    let client = world.database.connect().await;
    let sql = "ALTER TABLE openeve.messages DROP CONSTRAINT messages_kind_check";
    client.batch_execute(sql).await.unwrap();
    let sql = "UPDATE openeve.messages SET kind = 'hologram' WHERE run_id = $1";
    client.execute(sql, &[&run.uuid()]).await.unwrap();
}

/// Public cases A16 and B26: a kind that this build does not know is left alone, visibly.
#[tokio::test]
async fn a_run_that_no_build_can_read_is_set_aside_and_freed_when_one_can() {
    let world = world(echo()).await;
    let run = world.say("c", "go").await;
    let next = world.say("c", "next").await;
    world.bells.take();
    break_rows(&world, run).await;
    assert_eq!(world.step(run).await, Ok(Stepped::SetAside));
    let view = world.view(run).await;
    assert_eq!(view.status, RunStatus::Running);
    assert_eq!(view.blocked.unwrap().code, "database_row");
    assert_eq!(
        world.step(next).await,
        Ok(Stepped::Ended),
        "it is in nobody's way"
    );
    let client = world.database.connect().await;
    let sql = "UPDATE openeve.messages SET kind = 'user' WHERE run_id = $1";
    client.execute(sql, &[&run.uuid()]).await.unwrap();
    assert_eq!(
        world.step(run).await,
        Ok(Stepped::Parked),
        "it is left alone for a while"
    );
    let freed = redrive_run(&world.resume_deps(), run).await.unwrap();
    assert_eq!(freed, Redriven::Freed);
    world.settle().await;
    let view = world.view(run).await;
    assert_eq!((view.status, view.blocked), (RunStatus::Completed, None));
    world.assert_invariants().await;
}

#[tokio::test]
async fn a_failed_run_is_begun_again_once_and_stays_failed() {
    let fails = Arc::new(std::sync::atomic::AtomicBool::new(true));
    let failing = fails.clone();
    let engine = ScriptedEngine::new(move |_, _| {
        if failing.load(std::sync::atomic::Ordering::SeqCst) {
            return openeve_runtime::ports::Advance::Failed(
                openeve_domain::run::model_failed::ModelFailure {
                    code: "model_auth".into(),
                    message: "the key was refused".into(),
                    class: openeve_domain::retry::Class::Refused,
                },
            );
        }
        answer("done")
    });
    let world = world(engine).await;
    let run = world.say("c", "go").await;
    world.settle().await;
    assert_eq!(world.view(run).await.status, RunStatus::Failed);
    fails.store(false, std::sync::atomic::Ordering::SeqCst);
    let deps = world.resume_deps();
    let (one, two) = tokio::join!(redrive_run(&deps, run), redrive_run(&deps, run));
    let ids: Vec<(RunId, bool)> = [one, two]
        .into_iter()
        .map(|one| match one.unwrap() {
            Redriven::Again { run_id, before } => (run_id, before),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(ids[0].0, ids[1].0);
    assert_ne!(ids[0].1, ids[1].1, "one of them did it");
    world.settle().await;
    assert_eq!(world.view(ids[0].0).await.reply.as_deref(), Some("done"));
    assert_eq!(world.view(run).await.status, RunStatus::Failed);
    let again = redrive_run(&deps, ids[0].0).await.unwrap();
    assert_eq!(
        again,
        Redriven::Nothing {
            status: "completed".into()
        }
    );
    world.assert_invariants().await;
}
