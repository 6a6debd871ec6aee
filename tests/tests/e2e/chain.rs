//! The chain: a message posted to ingress travels through SQS, step and delivery to a receiver.

use std::collections::BTreeSet;

use openeve_domain::status::{DeliveryStatus, RunStatus};
use openeve_testkit::gate::Gate;
use openeve_testkit::patience::eventually;
use openeve_testkit::receiver::{Answer, Receiver};
use openeve_testkit::scripted_model::{Reply, ScriptedCall, ScriptedModel, tool_results};
use openeve_testkit::sqs::poller::Mapping;
use openeve_tests::deployment::{
    Deployment, MODEL_KEY, Options, SIGNING, TOKEN, assert_signed, booking,
};
use serde_json::json;

async fn settled(world: &Deployment, run: openeve_domain::ids::RunId) {
    eventually("the reply is settled", async || {
        let view = world.view(run).await;
        view.delivery
            .is_some_and(DeliveryStatus::is_terminal)
            .then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_message_travels_from_the_function_url_to_the_receiver() {
    let world = Deployment::start(Options::plain().await).await;
    let run = world
        .say("guest-7", "Sauna, and a table for two?", "evt-1")
        .await;
    let replies = world.receiver.received(1).await;
    assert_signed(&replies[0]);
    let body = replies[0].json();
    assert_eq!(body["data"]["text"], "Booked. The sauna opens at 15:00.");
    assert_eq!(
        (&body["data"]["run_id"], &body["data"]["conversation"]),
        (&json!(run), &json!("guest-7"))
    );
    settled(&world, run).await;
    let view = world.view(run).await;
    assert_eq!(
        (view.status, view.delivery, view.steps),
        (RunStatus::Completed, Some(DeliveryStatus::Sent), 1)
    );
    let kinds = world.kinds(run).await;
    assert!(
        kinds.contains(&"table.booked".to_owned()),
        "what the tool emitted is recorded: {kinds:?}"
    );
    assert_eq!(
        world.model.authorizations(),
        [
            format!("Bearer {MODEL_KEY}"),
            format!("Bearer {MODEL_KEY}"),
            format!("Bearer {MODEL_KEY}")
        ]
    );
}

#[tokio::test]
async fn every_message_twice_and_in_reverse_order_is_one_run_and_one_reply_each() {
    let mapping = Mapping {
        delivers_twice: true,
        reversal_window: 3,
        ..Options::plain().await.mapping
    };
    let world = Deployment::start(Options {
        mapping,
        ..Options::plain().await
    })
    .await;
    let mut runs = Vec::new();
    for number in 0..6 {
        let (conversation, id) = (format!("guest-{}", number % 2), format!("evt-{number}"));
        runs.push(world.say(&conversation, "Sauna, and a table?", &id).await);
        assert_eq!(
            world.say(&conversation, "Sauna, and a table?", &id).await,
            runs[number],
            "posted twice"
        );
    }
    for run in &runs {
        settled(&world, *run).await;
    }
    let replies = world.receiver.received(6).await;
    let answered: BTreeSet<String> = replies
        .iter()
        .map(|reply| reply.json()["data"]["run_id"].to_string())
        .collect();
    assert_eq!((replies.len(), answered.len()), (6, 6), "one reply a run");
    for run in &runs {
        let booked = world
            .kinds(*run)
            .await
            .into_iter()
            .filter(|kind| kind == "table.booked")
            .count();
        assert_eq!(booked, 1);
    }
    let client = world.database.connect().await;
    let sql = "SELECT c.external_key, array_agg(r.id ORDER BY r.finished_at) = array_agg(r.id ORDER BY r.position) \
               FROM openeve.runs r JOIN openeve.conversations c ON c.id = r.conversation_id GROUP BY 1";
    for row in client.query(sql, &[]).await.unwrap() {
        assert!(
            row.get::<_, bool>(1),
            "runs of {} finished in arrival order",
            row.get::<_, String>(0)
        );
    }
}

#[tokio::test]
async fn a_step_killed_mid_turn_is_recovered_by_the_tick_and_books_once() {
    let gate = Gate::new();
    let held = gate.clone();
    let model = ScriptedModel::start(move |request| match tool_results(request) {
        0 => Reply::calls(vec![ScriptedCall::new("call_a", "book_table", &booking())]),
        _ => Reply::text("Booked.").held_by(&held),
    })
    .await;
    let world = Deployment::start(Options {
        model,
        lease_ms: 500,
        ..Options::plain().await
    })
    .await;
    let run = world.say("guest-7", "A table, please.", "evt-1").await;
    gate.arrived(1).await;
    world.step.kill_all().await;
    gate.open();
    eventually(
        "the tick finds the run and the next step completes it",
        async || {
            world.tick.invoke_json(&json!({})).await;
            (world.view(run).await.status == RunStatus::Completed).then_some(())
        },
    )
    .await;
    let replies = world.receiver.received(1).await;
    assert_eq!(replies.len(), 1);
    let kinds = world.kinds(run).await;
    assert_eq!(
        kinds.iter().filter(|kind| *kind == "table.booked").count(),
        1,
        "{kinds:?}"
    );
    assert!(
        kinds.contains(&"run.recovery_resume_attempted".to_owned()),
        "{kinds:?}"
    );
    settled(&world, run).await;
}

#[tokio::test]
async fn a_poisoned_message_ends_in_the_dead_letters_and_harms_nothing_else() {
    let world = Deployment::start(Options::plain().await).await;
    world.sqs.send(&world.step_queue, "{\"hello\":").await;
    let run = world.say("guest-7", "Sauna?", "evt-1").await;
    settled(&world, run).await;
    eventually("the poisoned message is a dead letter", async || {
        (world.sqs.depth(&world.step_dead).await.visible == 1).then_some(())
    })
    .await;
    assert_eq!(world.receiver.received(1).await.len(), 1);
}

#[tokio::test]
async fn a_receiver_that_fails_once_gets_the_reply_again_under_the_same_id() {
    let answers = vec![Answer::status(503), Answer::status(200)];
    let world = Deployment::start(Options {
        receiver: Receiver::answering(answers).await,
        ..Options::plain().await
    })
    .await;
    let run = world.say("guest-7", "Sauna?", "evt-1").await;
    settled(&world, run).await;
    let replies = world.receiver.received(2).await;
    assert_eq!(
        replies[0].header("webhook-id"),
        replies[1].header("webhook-id")
    );
    assert_eq!(world.view(run).await.delivery, Some(DeliveryStatus::Sent));
}

#[tokio::test]
async fn a_caller_without_the_token_is_refused_and_no_secret_is_ever_printed_or_stored() {
    let model = ScriptedModel::start(|_| Reply::status(401, "Incorrect API key provided")).await;
    let world = Deployment::start(Options {
        model,
        ..Options::plain().await
    })
    .await;
    let (status, answer) = world
        .post("/message", "wrong", "{\"message\": \"hi\"}")
        .await;
    assert_eq!(
        (status, answer["error"]["code"].as_str()),
        (401, Some("request_unauthorized"))
    );
    let run = world.say("guest-7", "Sauna?", "evt-1").await;
    let failure = eventually("the run fails", async || world.view(run).await.failure).await;
    assert_eq!(failure.code, "model_auth");
    assert!(
        failure.message.contains("OPENEVE_MODEL_API_KEY"),
        "{}",
        failure.message
    );
    let client = world.database.connect().await;
    let dump = "SELECT (SELECT string_agg(e::text, '') FROM openeve.run_events e) || \
                (SELECT string_agg(r::text, '') FROM openeve.runs r)";
    let stored: String = client.query_one(dump, &[]).await.unwrap().get(0);
    for secret in [TOKEN, SIGNING, MODEL_KEY] {
        assert!(!world.logs().contains(secret), "a secret was printed");
        assert!(!stored.contains(secret), "a secret was stored");
    }
}

#[tokio::test]
async fn the_tick_and_the_sweep_answer_what_they_did() {
    let world = Deployment::start(Options::plain().await).await;
    let ticked = world
        .tick
        .invoke_json(&json!({"source": "aws.events"}))
        .await
        .json();
    assert_eq!(ticked["runs_rung"], 0);
    let swept = world
        .sweep
        .invoke_json(&json!({"source": "aws.events"}))
        .await
        .json();
    assert_eq!(swept["idempotency_keys"], 0);
}

#[tokio::test]
async fn a_step_killed_mid_turn_is_recovered_by_its_own_bell_without_any_tick() {
    let gate = Gate::new();
    let held = gate.clone();
    let world = Deployment::start(Options {
        lease_ms: 2_000,
        mapping: Mapping::default(),
        model: ScriptedModel::start(move |request| match tool_results(request) {
            0 => Reply::calls(vec![ScriptedCall::new("call_b", "book_table", &booking())]),
            _ => Reply::text("Booked.").held_by(&held),
        })
        .await,
        ..Options::plain().await
    })
    .await;
    let run = world.say("guest", "A table", "one").await;
    world.model.requested(2).await;
    world.step.kill_all().await;
    gate.open();
    settled(&world, run).await;
    let kinds = world.kinds(run).await;
    let of = |kind: &str| kinds.iter().filter(|known| *known == kind).count();
    assert_eq!(
        (of("run.recovery_claimed"), of("table.booked")),
        (1, 1),
        "{kinds:?}"
    );
    assert_eq!(world.tick.stats().invocations, 0);
}

#[tokio::test]
async fn a_bell_that_failed_comes_back_after_seconds_and_not_after_half_an_hour() {
    let world = Deployment::start(Options {
        mapping: Mapping::default(),
        ..Options::plain().await
    })
    .await;
    world.sqs.send(&world.step_queue, "no doorbell").await;
    eventually("it is handled again", async || {
        (world.step_poller.stats().failed == 2).then_some(())
    })
    .await;
}
