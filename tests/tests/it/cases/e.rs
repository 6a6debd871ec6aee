//! E: order, channels, reading along, cancelling.

use http::Method;
use openeve_domain::pause::Decision;
use openeve_domain::status::RunStatus;
use openeve_domain::transcript::Message;
use openeve_runtime::ports::Cancelled;
use openeve_runtime::resume::cancel;
use openeve_runtime::step::{Stepped, step};
use openeve_tests::{ScriptedEngine, answer, calls};
use serde_json::{Value, json};

use super::support::{
    STEP_MS, When, begun, count, decide, gated_world, page, request, stopping, texts,
};
use crate::support::{echo, tool_turns, world};

/// Public case E1 (agno-agi/agno PR #10073).
#[tokio::test]
async fn e1_a_redelivery_whose_first_delivery_never_came_is_processed() {
    let world = world(echo()).await;
    let body = json!({"message": "hello", "id": "evt-1"});
    let retried = ("x-slack-retry-num", "2");
    let told = request(&world, Method::POST, "/message", retried, &body).await;
    assert_eq!(told["duplicate"], json!(false), "{told}");
    world.settle().await;
    let statuses = texts(&world, "SELECT status FROM openeve.runs").await;
    assert_eq!(statuses, ["completed"]);
    assert_eq!(world.sender.attempts().len(), 1);
}

/// Public case E2 (vm0-ai/vm0 #8773, PR #8889).
#[tokio::test]
async fn e2_one_event_three_times_is_one_run() {
    let world = world(echo()).await;
    let body = json!({"message": "hello", "id": "evt-1"}).to_string();
    let posts = (0..3).map(|_| world.post("/message", body.clone()));
    let responses = futures_util::future::join_all(posts).await;
    let told: Vec<Value> = responses
        .iter()
        .map(|response| serde_json::from_slice(&response.body).unwrap())
        .collect();
    assert!(responses.iter().all(|response| response.status == 202));
    assert!(told.iter().all(|one| one["run_id"] == told[0]["run_id"]));
    assert_eq!(world.bells.take().len(), 1);
    assert_eq!(count(&world, "SELECT count(*) FROM openeve.runs").await, 1);
}

/// Public case E4 (ColeMurray/background-agents PR #995).
#[tokio::test]
async fn e4_a_run_that_ends_behind_a_later_one_moves_its_conversation_no_way_back() {
    let engine = ScriptedEngine::new(|done, messages| {
        let said = messages.iter().filter_map(|message| match message {
            Message::User { text } => Some(*text),
            Message::Assistant { .. } | Message::ToolResult { .. } => None,
        });
        let said: Vec<&str> = said.collect();
        if done == 0 && said.last() == Some(&"one") {
            calls(0, &["pay"])
        } else {
            answer(&said.join(" "))
        }
    });
    let world = gated_world(engine).await;
    let first = world.say("c", "one").await;
    world.settle().await;
    let second = world.say("c", "two").await;
    world.settle().await;
    assert_eq!(world.view(second).await.status, RunStatus::Completed);
    let cursor = "SELECT run_position FROM openeve.conversations";
    assert_eq!(count(&world, cursor).await, 2);
    decide(&world, first, 0, Decision::Approve).await;
    world.settle().await;
    assert_eq!(world.view(first).await.status, RunStatus::Completed);
    assert_eq!(count(&world, cursor).await, 2, "not back to the first");
    let third = world.say("c", "three").await;
    world.settle().await;
    let reply = world.view(third).await.reply;
    assert_eq!(reply.as_deref(), Some("one two three"));
    assert_eq!(count(&world, cursor).await, 3);
    world.assert_invariants().await;
}

/// Public case E5 (modelcontextprotocol/typescript-sdk #2499).
#[tokio::test]
async fn e5_a_reader_that_is_cut_off_at_once_goes_on_behind_the_number_it_came_with() {
    let world = world(tool_turns("act", 3)).await;
    let run = begun(&world).await;
    world.step(run).await.unwrap();
    // The first answer is lost on its way; the number is the reader's own, so it is still right.
    drop(page(&world, run, 7).await);
    let again = page(&world, run, 7).await;
    assert_eq!(again[0]["seq"], 8);
    let all = world.events(run).await.len();
    assert_eq!(again.len(), all - 7, "to the end, and nothing before");
}

/// Public case E6 (`invisible_playwright_mcp` PR #1263, athrvk/vayu #21, Automattic/agents-api #552,
/// langgraphjs PR #2805).
#[tokio::test]
async fn e6_a_reader_that_comes_back_sees_each_event_once_and_the_end() {
    let mut world = world(tool_turns("act", 10)).await;
    world.settings.step_slice_ms = 0;
    let run = begun(&world).await;
    let mut seen: Vec<Value> = Vec::new();
    loop {
        let stepped = world.step(run).await.unwrap();
        // It is cut off in the middle of each answer and comes back with the last it has.
        let after = seen
            .last()
            .map_or(0, |event| event["seq"].as_i64().unwrap());
        let page = page(&world, run, after).await;
        let until = if stepped == Stepped::Ended {
            page.len()
        } else {
            page.len().div_ceil(2)
        };
        seen.extend(page.into_iter().take(until));
        if stepped == Stepped::Ended {
            break;
        }
    }
    let numbers = seen.iter().map(|event| event["seq"].as_u64().unwrap());
    assert!(numbers.eq(1..=seen.len() as u64), "each once, in order");
    let ends = seen.iter().filter(|event| event["kind"] == "run.completed");
    assert_eq!(ends.count(), 1);
    // Whoever comes back to the end has it told again.
    let last = i64::try_from(seen.len()).unwrap() - 1;
    assert_eq!(page(&world, run, last).await[0]["kind"], "run.completed");
}

/// Public case E8 (SamSaffron/term-llm PR #918, langfuse PR #15594).
#[tokio::test]
async fn e8_a_cancel_between_the_claim_and_the_first_write_stops_the_run() {
    let world = world(tool_turns("act", 1)).await;
    let run = begun(&world).await;
    let (worker, gate) = stopping(world.step_deps(), "claim", 0, When::After);
    let cancelling = async {
        gate.arrived(1).await;
        let cancelled = cancel(&world.resume_deps(), run, "ada").await;
        assert_eq!(cancelled, Ok(Cancelled::Requested), "no false success");
        gate.open();
    };
    let (stepped, ()) = tokio::join!(step(&worker, run, STEP_MS), cancelling);
    assert_eq!(stepped, Ok(Stepped::Ended));
    assert_eq!(world.view(run).await.status, RunStatus::Cancelled);
    assert!(world.tools.ran().is_empty());
    world.settle().await;
    assert!(world.sender.attempts().is_empty(), "no reply is owed");
    world.assert_invariants().await;
}
