//! The database goes away: connections are replaced, commits are patient, nothing is lost.

use openeve_domain::status::RunStatus;
use openeve_testkit::gate::Gate;
use openeve_tests::{ClosureTools, World, WorldOptions, answer};
use serde_json::json;

use crate::support::{echo, options, tool_turns, world};

#[tokio::test]
async fn a_connection_cut_while_idle_is_replaced_without_an_error() {
    let world = world(echo()).await;
    for number in 0..3 {
        world.proxy.cut();
        let run = world.say("c", &format!("message {number}")).await;
        world.proxy.cut();
        world.settle().await;
        assert_eq!(world.view(run).await.status, RunStatus::Completed);
    }
}

#[tokio::test]
async fn a_connection_cut_while_the_model_thinks_costs_no_second_request() {
    let world = world(openeve_tests::ScriptedEngine::new(|_, _| answer("done"))).await;
    let run = world.say("c", "go").await;
    world.proxy.cut();
    world.settle().await;
    assert_eq!(world.view(run).await.status, RunStatus::Completed);
    assert_eq!(world.engine.asked(), 1);
}

#[tokio::test]
async fn a_database_away_for_seconds_mid_turn_interrupts_no_tool() {
    let gate = Gate::new();
    let held = gate.clone();
    let tools = ClosureTools::waiting(move |_, _| {
        let held = held.clone();
        async move {
            held.pass().await;
            Ok(json!("charged"))
        }
    });
    let world = World::new(WorldOptions {
        tools,
        ..options(tool_turns("act", 1))
    })
    .await;
    let run = world.say("c", "go").await;
    world.bells.take();
    let away = async {
        gate.arrived(1).await;
        world.proxy.refuse(true);
        world.proxy.cut();
        gate.open();
        // The commit fails and waits on the fake clock: once somebody waits, the server is back.
        openeve_testkit::patience::eventually("the commit waits", async || {
            world.clock.waits_ms().contains(&200).then_some(())
        })
        .await;
        world.proxy.refuse(false);
        world.clock.advance_ms(200);
    };
    let (stepped, ()) = tokio::join!(world.step(run), away);
    stepped.unwrap();
    world.settle().await;
    assert_eq!(world.view(run).await.status, RunStatus::Completed);
    let kinds = world.kinds(run).await;
    assert!(
        !kinds.iter().any(|kind| kind.contains("interrupted")),
        "{kinds:?}"
    );
    assert_eq!(world.tools.ran().len(), 1);
}

#[tokio::test]
async fn a_database_that_is_down_says_so_with_the_remedy() {
    let world = world(echo()).await;
    let run = world.say("c", "go").await;
    world.proxy.refuse(true);
    world.proxy.cut();
    let deps = openeve_runtime::step::StepDeps {
        // The step waits for a moment before it gives up; this clock waits for nobody.
        clock: std::sync::Arc::new(openeve_testkit::clock::FakeClock::eager(
            jiff::Timestamp::UNIX_EPOCH,
        )),
        ..world.step_deps()
    };
    let error = openeve_runtime::step::step(&deps, run, 300_000)
        .await
        .unwrap_err();
    assert_eq!(error.code, "database_unreachable");
    assert!(error.message.contains("DATABASE_URL"), "{}", error.message);
    world.proxy.refuse(false);
    world.settle().await;
    assert_eq!(world.view(run).await.status, RunStatus::Completed);
}
