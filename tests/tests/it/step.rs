//! The step: batches, order, chaining, errors the model can act on.

use openeve_domain::bell::Place;
use openeve_domain::retry::Class;
use openeve_domain::run::model_failed::ModelFailure;
use openeve_domain::status::RunStatus;
use openeve_domain::transcript::Message;
use openeve_runtime::ports::Advance;
use openeve_runtime::step::Stepped;
use openeve_testkit::gate::Gate;
use openeve_tests::{ClosureTools, ScriptedEngine, World, WorldOptions, answer, calls};
use serde_json::json;

use crate::support::{echo, options, tool_turns, world};

#[tokio::test]
async fn results_reach_the_model_in_call_order_whatever_order_they_finish_in() {
    let engine = ScriptedEngine::new(|done, messages| {
        if done == 0 {
            return calls(0, &["act", "look", "act"]);
        }
        let ids: Vec<String> = messages
            .iter()
            .filter_map(|message| match message {
                Message::ToolResult { call, .. } => Some(call.provider_call_id.clone()),
                Message::User { .. } | Message::Assistant { .. } => None,
            })
            .collect();
        answer(&ids.join(","))
    });
    let gate = Gate::new();
    let slow = gate.clone();
    let tools = ClosureTools::waiting(move |_, input| {
        let slow = slow.clone();
        async move {
            if input["n"] == 0 {
                slow.pass().await;
            } else {
                slow.open();
            }
            Ok(json!("ok"))
        }
    });
    let world = World::new(WorldOptions {
        tools,
        ..options(engine)
    })
    .await;
    let run = world.say("c", "go").await;
    world.settle().await;
    assert_eq!(
        world.view(run).await.reply.as_deref(),
        Some("call_0_0,call_0_1,call_0_2")
    );
    world.assert_invariants().await;
}

#[tokio::test]
async fn one_sequential_call_makes_its_batch_run_one_after_another() {
    let engine = ScriptedEngine::new(|done, _| {
        if done == 0 {
            calls(0, &["act", "alone", "look"])
        } else {
            answer("done")
        }
    });
    let world = world(engine).await;
    let run = world.say("c", "go").await;
    world.settle().await;
    let kinds = world.kinds(run).await;
    let tools: Vec<&str> = kinds
        .iter()
        .map(String::as_str)
        .filter(|kind| kind.starts_with("tool."))
        .collect();
    let pair = ["tool.execution_succeeded", "tool.execution_started"];
    assert_eq!(
        tools,
        [
            &["tool.execution_started"][..],
            &pair,
            &pair,
            &["tool.execution_succeeded"]
        ]
        .concat()
    );
}

#[tokio::test]
async fn an_unknown_tool_and_a_failing_tool_give_the_model_an_error_it_can_act_on() {
    let engine = ScriptedEngine::new(|done, messages| match done {
        0 => calls(0, &["nonesuch", "act"]),
        _ => answer(
            &messages
                .iter()
                .filter_map(|message| match message {
                    Message::ToolResult { output, .. } => Some(output.to_string()),
                    Message::User { .. } | Message::Assistant { .. } => None,
                })
                .collect::<Vec<_>>()
                .join("\n"),
        ),
    });
    let tools = ClosureTools::new(|_, _| Err("the ledger is locked".into()));
    let world = World::new(WorldOptions {
        tools,
        ..options(engine)
    })
    .await;
    let run = world.say("c", "go").await;
    world.settle().await;
    let reply = world.view(run).await.reply.unwrap();
    assert!(
        reply.contains("nonesuch") && reply.contains("look, keyed, act, alone"),
        "{reply}"
    );
    assert!(reply.contains("the ledger is locked"), "{reply}");
    assert_eq!(
        world.tools.ran().len(),
        1,
        "a tool that does not exist is not run"
    );
}

#[tokio::test]
async fn runs_of_one_conversation_execute_in_arrival_order_and_each_rings_the_next() {
    let world = world(echo()).await;
    let mut runs = Vec::new();
    for number in 0..5 {
        runs.push(world.say("c", &format!("message {number}")).await);
    }
    world.bells.take();
    // Only the first is rung; whatever else runs, runs because the one before it rang.
    world.step(runs[4]).await.unwrap();
    assert_eq!(world.engine.asked(), 0, "the last one is behind");
    world.step(runs[0]).await.unwrap();
    world.settle().await;
    let client = world.database.connect().await;
    let rows = client
        .query("SELECT id FROM openeve.runs ORDER BY finished_at", &[])
        .await
        .unwrap();
    let finished: Vec<uuid::Uuid> = rows.iter().map(|row| row.get(0)).collect();
    assert_eq!(
        finished,
        runs.iter().map(|run| run.uuid()).collect::<Vec<_>>()
    );
    world.assert_invariants().await;
}

#[tokio::test]
async fn earlier_turns_are_history_and_bounded() {
    let engine = ScriptedEngine::new(|_, messages| answer(&messages.len().to_string()));
    let world = world(engine).await;
    for _ in 0..15 {
        world.say("c", "hello").await;
        world.settle().await;
    }
    let last = world.say("c", "hello").await;
    world.settle().await;
    assert_eq!(
        world.view(last).await.reply.as_deref(),
        Some("21"),
        "twenty of history and the new one"
    );
}

#[tokio::test]
async fn a_used_slice_hands_the_run_on_and_the_next_step_goes_on_where_it_stopped() {
    let mut world = world(tool_turns("act", 3)).await;
    world.settings.step_slice_ms = 0;
    let run = world.say("c", "go").await;
    world.bells.take();
    let mut steps = 0;
    while world.step(run).await.unwrap() == Stepped::HandedOn {
        steps += 1;
        assert_eq!(
            world.bells.take(),
            [(Place::Run { run_id: run }, 0)],
            "it rings its own bell"
        );
    }
    let view = world.view(run).await;
    assert_eq!((view.status, view.steps), (RunStatus::Completed, steps + 1));
    assert_eq!(world.tools.ran().len(), 3, "no tool ran twice");
    let kinds = world.kinds(run).await;
    assert!(
        !kinds.iter().any(|kind| kind.contains("recovery")),
        "a clean hand-over is no crash: {kinds:?}"
    );
    world.assert_invariants().await;
}

#[tokio::test]
async fn a_draining_host_hands_its_runs_on() {
    let world = world(tool_turns("act", 3)).await;
    let run = world.say("c", "go").await;
    let deps = world.step_deps();
    deps.draining
        .store(true, std::sync::atomic::Ordering::Relaxed);
    let stepped = openeve_runtime::step::step(&deps, run, 300_000)
        .await
        .unwrap();
    assert_eq!(stepped, Stepped::HandedOn);
    world.settle().await;
    assert_eq!(world.view(run).await.status, RunStatus::Completed);
}

#[tokio::test]
async fn a_refused_key_ends_the_run_with_the_place_and_the_remedy_and_keeps_the_message() {
    let failure = ModelFailure {
        code: "model_auth".into(),
        message: "the provider refused the key (HTTP 401); set OPENEVE_MODEL_API_KEY".into(),
        class: Class::Refused,
    };
    let world = world(ScriptedEngine::new(move |_, _| {
        Advance::Failed(failure.clone())
    }))
    .await;
    let run = world.say("c", "go").await;
    let next = world.say("c", "and this").await;
    world.settle().await;
    let view = world.view(run).await;
    assert_eq!(view.status, RunStatus::Failed);
    assert_eq!(view.failure.unwrap().code, "model_auth");
    assert_eq!(
        world.view(next).await.status,
        RunStatus::Failed,
        "the conversation was freed"
    );
    let client = world.database.connect().await;
    let said: i64 = client
        .query_one("SELECT count(*) FROM openeve.messages", &[])
        .await
        .unwrap()
        .get(0);
    assert_eq!(said, 2);
}

#[tokio::test]
async fn a_provider_that_asks_to_wait_long_parks_the_run_with_a_delayed_bell() {
    let engine = ScriptedEngine::new(|_, messages| match messages.len() {
        1 => Advance::Failed(ModelFailure {
            code: "model_rate_limited".into(),
            message: "slow down".into(),
            class: Class::Retry {
                after_ms: Some(60_000),
            },
        }),
        _ => answer("done"),
    });
    let world = world(engine).await;
    let run = world.say("c", "go").await;
    world.bells.take();
    assert_eq!(world.step(run).await.unwrap(), Stepped::Parked);
    assert_eq!(world.bells.take(), [(Place::Run { run_id: run }, 60_000)]);
    // A bell that comes early waits for the rest of the time and changes nothing.
    assert_eq!(world.step(run).await.unwrap(), Stepped::Parked);
    let [(Place::Run { run_id }, wait_ms)] = world.bells.take()[..] else {
        panic!("one bell")
    };
    assert!(run_id == run && wait_ms > 50_000, "{wait_ms}");
    assert_eq!(world.engine.asked(), 1);
}

#[tokio::test]
async fn a_model_that_never_answers_ends_at_the_bound_of_iterations() {
    let mut world = world(tool_turns("look", u64::MAX)).await;
    world.settings.run_bounds.iterations = 5;
    let run = world.say("c", "go").await;
    world.settle().await;
    assert_eq!(
        world.view(run).await.failure.unwrap().code,
        "max_iterations"
    );
    assert_eq!(world.engine.asked(), 5);
    world.assert_invariants().await;
}

#[tokio::test]
async fn characters_that_postgres_cannot_store_never_keep_a_run_from_ending() {
    let engine = ScriptedEngine::new(|done, _| {
        if done == 0 {
            calls(0, &["act"])
        } else {
            answer("nul: \0, and on")
        }
    });
    let tools = ClosureTools::new(|_, _| Ok(json!({"k\0": "v\0"})));
    let world = World::new(WorldOptions {
        tools,
        ..options(engine)
    })
    .await;
    let run = world.say("c", "go \0 go").await;
    world.settle().await;
    let view = world.view(run).await;
    assert_eq!(view.reply.as_deref(), Some("nul: \u{fffd}, and on"));
    world.assert_invariants().await;
}
