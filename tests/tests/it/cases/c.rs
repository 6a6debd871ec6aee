//! C: transcripts that a provider accepts, whatever happened before.

use openeve_domain::pause::Decision;
use openeve_domain::status::RunStatus;
use openeve_runtime::resume::cancel;
use openeve_runtime::step::{Stepped, step};
use openeve_testkit::gate::Gate;
use openeve_tests::{ClosureTools, World, WorldOptions};
use serde_json::{Value, json};

use super::support::{
    STEP_MS, When, batches, begun, decide, dies, gated_world, held_world, texts, times,
};
use super::wire::{Wire, assert_acceptable, of_role, wants, words};
use crate::support::{echo, options, world};

/// What a request says a tool returned.
fn told(request: &Value, call: &str) -> String {
    let results = of_role(request, "tool");
    let of_call = results.iter().find(|one| one["tool_call_id"] == call);
    of_call.unwrap()["content"].as_str().unwrap().to_owned()
}

/// Public case C1 (letta-ai/letta #3308).
#[tokio::test]
async fn c1_a_crash_in_parallel_tools_leaves_a_request_with_an_interrupted_result() {
    let held = Gate::new();
    let gate = held.clone();
    let tools = ClosureTools::waiting(move |name, _| {
        let (gate, is_slow) = (gate.clone(), name == "act");
        async move {
            if is_slow {
                gate.pass().await;
            }
            Ok(json!("ok"))
        }
    });
    let world = World::new(WorldOptions {
        tools,
        ..options(echo())
    })
    .await;
    let wire = Wire::new(|number, _| match number {
        0 => wants(&[("c1", "keyed"), ("c2", "act")]),
        _ => words("done"),
    });
    let run = begun(&world).await;
    dies(wire.worker(&world), run, 1, When::After).await;
    world.expire_leases().await;
    let stepped = step(&wire.worker(&world), run, STEP_MS).await;
    assert_eq!(stepped, Ok(Stepped::Ended));
    let request = wire.last();
    assert_acceptable(&request);
    assert_eq!(told(&request, "c1"), "ok");
    assert_eq!(told(&request, "c2"), r#"{"interrupted":true}"#);
    assert_eq!(times(&world, run, "tool.execution_interrupted").await, 1);
    world.assert_invariants().await;
}

/// Public case C2 (anthropics/claude-code #1776, anomalyco/opencode #3230).
#[tokio::test]
async fn c2_a_message_behind_a_turn_that_was_cancelled_in_its_tool_is_answered() {
    let (world, gate) = held_world(echo()).await;
    let wire = Wire::new(|number, _| match number {
        0 => wants(&[("c1", "act"), ("c2", "act")]),
        _ => words("done"),
    });
    let run = begun(&world).await;
    let worker = wire.worker(&world);
    let cancelling = async {
        gate.arrived(2).await;
        cancel(&world.resume_deps(), run, "ada").await.unwrap();
        world.clock.advance_ms(30_000);
    };
    let (stepped, ()) = tokio::join!(step(&worker, run, STEP_MS), cancelling);
    assert_eq!(stepped, Ok(Stepped::Ended));
    assert_eq!(world.view(run).await.status, RunStatus::Cancelled);
    let next = world.say("c", "and now?").await;
    wire.settle(&world).await;
    assert_eq!(world.view(next).await.status, RunStatus::Completed);
    assert_acceptable(&wire.last());
    world.assert_invariants().await;
}

/// Public case C4 (langchain-ai/langgraph #6726).
#[tokio::test]
async fn c4_a_cancel_settles_every_call_with_a_result_of_its_own() {
    let (world, gate) = held_world(batches(&[&["alone", "alone"]])).await;
    let run = begun(&world).await;
    let cancelling = async {
        gate.arrived(1).await;
        cancel(&world.resume_deps(), run, "ada").await.unwrap();
        world.clock.advance_ms(30_000);
    };
    let (stepped, ()) = tokio::join!(world.step(run), cancelling);
    assert_eq!(stepped, Ok(Stepped::Ended));
    let rows =
        "SELECT concat_ws(' ', status, model_output) FROM openeve.tool_calls ORDER BY ordinal";
    assert_eq!(
        texts(&world, rows).await,
        [
            r#"interrupted {"interrupted":true}"#,
            r#"cancelled {"cancelled":true}"#
        ]
    );
    world.assert_invariants().await;
}

/// Public case C5 (langchain-ai/agent-chat-ui #80).
#[tokio::test]
async fn c5_a_result_without_its_call_and_a_batch_without_its_calls_are_left_out() {
    let mut world = world(echo()).await;
    world.settings.step_slice_ms = 0;
    let wire = Wire::new(|number, _| match number {
        0 | 1 => wants(&[(["c1", "c2"][number], "keyed")]),
        _ => words("done"),
    });
    let run = begun(&world).await;
    for _ in 0..4 {
        let stepped = step(&wire.worker(&world), run, STEP_MS).await;
        assert_eq!(stepped, Ok(Stepped::HandedOn));
    }
    let client = world.database.connect().await;
    let stray = "UPDATE openeve.tool_calls SET entry_seq = 9 WHERE provider_call_id = 'c1'";
    client.batch_execute(stray).await.unwrap();
    let stepped = step(&wire.worker(&world), run, STEP_MS).await;
    assert_eq!(stepped, Ok(Stepped::Ended));
    let request = wire.last();
    assert_acceptable(&request);
    let results = of_role(&request, "tool");
    assert_eq!(results.len(), 1);
    assert_eq!(results[0]["tool_call_id"], "c2");
    let calling = of_role(&request, "assistant");
    assert_eq!(calling.len(), 1, "{request:#}");
}

/// Public case C6 (vercel/ai PR #11417).
#[tokio::test]
async fn c6_the_second_turn_emits_no_call_of_the_first() {
    let world = world(echo()).await;
    let wire = Wire::new(|number, _| match number {
        0 => wants(&[("c1", "act")]),
        2 => wants(&[("c2", "act")]),
        _ => words("done"),
    });
    for text in ["one", "two"] {
        let run = world.say("c", text).await;
        wire.settle(&world).await;
        assert_eq!(world.view(run).await.status, RunStatus::Completed);
    }
    let requests = wire.requests();
    requests.iter().for_each(assert_acceptable);
    assert_eq!(of_role(&requests[2], "tool").len(), 0);
    let last = of_role(&requests[3], "tool");
    assert_eq!(last.len(), 1);
    assert_eq!(last[0]["tool_call_id"], "c2");
}

/// Every request of two turns with tools, answered by steps of this slice.
async fn requests(slice_ms: u64) -> Vec<Value> {
    let mut world = world(echo()).await;
    world.settings.step_slice_ms = slice_ms;
    let wire = Wire::new(|number, _| match number {
        0 => wants(&[("c1", "keyed"), ("c2", "look")]),
        1 => wants(&[("c3", "act")]),
        2 => words("naïve – “done” \u{1f6c1}"),
        _ => words("again"),
    });
    for text in ["first\n\tline", "hello"] {
        let run = world.say("c", text).await;
        wire.settle(&world).await;
        assert_eq!(world.view(run).await.status, RunStatus::Completed);
    }
    wire.requests()
}

/// Public case C11 (docker/docker-agent #1676).
#[tokio::test]
async fn c11_a_history_read_back_from_its_rows_makes_the_same_requests() {
    let (kept, restored) = tokio::join!(requests(60_000), requests(0));
    kept.iter().for_each(assert_acceptable);
    assert_eq!(kept.len(), 4);
    assert_eq!(kept, restored);
}

/// Public case C12 (sinas-platform/sinas #195).
#[tokio::test]
async fn c12_two_calls_of_one_step_have_their_two_results_behind_both() {
    let first = Gate::new();
    let gate = first.clone();
    let tools = ClosureTools::waiting(move |name, _| {
        let (gate, waits) = (gate.clone(), name == "act");
        async move {
            // The first call ends last.
            if waits {
                gate.pass().await;
            } else {
                gate.open();
            }
            Ok(json!("ok"))
        }
    });
    let world = World::new(WorldOptions {
        tools,
        ..options(echo())
    })
    .await;
    let wire = Wire::new(|number, _| match number {
        0 => wants(&[("c1", "act"), ("c2", "keyed")]),
        _ => words("done"),
    });
    let run = world.say("c", "go").await;
    wire.settle(&world).await;
    assert_eq!(world.view(run).await.status, RunStatus::Completed);
    let request = wire.last();
    assert_acceptable(&request);
    let roles: Vec<&Value> = request["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| &message["role"])
        .collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool", "tool"]);
}

/// Public case C14 (agno-agi/agno #3749). The rows hold a provider's ids as they came; the request
/// has another in both places where this dialect would refuse one.
#[tokio::test]
async fn c14_a_providers_ids_survive_a_pause_and_answer_the_calls_they_came_with() {
    let world = gated_world(echo()).await;
    let wire = Wire::new(|number, _| match number {
        0 => wants(&[("call_abc|fc_0123", "pay"), ("call_def", "keyed")]),
        _ => words("done"),
    });
    let run = world.say("c", "go").await;
    wire.settle(&world).await;
    decide(&world, run, 0, Decision::Approve).await;
    wire.settle(&world).await;
    assert_eq!(world.view(run).await.status, RunStatus::Completed);
    let ids = "SELECT provider_call_id FROM openeve.tool_calls ORDER BY ordinal";
    assert_eq!(texts(&world, ids).await, ["call_abc|fc_0123", "call_def"]);
    let request = wire.last();
    assert_acceptable(&request);
    let calls = &of_role(&request, "assistant")[0]["tool_calls"];
    assert_eq!(calls[0]["function"]["name"], "pay");
    assert_eq!(calls[1]["id"], "call_def");
    assert!(told(&request, calls[0]["id"].as_str().unwrap()).contains("pay"));
    assert!(told(&request, "call_def").contains("keyed"));
}

/// Public case C15 (crewAIInc/crewAI #4319).
#[tokio::test]
async fn c15_the_third_turn_has_one_system_message_and_says_nothing_twice() {
    let world = world(echo()).await;
    let wire = Wire::new(|_, _| words("done"));
    for text in ["one", "two", "three"] {
        world.say("c", text).await;
        wire.settle(&world).await;
    }
    let request = wire.last();
    assert_acceptable(&request);
    let said = of_role(&request, "user");
    let said: Vec<&Value> = said.iter().map(|message| &message["content"]).collect();
    assert_eq!(said, ["one", "two", "three"]);
    assert_eq!(of_role(&request, "assistant").len(), 2);
}
