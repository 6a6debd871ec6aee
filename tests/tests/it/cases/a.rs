//! A, first half: duplicates, fencing, and who may work on a run.

use openeve_domain::bell::Place;
use openeve_domain::ids::LeaseToken;
use openeve_domain::pause::{Decision, PauseStatus};
use openeve_domain::status::RunStatus;
use openeve_runtime::ports::{Claim, Redriven, Store as _};
use openeve_runtime::resume::{Outcome, redrive_run};
use openeve_runtime::step::{Stepped, step};
use openeve_runtime::tick::tick;
use uuid::Uuid;

use super::support::{
    LEASE_MS, STEP_MS, When, aged_tick, batches, begun, count, decide, dies, gated_world,
    held_world, hold_through, impatient, paused, pauses, stopping, texts, times,
};
use crate::support::{echo, tool_turns, world};

const STARTED: &str = "tool.execution_started";
const SUCCEEDED: &str = "tool.execution_succeeded";
const INTERRUPTED: &str = "tool.execution_interrupted";

/// Public case A1 (vercel/workflow #2039).
#[tokio::test]
async fn a1_two_workers_race_on_one_pending_set_and_the_loser_acknowledges_quietly() {
    let (world, gate) = held_world(tool_turns("act", 1)).await;
    let run = begun(&world).await;
    let second = async {
        gate.arrived(1).await;
        let stepped = world.step(run).await;
        gate.open();
        stepped
    };
    let stepped = tokio::join!(world.step(run), second);
    assert_eq!(stepped, (Ok(Stepped::Ended), Ok(Stepped::Nothing)));
    assert_eq!(times(&world, run, STARTED).await, 1);
    // Not only the code keeps a second one out.
    let client = world.database.connect().await;
    let again = "INSERT INTO openeve.tool_calls \
                 (id, run_id, entry_seq, ordinal, provider_call_id, name, arguments, side_effects, status) \
                 SELECT gen_random_uuid(), run_id, entry_seq, ordinal, 'again', name, arguments, side_effects, \
                 'requested' FROM openeve.tool_calls";
    let refused = client.batch_execute(again).await.unwrap_err();
    assert_eq!(
        refused.as_db_error().unwrap().constraint(),
        Some("tool_calls_run_id_entry_seq_ordinal_key")
    );
    assert_eq!(
        count(&world, "SELECT count(*) FROM openeve.tool_calls").await,
        1
    );
    world.assert_invariants().await;
}

/// Public case A2 (vercel/workflow #2331).
#[tokio::test]
async fn a2_a_worker_that_wakes_up_between_its_writes_changes_nothing() {
    let world = world(tool_turns("act", 1)).await;
    let run = begun(&world).await;
    let (slow, gate) = stopping(world.step_deps(), "commit", 1, When::Before);
    let fast = async {
        gate.arrived(1).await;
        world.expire_leases().await;
        assert_eq!(world.step(run).await, Ok(Stepped::Ended));
        let before = world.events(run).await;
        gate.open();
        before
    };
    let (stepped, before) = tokio::join!(step(&slow, run, STEP_MS), fast);
    assert_eq!(stepped, Ok(Stepped::Superseded));
    assert_eq!(world.events(run).await, before, "nothing behind the end");
    assert_eq!(times(&world, run, SUCCEEDED).await, 0);
    assert_eq!(times(&world, run, INTERRUPTED).await, 1, "one outcome");
    world.assert_invariants().await;
}

/// Public case A4 (vercel/workflow #3553).
#[tokio::test]
async fn a4_a_tool_of_a_minute_is_run_once_although_its_bell_comes_again_after_half() {
    let (world, gate) = held_world(tool_turns("act", 1)).await;
    let run = begun(&world).await;
    let drive = async {
        gate.arrived(1).await;
        assert_eq!(times(&world, run, STARTED).await, 1, "journalled first");
        hold_through(&world, run, 1).await;
        assert_eq!(world.step(run).await, Ok(Stepped::Nothing), "redelivered");
        hold_through(&world, run, 1).await;
        gate.open();
    };
    let (stepped, ()) = tokio::join!(world.step(run), drive);
    stepped.unwrap();
    world.settle().await;
    assert_eq!(world.view(run).await.status, RunStatus::Completed);
    assert_eq!(world.tools.ran().len(), 1);
    assert_eq!(world.sender.attempts().len(), 1);
    assert_eq!(times(&world, run, "run.recovery_claimed").await, 0);
}

/// Public case A5 (vercel/workflow #3758).
#[tokio::test]
async fn a5_a_second_replica_leaves_what_a_live_one_works_on_until_the_lease_is_over() {
    let (world, gate) = held_world(tool_turns("act", 1)).await;
    let run = begun(&world).await;
    let first = world.step_deps();
    let second = async {
        gate.arrived(1).await;
        assert_eq!(aged_tick(&world).await.runs_rung, 0);
        assert_eq!(world.step(run).await, Ok(Stepped::Nothing));
        assert_eq!(count(&world, "SELECT epoch FROM openeve.runs").await, 1);
    };
    // The first replica is gone when the second has looked.
    tokio::select! {
        biased;
        stepped = step(&first, run, STEP_MS) => panic!("the tool is held: {stepped:?}"),
        () = second => {}
    }
    world.expire_leases().await;
    assert_eq!(aged_tick(&world).await.runs_rung, 1);
    world.settle().await;
    assert_eq!(world.view(run).await.status, RunStatus::Completed);
    assert_eq!(count(&world, "SELECT epoch FROM openeve.runs").await, 2);
    assert_eq!(world.tools.ran().len(), 1);
    world.assert_invariants().await;
}

/// Public case A6 (vercel/workflow PR #2675).
#[tokio::test]
async fn a6_a_result_whose_first_commit_breaks_is_committed_again_and_not_made_again() {
    let world = world(tool_turns("act", 1)).await;
    for (answer_lost, so_far) in [(false, 0), (true, 1)] {
        let run = begun(&world).await;
        let outcome = "UPDATE openeve.tool_calls";
        if answer_lost {
            world.proxy.lose_answer_of(outcome);
        } else {
            world.proxy.lose_request_of(outcome);
        }
        assert_eq!(world.step(run).await, Ok(Stepped::Ended));
        assert_eq!(world.proxy.armed(), 0, "the connection broke");
        assert_eq!(world.tools.ran().len(), so_far + 1);
        assert_eq!(times(&world, run, SUCCEEDED).await, 1);
        assert_eq!(times(&world, run, INTERRUPTED).await, 0);
    }
    world.assert_invariants().await;
}

/// Public case A8 (vercel/workflow PR #322).
#[tokio::test]
async fn a8_a_kill_between_status_and_event_leaves_neither() {
    let world = world(echo()).await;
    let run = begun(&world).await;
    let (worker, gate) = stopping(impatient(&world), "commit", 0, When::Before);
    let kill = async {
        gate.arrived(1).await;
        // The commit breaks off before its events, and no other connection is to be had.
        world
            .proxy
            .lose_request_of("INSERT INTO openeve.run_events");
        world.proxy.refuse(true);
        gate.open();
    };
    let (stepped, ()) = tokio::join!(step(&worker, run, STEP_MS), kill);
    assert_eq!(stepped.unwrap_err().code, "database_unreachable");
    assert_eq!(world.proxy.armed(), 0);
    world.proxy.refuse(false);
    assert_eq!(world.view(run).await.status, RunStatus::Running);
    assert_eq!(world.kinds(run).await, ["run.created"]);
    assert_eq!(
        count(&world, "SELECT count(*) FROM openeve.deliveries").await,
        0
    );
    world.expire_leases().await;
    world.tick_late().await;
    assert_eq!(world.view(run).await.status, RunStatus::Completed);
    assert_eq!(times(&world, run, "run.completed").await, 1);
    world.assert_invariants().await;
}

/// Public case A11 (dbos-transact-java #491).
#[tokio::test]
async fn a11_a_run_that_starts_in_the_moment_of_the_sweep_is_run_once() {
    let (world, gate) = held_world(tool_turns("act", 1)).await;
    let run = world.say("c", "go").await;
    let ticked = tick(&world.tick_deps()).await.unwrap();
    assert_eq!(ticked.runs_rung, 0, "its own bell is under way");
    let sweep = async {
        gate.arrived(1).await;
        // Without any grace: the lease alone says that somebody is at it, by the database's clock.
        let due = world.store.due("tester", 200, 0, 0).await.unwrap();
        assert_eq!(due.runs, []);
        gate.open();
    };
    tokio::join!(world.settle(), sweep);
    assert_eq!(world.view(run).await.status, RunStatus::Completed);
    assert_eq!(world.tools.ran().len(), 1);
    assert_eq!(count(&world, "SELECT epoch FROM openeve.runs").await, 1);
}

/// Public case A12 (dbos-transact-py #804).
#[tokio::test]
async fn a12_a_draining_worker_that_is_rung_once_more_leaves_the_work_to_others() {
    let (world, gate) = held_world(tool_turns("act", 2)).await;
    let run = begun(&world).await;
    let draining = world.step_deps();
    let stop = async {
        gate.arrived(1).await;
        draining
            .draining
            .store(true, std::sync::atomic::Ordering::SeqCst);
        gate.open();
    };
    let (stepped, ()) = tokio::join!(step(&draining, run, STEP_MS), stop);
    assert_eq!(
        stepped,
        Ok(Stepped::HandedOn),
        "what it had begun is finished"
    );
    assert_eq!((world.engine.asked(), world.tools.ran().len()), (1, 1));
    world.bells.take();
    assert_eq!(aged_tick(&world).await.runs_rung, 1);
    assert_eq!(step(&draining, run, STEP_MS).await, Ok(Stepped::HandedOn));
    assert_eq!(
        (world.engine.asked(), world.tools.ran().len()),
        (1, 1),
        "it does nothing more"
    );
    let held = "SELECT count(*) FROM openeve.runs WHERE lease_token IS NOT NULL";
    assert_eq!(count(&world, held).await, 0, "nothing is stranded with it");
    assert_eq!(world.step(run).await, Ok(Stepped::Ended));
    assert_eq!(world.tools.ran().len(), 2);
    world.assert_invariants().await;
}

/// Public case A14 (dbos-transact-java #514).
#[tokio::test]
async fn a14_a_hundred_orphans_all_go_through_the_queue() {
    let world = world(echo()).await;
    let mut runs = Vec::new();
    for number in 0..100 {
        runs.push(world.say(&format!("conversation {number}"), "go").await);
    }
    world.bells.take();
    let client = world.database.connect().await;
    let orphan = "UPDATE openeve.runs SET status = 'running', epoch = 1, lease_token = gen_random_uuid(), \
                  lease_expires_at = clock_timestamp() - INTERVAL '1 hour', \
                  updated_at = clock_timestamp() - INTERVAL '1 hour'";
    client.batch_execute(orphan).await.unwrap();
    let ticked = tick(&world.tick_deps()).await.unwrap();
    assert_eq!(ticked.runs_rung, 100);
    let bells = world.bells.take();
    for run in runs {
        assert!(bells.contains(&(Place::Run { run_id: run }, 0)), "{run}");
    }
    assert_eq!(
        world.engine.asked(),
        0,
        "whoever finds them runs none of them"
    );
    let claimed = "SELECT count(*) FROM openeve.runs WHERE epoch <> 1";
    assert_eq!(count(&world, claimed).await, 0, "nor does it claim them");
}

/// Public case A15 (riverqueue/river #1302).
#[tokio::test]
async fn a15_a_sweep_that_acts_on_an_old_snapshot_changes_nothing() {
    let world = gated_world(batches(&[&["pay"]])).await;
    let run = paused(&world).await;
    let client = world.database.connect().await;
    let late = "UPDATE openeve.pauses SET expires_at = clock_timestamp() - INTERVAL '1 second'";
    client.batch_execute(late).await.unwrap();
    let snapshot = world.proxy.hold_answer_of("SELECT 'run' AS kind");
    let meanwhile = async {
        snapshot.arrived(1).await;
        let taken = decide(&world, run, 0, Decision::Approve).await;
        assert!(matches!(taken, Outcome::Taken { .. }), "{taken:?}");
        world.bells.take();
        assert_eq!(world.step(run).await, Ok(Stepped::Ended));
        snapshot.open();
    };
    let tick_deps = world.tick_deps();
    let (ticked, ()) = tokio::join!(tick(&tick_deps), meanwhile);
    assert_eq!(ticked.unwrap().runs_rung, 0);
    assert_eq!(world.view(run).await.status, RunStatus::Completed);
    assert_eq!(
        pauses(&world, run).await[0].pause.status,
        PauseStatus::Decided
    );
    assert_eq!(times(&world, run, "pause.expired").await, 0);
    // A bell for a run that has ended meanwhile does nothing.
    let before = world.events(run).await;
    assert_eq!(world.step(run).await, Ok(Stepped::Nothing));
    assert_eq!(world.events(run).await, before);
}

/// Public case A16 (riverqueue/river #1105).
#[tokio::test]
async fn a16_an_old_build_leaves_a_kind_of_call_alone_that_it_does_not_know() {
    let mut world = world(tool_turns("act", 1)).await;
    world.settings.step_slice_ms = 0;
    let run = begun(&world).await;
    assert_eq!(world.step(run).await, Ok(Stepped::HandedOn));
    world.bells.take();
    let client = world.database.connect().await;
    let newer = "ALTER TABLE openeve.tool_calls DROP CONSTRAINT tool_calls_side_effects_check; \
                 UPDATE openeve.tool_calls SET side_effects = 'reversible'";
    client.batch_execute(newer).await.unwrap();
    let calls = "SELECT t::text FROM openeve.tool_calls AS t";
    let before = texts(&world, calls).await;
    assert_eq!(aged_tick(&world).await.runs_rung, 1);
    assert_eq!(world.step(run).await, Ok(Stepped::SetAside));
    assert_eq!(texts(&world, calls).await, before, "untouched");
    let view = world.view(run).await;
    assert_eq!(view.status, RunStatus::Running);
    assert_eq!(view.blocked.unwrap().code, "database_row");
    // The build that knows it is back.
    let known = "UPDATE openeve.tool_calls SET side_effects = 'unsafe'";
    client.batch_execute(known).await.unwrap();
    let freed = redrive_run(&world.resume_deps(), run).await;
    assert_eq!(freed, Ok(Redriven::Freed));
    world.settle().await;
    assert_eq!(world.view(run).await.status, RunStatus::Completed);
    assert_eq!(world.tools.ran().len(), 1);
    world.assert_invariants().await;
}

/// Public case A18 (riverqueue/river #682, #347, #773).
#[tokio::test]
async fn a18_a_tool_of_half_an_hour_is_not_stolen_and_a_dead_one_is_within_its_short_lease() {
    let (world, gate) = held_world(tool_turns("act", 1)).await;
    let run = begun(&world).await;
    let holder = world.step_deps();
    let half_an_hour = async {
        gate.arrived(1).await;
        hold_through(&world, run, 60).await;
    };
    tokio::select! {
        biased;
        stepped = step(&holder, run, STEP_MS) => panic!("the tool is held: {stepped:?}"),
        () = half_an_hour => {}
    }
    // It is gone. Whatever its tool was to take, the end of its lease is known ahead.
    let ticked = tick(&world.tick_deps()).await.unwrap();
    assert_eq!((ticked.runs_rung, ticked.leases_watched), (0, 1));
    let bells = world.bells.take();
    assert!(
        matches!(bells[..], [(Place::Run { run_id }, ..=61_000)] if run_id == run),
        "{bells:?}"
    );
    world.expire_leases().await;
    assert_eq!(aged_tick(&world).await.runs_rung, 1);
    let token = LeaseToken::new(Uuid::from_u128(7));
    let claim = world.store.claim(run, token, LEASE_MS).await.unwrap();
    assert!(matches!(claim, Claim::Claimed(state) if state.recovery));
}

/// Public case A34 (microsoft/agent-framework #3938).
#[tokio::test]
async fn a34_a_kill_right_after_the_effect_charges_once() {
    for (tool, runs) in [("act", 1), ("keyed", 2)] {
        let world = world(tool_turns(tool, 1)).await;
        let run = begun(&world).await;
        dies(world.step_deps(), run, 1, When::Before).await;
        world.expire_leases().await;
        world.tick_late().await;
        assert_eq!(world.view(run).await.status, RunStatus::Completed);
        let mut charges = world.tools.ran();
        assert_eq!(charges.len(), runs, "{tool}");
        charges.dedup();
        assert_eq!(
            charges.len(),
            1,
            "one idempotency key is one charge; {tool}"
        );
        world.assert_invariants().await;
    }
}
