//! A, second half: what a crash, a restart and a redelivery leave behind.

use std::sync::{Arc, Mutex};

use openeve_domain::bell::Place;
use openeve_domain::ids::{LeaseToken, RunId};
use openeve_domain::pause::Decision;
use openeve_domain::status::RunStatus;
use openeve_runtime::ports::Store as _;
use openeve_runtime::step::{StepDeps, Stepped, step};
use openeve_runtime::tick::tick;
use openeve_testkit::patience::eventually;
use openeve_tests::{ScriptedEngine, World, answer, calls};
use uuid::Uuid;

use super::support::{
    LEASE_MS, STEP_MS, When, aged_tick, batches, begun, count, decide, dies, gated, gated_world,
    held_world, hold_through, impatient, paused, pauses, say_answer, scheduled, stopping,
    terminate_others, texts, ticking, times,
};
use super::wire::{Wire, words};
use crate::support::{echo, options, tool_turns, world};

/// Public case A21 (graphile/worker #449).
#[tokio::test]
async fn a21_a_database_that_restarts_read_only_mid_run_needs_no_hand_on_its_rows() {
    let (world, gate) = held_world(tool_turns("act", 2)).await;
    let run = begun(&world).await;
    let restart = async {
        gate.arrived(1).await;
        let client = world.database.connect().await;
        let name = world.database.name();
        let read_only = format!("ALTER DATABASE \"{name}\" SET default_transaction_read_only = on");
        client.batch_execute(&read_only).await.unwrap();
        terminate_others(&client).await;
        gate.open();
        eventually("the commit waits", async || {
            world.clock.waits_ms().contains(&200).then_some(())
        })
        .await;
        let again = format!("ALTER DATABASE \"{name}\" RESET default_transaction_read_only");
        client.batch_execute(&again).await.unwrap();
        world.clock.advance_ms(200);
    };
    let (stepped, ()) = tokio::join!(world.step(run), restart);
    stepped.unwrap();
    world.settle().await;
    assert_eq!(world.view(run).await.status, RunStatus::Completed);
    assert_eq!(world.tools.ran().len(), 2, "no tool again");
    assert_eq!(times(&world, run, "tool.execution_interrupted").await, 0);
    world.assert_invariants().await;
}

/// Public case A22 (agenda/agenda #1749).
#[tokio::test]
async fn a22_a_schedule_whose_run_was_killed_fires_the_next_time() {
    let (world, clock) = scheduled("0 8 * * *", "2026-11-30T08:00:20Z").await;
    tick(&ticking(&world, &clock)).await.unwrap();
    let [(Place::Run { run_id: first }, 0)] = world.bells.take()[..] else {
        panic!("one run was fired")
    };
    dies(world.step_deps(), first, 0, When::Before).await;
    clock.advance_ms(24 * 3_600_000);
    let ticked = tick(&ticking(&world, &clock)).await.unwrap();
    assert_eq!(ticked.fired, 1, "a stale lease starves nothing");
    world.settle().await;
    world.expire_leases().await;
    world.tick_late().await;
    let statuses = texts(&world, "SELECT status FROM openeve.runs ORDER BY position").await;
    assert_eq!(statuses, ["completed", "completed"]);
    world.assert_invariants().await;
}

/// Public case A24 (tensorzero/durable PR #68). A lease that ran out and that nobody took may still
/// be written under: the epoch, not the time, says who writes.
#[tokio::test]
async fn a24_a_checkpoint_behind_a_lease_that_others_took_is_refused_and_leaves_no_row() {
    for taken in [false, true] {
        let world = world(tool_turns("act", 1)).await;
        let run = begun(&world).await;
        let (slow, gate) = stopping(world.step_deps(), "commit", 0, When::Before);
        let meanwhile = async {
            gate.arrived(1).await;
            world.expire_leases().await;
            if taken {
                let token = LeaseToken::new(Uuid::from_u128(7));
                world.store.claim(run, token, LEASE_MS).await.unwrap();
            }
            gate.open();
        };
        let (stepped, ()) = tokio::join!(step(&slow, run, STEP_MS), meanwhile);
        let checkpoints = count(&world, "SELECT count(*) FROM openeve.checkpoints").await;
        if taken {
            assert_eq!((stepped, checkpoints), (Ok(Stepped::Superseded), 0));
            assert_eq!(world.kinds(run).await, ["run.created"]);
        } else {
            assert_eq!((stepped, checkpoints), (Ok(Stepped::Ended), 2));
        }
    }
}

/// Public case A25 (earendil-works/absurd PR #8).
#[tokio::test]
async fn a25_a_model_call_of_five_minutes_gets_no_second_claim() {
    let world = world(echo()).await;
    let run = begun(&world).await;
    let wire = Wire::held(|_, _| words("done"));
    let worker = wire.worker(&world);
    let drive = async {
        wire.gate.arrived(1).await;
        hold_through(&world, run, 10).await;
        wire.gate.open();
    };
    let (stepped, ()) = tokio::join!(step(&worker, run, STEP_MS), drive);
    assert_eq!(stepped, Ok(Stepped::Ended));
    assert_eq!(wire.requests().len(), 1);
    assert_eq!(count(&world, "SELECT epoch FROM openeve.runs").await, 1);
}

/// Public case A26 (inngest/inngest PR #4130).
#[tokio::test]
async fn a26_a_commit_whose_answer_was_lost_still_has_its_run_go_on() {
    let mut world = world(tool_turns("act", 1)).await;
    world.settings.step_slice_ms = 0;
    let run = begun(&world).await;
    // Of the three commits of this step, the claim's is the first and the release the last.
    world.proxy.lose_later_answer_of("COMMIT", 2);
    assert_eq!(world.step(run).await, Ok(Stepped::HandedOn));
    assert_eq!(world.proxy.armed(), 0, "the answer was lost");
    assert_eq!(world.bells.take(), [(Place::Run { run_id: run }, 0)]);
    assert_eq!(times(&world, run, "run.chained").await, 1);
    // And a worker that vanishes between the commit and the bell.
    dies(world.step_deps(), run, 1, When::After).await;
    assert_eq!(world.bells.take(), []);
    assert_eq!(aged_tick(&world).await.runs_rung, 1);
    world.settle().await;
    assert_eq!(world.view(run).await.status, RunStatus::Completed);
    assert_eq!(world.tools.ran().len(), 1);
    world.assert_invariants().await;
}

/// Public case A28 (inngest/agent-kit #196).
#[tokio::test]
async fn a28_a_restart_between_all_steps_takes_each_of_them_once() {
    let counts = Arc::new(Mutex::new(Vec::new()));
    let seen = counts.clone();
    let mut world = world(ScriptedEngine::new(move |done, _| {
        seen.lock().unwrap().push(done);
        if done < 5 {
            calls(done, &["act"])
        } else {
            answer("done")
        }
    }))
    .await;
    world.settings.step_slice_ms = 0;
    let run = begun(&world).await;
    // Each step is another process: nothing but rows goes from one to the next.
    while world.step(run).await == Ok(Stepped::HandedOn) {}
    assert_eq!(world.view(run).await.status, RunStatus::Completed);
    assert_eq!(*counts.lock().unwrap(), [0, 1, 2, 3, 4, 5]);
    assert_eq!(world.tools.ran().len(), 5);
}

/// A worker of a later revision whose tools stand in another order.
fn reordered(world: &World) -> StepDeps {
    let mut manifest = openeve_tests::manifest(options(echo()).manifest.tools);
    manifest.tools.push(gated("pay"));
    manifest.tools.reverse();
    manifest.revision = "revision-2".into();
    StepDeps {
        manifest: Arc::new(manifest),
        ..world.step_deps()
    }
}

/// Public case A31 (aws-durable-execution-sdk-python #692).
#[tokio::test]
async fn a31_tools_that_change_places_between_deploys_are_noticed_and_none_is_skipped() {
    let world = gated_world(batches(&[&["act"], &["pay"], &["keyed"]])).await;
    let run = paused(&world).await;
    decide(&world, run, 0, Decision::Approve).await;
    world.bells.take();
    let stepped = step(&reordered(&world), run, STEP_MS).await;
    assert_eq!(stepped, Ok(Stepped::Ended));
    let ran: Vec<String> = world
        .tools
        .ran()
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(ran, ["act", "pay", "keyed"], "each call is its own row");
    let events = world.events(run).await;
    let drift = events
        .iter()
        .find(|event| event.kind == "harness.resume_degraded");
    let drift = &drift.expect("the drift is on record").payload;
    assert_eq!(
        (&drift["reason"], &drift["from"], &drift["to"]),
        (
            &"revision".into(),
            &"revision-1".into(),
            &"revision-2".into()
        )
    );
    let reply = world.view(run).await.reply.unwrap();
    let order: Vec<Option<usize>> = ["act", "pay", "keyed"].map(|name| reply.find(name)).into();
    assert!(order.is_sorted() && order[0].is_some(), "{reply}");
}

/// Public case A32 (aws-durable-execution-sdk-java #51).
#[tokio::test]
async fn a32_a_checkpoint_that_cannot_be_written_ends_the_step_before_anything_runs() {
    let world = world(tool_turns("act", 1)).await;
    let run = begun(&world).await;
    let (worker, gate) = stopping(impatient(&world), "commit", 0, When::Before);
    let outage = async {
        gate.arrived(1).await;
        world.proxy.refuse(true);
        world.proxy.cut();
        gate.open();
    };
    let (stepped, ()) = tokio::join!(step(&worker, run, STEP_MS), outage);
    assert_eq!(stepped.unwrap_err().code, "database_unreachable");
    assert!(world.tools.ran().is_empty(), "its intent is not on record");
    assert_eq!(world.engine.asked(), 1);
    world.proxy.refuse(false);
    world.expire_leases().await;
    world.tick_late().await;
    assert_eq!(world.view(run).await.status, RunStatus::Completed);
    assert_eq!(world.tools.ran().len(), 1);
}

/// What a run has come to, however it came there.
async fn outcome(world: &World, run: RunId) -> Vec<String> {
    assert_eq!(world.view(run).await.status, RunStatus::Completed);
    let sql = "SELECT concat_ws(' ', seq, kind, body) FROM openeve.messages WHERE run_id = $1 \
               UNION ALL SELECT concat_ws(' ', entry_seq, ordinal, name, status, model_output) \
               FROM openeve.tool_calls WHERE run_id = $1 \
               UNION ALL SELECT concat_ws(' ', status, body) FROM openeve.deliveries WHERE run_id = $1 \
               ORDER BY 1";
    let client = world.database.connect().await;
    let rows = client.query(sql, &[&run.uuid()]).await.unwrap();
    rows.iter().map(|row| row.get(0)).collect()
}

/// Public case A35 (langchain-ai/langgraph #8039).
#[tokio::test]
async fn a35_a_crash_at_each_of_the_writes_comes_to_the_same() {
    let world = world(batches(&[&["keyed", "keyed"], &["keyed"]])).await;
    let run = world.say("uninterrupted", "go").await;
    world.settle().await;
    let wanted = outcome(&world, run).await;
    assert_eq!(wanted.len(), 8, "{wanted:?}");
    for commit in 0..5 {
        for when in [When::Before, When::After] {
            let run = world.say(&format!("{when:?} {commit}"), "go").await;
            world.bells.take();
            dies(world.step_deps(), run, commit, when).await;
            world.expire_leases().await;
            world.tick_late().await;
            let got = outcome(&world, run).await;
            assert_eq!(got, wanted, "{when:?} commit {commit}");
        }
    }
    world.assert_invariants().await;
}

/// Public case A36 (langchain-ai/langgraph #6577, #7780).
#[tokio::test]
async fn a36_what_came_before_three_questions_is_done_once() {
    let world = gated_world(batches(&[
        &["act"],
        &["ask_question"],
        &["ask_question"],
        &["ask_question"],
    ]))
    .await;
    let run = paused(&world).await;
    for text in ["a", "b", "c"] {
        say_answer(&world, run, text).await;
        world.settle().await;
    }
    assert_eq!(world.view(run).await.status, RunStatus::Completed);
    assert_eq!(world.tools.ran().len(), 1);
    assert_eq!(world.engine.asked(), 5, "no request twice");
    assert_eq!(pauses(&world, run).await.len(), 3);
}

/// Public case A38 (pydantic/pydantic-ai #6914).
#[tokio::test]
async fn a38_a_run_that_was_claimed_and_never_worked_on_is_claimed_again_within_its_lease() {
    let world = world(tool_turns("act", 1)).await;
    let run = begun(&world).await;
    let token = LeaseToken::new(Uuid::from_u128(7));
    let lease_ms = world.settings.run_lease_ms;
    world.store.claim(run, token, lease_ms).await.unwrap();
    assert_eq!(lease_ms, LEASE_MS);
    assert_eq!(world.step(run).await, Ok(Stepped::Nothing));
    assert_eq!(aged_tick(&world).await.runs_rung, 0);
    world.expire_leases().await;
    assert_eq!(aged_tick(&world).await.runs_rung, 1);
    world.settle().await;
    assert_eq!(world.view(run).await.status, RunStatus::Completed);
    assert_eq!(world.tools.ran().len(), 1);
}
