//! Recovery: a holder that vanishes at any commit loses nothing and repeats nothing unsafe.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use openeve_domain::ids::{LeaseToken, RunId};
use openeve_domain::status::RunStatus;
use openeve_runtime::ports::{PortError, Store as _};
use openeve_runtime::step::{StepDeps, step};
use openeve_tests::tap::{Tap, TappedStore};
use openeve_tests::{ScriptedEngine, World, answer, calls};

use crate::support::{tool_turns, world};

/// Where a worker dies, counted in commits.
#[derive(Clone, Copy, Debug)]
enum Death {
    Before(usize),
    After(usize),
}

/// A worker that dies at one of its commits: from then on nothing it asks is answered.
struct Mortal {
    commits: AtomicUsize,
    death: Death,
}

impl Mortal {
    fn number(&self) -> usize {
        self.commits.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl Tap for Mortal {
    async fn before(&self, operation: &'static str) -> Result<(), PortError> {
        if operation != "commit" {
            return Ok(());
        }
        let number = self.commits.fetch_add(1, Ordering::SeqCst);
        if matches!(self.death, Death::Before(at) if at == number) {
            std::future::pending::<()>().await;
        }
        Ok(())
    }

    async fn after(&self, operation: &'static str) -> Result<(), PortError> {
        if operation == "commit"
            && matches!(self.death, Death::After(at) if at + 1 == self.number())
        {
            std::future::pending::<()>().await;
        }
        Ok(())
    }
}

/// Runs a step whose worker dies; whether it died.
async fn mortal_step(world: &World, run: RunId, death: Death) -> bool {
    let mortal = Mortal {
        commits: AtomicUsize::new(0),
        death,
    };
    let store = Arc::new(TappedStore {
        store: world.store.clone(),
        tap: mortal,
    });
    let deps = StepDeps {
        store: store.clone(),
        ..world.step_deps()
    };
    let died = async {
        // A dead worker is one that hangs at its commit: nothing else is going on then.
        openeve_testkit::patience::eventually("the worker is dead or done", async || {
            let commits = store.tap.number();
            let (Death::Before(at) | Death::After(at)) = death;
            (commits > at).then_some(())
        })
        .await;
        openeve_testkit::patience::eventually("its commit has landed", async || {
            let Death::After(at) = death else {
                return Some(());
            };
            (landed(world, run).await > at).then_some(())
        })
        .await;
    };
    tokio::select! {
        biased;
        _ = step(&deps, run, 300_000) => false,
        () = died => true,
    }
}

/// Commits of a run so far, by the rows they leave.
async fn landed(world: &World, run: RunId) -> usize {
    let kinds = world.kinds(run).await;
    let model = kinds
        .iter()
        .filter(|kind| *kind == "model.responded")
        .count();
    let outcomes = kinds
        .iter()
        .filter(|kind| kind.starts_with("tool.execution_s") && *kind != "tool.execution_started");
    model + outcomes.count()
}

/// Crash at every commit: for each the uninterrupted run makes, once before it and once after.
async fn sweep(engine: fn() -> ScriptedEngine, commits: usize, runs_at_most: usize) {
    for at in 0..commits {
        for death in [Death::Before(at), Death::After(at)] {
            let world = world(engine()).await;
            let run = world.say("c", "go").await;
            world.bells.take();
            let died = mortal_step(&world, run, death).await;
            world.expire_leases().await;
            // Every bell the dead worker did not ring is rung by the tick (I17).
            world.tick_late().await;
            let view = world.view(run).await;
            assert_eq!(view.status, RunStatus::Completed, "{death:?}, died: {died}");
            assert_eq!(world.sender.attempts().len(), 1, "one reply; {death:?}");
            let ran = world.tools.ran();
            assert!(ran.len() <= runs_at_most, "{death:?}: {ran:?}");
            world.assert_invariants().await;
        }
    }
}

#[tokio::test]
async fn a_crash_at_every_commit_of_an_unsafe_turn_runs_no_tool_twice() {
    sweep(|| tool_turns("act", 3), 7, 3).await;
}

#[tokio::test]
async fn a_crash_at_every_commit_of_a_harmless_turn_completes() {
    sweep(|| tool_turns("look", 3), 4, 6).await;
}

#[tokio::test]
async fn nine_settled_calls_of_ten_are_not_run_again() {
    let engine = ScriptedEngine::new(|done, _| {
        if done == 0 {
            calls(0, &["act"; 10])
        } else {
            answer("done")
        }
    });
    let gate = openeve_testkit::gate::Gate::new();
    let held = gate.clone();
    let tools = openeve_tests::ClosureTools::waiting(move |_, input| {
        let held = held.clone();
        async move {
            if input["n"] == 9 {
                held.pass().await;
            }
            Ok(serde_json::json!("ok"))
        }
    });
    let world = World::new(openeve_tests::WorldOptions {
        tools,
        ..crate::support::options(engine)
    })
    .await;
    let run = world.say("c", "go").await;
    world.bells.take();
    let deps = world.step_deps();
    let nine = openeve_testkit::patience::eventually("nine calls settled", async || {
        let kinds = world.kinds(run).await;
        let settled = kinds
            .iter()
            .filter(|kind| *kind == "tool.execution_succeeded")
            .count();
        (settled == 9).then_some(())
    });
    tokio::select! {
        _ = step(&deps, run, 300_000) => panic!("the tenth call is held"),
        () = nine => {}
    }
    world.expire_leases().await;
    world.step(run).await.unwrap();
    world.settle().await;
    assert_eq!(world.view(run).await.status, RunStatus::Completed);
    assert_eq!(
        world.tools.ran().len(),
        10,
        "none ran again, the tenth was unsafe and stays interrupted"
    );
    let interrupted = world
        .kinds(run)
        .await
        .into_iter()
        .filter(|kind| kind == "tool.execution_interrupted");
    assert_eq!(interrupted.count(), 1);
    world.assert_invariants().await;
}

#[tokio::test]
async fn an_idempotent_call_is_run_again_under_the_same_key() {
    let world = world(tool_turns("keyed", 1)).await;
    let run = world.say("c", "go").await;
    world.bells.take();
    assert!(
        mortal_step(&world, run, Death::Before(1)).await,
        "it dies with the outcome in hand"
    );
    world.expire_leases().await;
    world.step(run).await.unwrap();
    let ran = world.tools.ran();
    assert_eq!(ran.len(), 2);
    assert_eq!(
        ran[0], ran[1],
        "the same call id, so the same idempotency key"
    );
}

#[tokio::test]
async fn a_run_that_only_crashes_is_ended_as_stalled_and_frees_its_conversation() {
    let world = world(tool_turns("act", 1)).await;
    let run = world.say("c", "go").await;
    let next = world.say("c", "next").await;
    world.bells.take();
    for crash in 0..6 {
        let token = LeaseToken::new(uuid::Uuid::from_u128(900 + crash));
        world.store.claim(run, token, 60_000).await.unwrap();
        world.expire_leases().await;
    }
    world.step(run).await.unwrap();
    let failure = world.view(run).await.failure.expect("the run ended");
    assert_eq!(failure.code, "stalled");
    world.settle().await;
    assert_eq!(world.view(next).await.status, RunStatus::Completed);
    world.assert_invariants().await;
}

#[tokio::test]
async fn the_tick_rings_a_run_whose_bell_was_lost() {
    let world = world(tool_turns("act", 1)).await;
    let run = world.say("c", "go").await;
    world.bells.take();
    assert!(world.bells.take().is_empty());
    world.tick_late().await;
    assert_eq!(world.view(run).await.status, RunStatus::Completed);
}

#[tokio::test]
async fn heartbeats_are_paced_by_the_lease_and_not_by_each_piece_of_work() {
    // Three tools of 20 s each, one after another, without a commit between the model's answers
    // that could extend the lease: together longer than a lease of 60 s less one heartbeat.
    let engine = ScriptedEngine::new(|done, _| {
        if done < 3 {
            calls(done, &["look"])
        } else {
            answer("done")
        }
    });
    let gate = openeve_testkit::gate::Gate::new();
    let held = gate.clone();
    let tools = openeve_tests::ClosureTools::waiting(move |_, _| {
        let held = held.clone();
        async move {
            held.pass().await;
            Ok(serde_json::json!("ok"))
        }
    });
    let world = World::new(openeve_tests::WorldOptions {
        tools,
        ..crate::support::options(engine)
    })
    .await;
    let run = world.say("c", "go").await;
    world.bells.take();
    let drive = async {
        gate.arrived(1).await;
        // The step waits on its clock for the next heartbeat; time passes in small pieces.
        for _ in 0..4 {
            world.clock.advance_ms(10_000);
            tokio::task::yield_now().await;
        }
        openeve_testkit::patience::eventually("a heartbeat reached the database", async || {
            let sql = "SELECT lease_expires_at > clock_timestamp() + INTERVAL '59 seconds' FROM openeve.runs";
            let client = world.database.connect().await;
            client.query_one(sql, &[]).await.unwrap().get::<_, bool>(0).then_some(())
        })
        .await;
        gate.open();
    };
    let (stepped, ()) = tokio::join!(world.step(run), drive);
    stepped.unwrap();
    world.settle().await;
    assert_eq!(world.view(run).await.status, RunStatus::Completed);
}
