//! D: the queue, Postgres and sizes. D1 and D2 are in the end-to-end tier.

use std::sync::Arc;

use async_trait::async_trait;
use openeve_domain::bell::Place;
use openeve_domain::event::Event;
use openeve_domain::ids::RunId;
use openeve_domain::manifest::Manifest;
use openeve_domain::run::settle_calls::Outcome;
use openeve_domain::status::{DeliveryStatus, RunStatus};
use openeve_runtime::ports::{Gate as Verdict, Invocation, Store as _, ToolRunner};
use openeve_runtime::step::{StepDeps, Stepped, step};
use openeve_runtime::tick::{TickDeps, tick};
use openeve_tests::{ClosureTools, World, WorldOptions, output};
use serde_json::{Value, json};

use super::support::{
    STEP_MS, When, aged_tick, batches, begun, count, dies, page, terminate_others,
};
use super::wire::{Wire, words};
use crate::support::{echo, options, tool_turns, world};

/// Public case D8 (langchain-ai/langgraph #5675, #3716, #7304).
#[tokio::test]
async fn d8_a_connection_killed_during_the_model_call_costs_no_second_call() {
    let world = world(echo()).await;
    let run = begun(&world).await;
    let wire = Wire::held(|_, _| words("done"));
    let worker = wire.worker(&world);
    let kill = async {
        wire.gate.arrived(1).await;
        let client = world.database.connect().await;
        terminate_others(&client).await;
        wire.gate.open();
    };
    let (stepped, ()) = tokio::join!(step(&worker, run, STEP_MS), kill);
    assert_eq!(stepped, Ok(Stepped::Ended));
    assert_eq!(world.view(run).await.status, RunStatus::Completed);
    assert_eq!(wire.requests().len(), 1);
    world.assert_invariants().await;
}

/// Public case D11 (mohamedboukari/bunmail #184, macro-inc/macro PR #6580, eneo-ai/eneo #632,
/// cashapp/misk #2662).
#[tokio::test]
async fn d11_a_kill_between_a_commit_and_its_bell_is_seen_by_the_tick() {
    let mut world = world(tool_turns("act", 1)).await;
    world.settings.step_slice_ms = 0;
    // The message was accepted; nobody was rung.
    let run = begun(&world).await;
    assert_eq!(aged_tick(&world).await.runs_rung, 1);
    world.bells.take();
    // The run was released; nobody was rung.
    dies(world.step_deps(), run, 1, When::After).await;
    assert_eq!(world.bells.take(), []);
    assert_eq!(aged_tick(&world).await.runs_rung, 1);
    world.bells.take();
    // The reply is owed; nobody was rung.
    assert_eq!(world.step(run).await, Ok(Stepped::HandedOn));
    world.bells.take();
    dies(world.step_deps(), run, 0, When::After).await;
    assert_eq!(world.view(run).await.status, RunStatus::Completed);
    assert_eq!(world.bells.take(), []);
    assert_eq!(aged_tick(&world).await.deliveries_rung, 1);
    world.settle().await;
    let view = world.view(run).await;
    assert_eq!(view.delivery, Some(DeliveryStatus::Sent));
    assert_eq!(world.tools.ran().len(), 1);
    // And it sees nothing that needs nothing.
    let due = world.store.due("tester", 200, 0, 0).await.unwrap();
    assert_eq!((due.runs, due.deliveries), (Vec::new(), Vec::new()));
    world.assert_invariants().await;
}

/// Public case D12 (MassTransit/MassTransit #1627).
#[tokio::test]
async fn d12_a_bell_rings_behind_its_commit_and_one_that_comes_early_does_no_harm() {
    let world = world(echo()).await;
    let commit = world.proxy.hold_answer_of("idempotency_keys");
    let said = world.say("c", "go");
    let early = async {
        commit.arrived(1).await;
        assert_eq!(world.bells.take(), [], "not before the answer");
        commit.open();
    };
    let (run, ()) = tokio::join!(said, early);
    assert_eq!(world.bells.take(), [(Place::Run { run_id: run }, 0)]);
    let unborn = RunId::new(uuid::Uuid::from_u128(77));
    assert_eq!(world.step(unborn).await, Ok(Stepped::Nothing));
    assert_eq!(world.step(run).await, Ok(Stepped::Ended));
}

/// What a run of this many tool calls sends to the database.
async fn bytes_of_calls(times: u64) -> u64 {
    let tools = ClosureTools::new(|_, _| Ok(json!("x".repeat(5_000))));
    let mut world = World::new(WorldOptions {
        tools,
        ..options(tool_turns("keyed", times))
    })
    .await;
    world.settings.run_bounds.iterations = 300;
    let run = begun(&world).await;
    world.proxy.reset();
    assert_eq!(world.step(run).await, Ok(Stepped::Ended));
    world.proxy.counts().bytes_to_server
}

/// Public case D14 (temporalio/sdk-python #1890, julep-ai/julep #579).
#[tokio::test]
async fn d14_two_hundred_calls_write_twice_what_a_hundred_do() {
    let (hundred, two_hundred) = tokio::join!(bytes_of_calls(100), bytes_of_calls(200));
    assert!(hundred > 100 * 5_000, "{hundred}");
    assert!(
        two_hundred < hundred * 21 / 10,
        "{hundred} bytes became {two_hundred}"
    );
}

/// Public case D15 (langchain-ai/langgraph PR #7547, #7586; pizza-bot #58; bytedance/deer-flow
/// #3011).
#[tokio::test]
async fn d15_a_turn_writes_the_same_however_long_its_conversation_is() {
    let world = world(tool_turns("act", 2)).await;
    let mut bytes = Vec::new();
    for _ in 0..60 {
        world.proxy.reset();
        let run = world.say("c", "go").await;
        world.settle().await;
        assert_eq!(world.view(run).await.status, RunStatus::Completed);
        bytes.push(world.proxy.counts().bytes_to_server);
    }
    let (early, late) = (bytes[2], bytes[59]);
    assert!(
        early.abs_diff(late) * 50 < early,
        "{early} and {late} bytes"
    );
    let largest = "SELECT max(length(body::text))::int8 FROM openeve.checkpoints";
    assert!(count(&world, largest).await < 1_000);
    // Nothing of a turn that ended is kept for resuming it.
    let client = world.database.connect().await;
    let age = "UPDATE openeve.runs SET finished_at = finished_at - INTERVAL '2 hours'";
    client.batch_execute(age).await.unwrap();
    world.store.sweep(10_000).await.unwrap();
    assert_eq!(
        count(&world, "SELECT count(*) FROM openeve.checkpoints").await,
        0
    );
}

/// A tool that emits a hundred events a call.
struct Emits;

#[async_trait]
impl ToolRunner for Emits {
    async fn run(&self, invocation: Invocation<'_>) -> Outcome {
        let event = |number: u64| Event::new("progress", json!({ "number": number }));
        Outcome {
            id: invocation.call_id,
            result: Ok(output(json!("ok"))),
            emitted: (0..100).map(event).collect(),
        }
    }

    async fn gate(&self, _: Invocation<'_>) -> Result<Verdict, String> {
        Ok(Verdict::Open)
    }
}

/// Public case D16 (vercel/workflow #1012).
#[tokio::test]
async fn d16_a_run_of_five_thousand_events_completes_and_is_read_page_by_page() {
    let mut world = world(tool_turns("look", 50)).await;
    world.settings.step_slice_ms = 60_000;
    let run = begun(&world).await;
    let worker = StepDeps {
        tools: Arc::new(Emits),
        ..world.step_deps()
    };
    assert_eq!(step(&worker, run, STEP_MS).await, Ok(Stepped::Ended));
    let mut seen: Vec<Value> = Vec::new();
    loop {
        let after = seen
            .last()
            .map_or(0, |event| event["seq"].as_i64().unwrap());
        let page = page(&world, run, after).await;
        if page.is_empty() {
            break;
        }
        assert!(page.len() <= 500);
        seen.extend(page);
    }
    assert!(seen.len() > 5_000, "{}", seen.len());
    let numbers = seen.iter().map(|event| event["seq"].as_u64().unwrap());
    assert!(numbers.eq(1..=seen.len() as u64), "dense and in order");
    assert_eq!(seen.last().unwrap()["kind"], "run.completed");
    world.assert_invariants().await;
}

/// A tick of another agent in the same database.
fn another(world: &World) -> TickDeps {
    let mut manifest: Manifest = openeve_tests::manifest(Vec::new());
    manifest.agent.id = "another".into();
    TickDeps {
        manifest: Arc::new(manifest),
        ..world.tick_deps()
    }
}

/// Public case D18 (vercel/workflow #3119, #2978). A bell is a hint: ten of them are one execution.
#[tokio::test]
async fn d18_ten_sweeps_pile_up_no_work_and_cross_no_agent() {
    let world = world(batches(&[&["act"]])).await;
    let run = begun(&world).await;
    let rows = "SELECT (SELECT count(*) FROM openeve.runs) + (SELECT count(*) FROM openeve.run_events) \
                + (SELECT count(*) FROM openeve.deliveries)";
    let before = count(&world, rows).await;
    for _ in 0..10 {
        assert_eq!(aged_tick(&world).await.runs_rung, 1);
        let others = tick(&another(&world)).await.unwrap();
        assert_eq!(others.runs_rung, 0, "not this agent's");
    }
    assert_eq!(count(&world, rows).await, before, "nothing piles up");
    let bells = world.bells.take();
    assert_eq!(bells, vec![(Place::Run { run_id: run }, 0); 10]);
    let steps = (0..10).map(|_| world.step(run));
    let stepped = futures_util::future::join_all(steps).await;
    let worked = stepped.iter().filter(|one| **one != Ok(Stepped::Nothing));
    assert_eq!(worked.count(), 1, "{stepped:?}");
    assert_eq!((world.engine.asked(), world.tools.ran().len()), (2, 1));
    world.settle().await;
    assert_eq!(world.sender.attempts().len(), 1);
    world.assert_invariants().await;
}
