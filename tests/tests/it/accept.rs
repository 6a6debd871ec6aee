//! Accepting: one delivery id, one run; nothing accepted that cannot be stored.

use openeve_domain::status::RunStatus;
use serde_json::{Value, json};

use crate::support::{echo, world};

#[tokio::test]
async fn a_message_comes_back_answered() {
    let world = world(echo()).await;
    let run = world.say("c", "hello").await;
    world.settle().await;
    let view = world.view(run).await;
    assert_eq!(
        (view.status, view.reply.as_deref()),
        (RunStatus::Completed, Some("echo: hello"))
    );
    assert_eq!(world.sender.attempts().len(), 1);
    world.assert_invariants().await;
}

#[tokio::test]
async fn the_same_delivery_id_three_times_is_one_run() {
    let world = world(echo()).await;
    let body = json!({"message": "hello", "id": "evt-1"}).to_string();
    let (mut runs, mut conversations) = (Vec::new(), Vec::new());
    for _ in 0..3 {
        let response = world.post("/message", body.clone()).await;
        let answer: Value = serde_json::from_slice(&response.body).unwrap();
        conversations.push(answer["conversation"].clone());
        runs.push((answer["run_id"].clone(), answer["duplicate"].clone()));
    }
    assert_eq!(runs[0].0, runs[1].0);
    assert_eq!(
        conversations[0], conversations[2],
        "a repeat is told the conversation it is in"
    );
    assert_eq!(
        [&runs[0].1, &runs[1].1, &runs[2].1],
        [&json!(false), &json!(true), &json!(true)]
    );
    world.settle().await;
    assert_eq!(world.engine.asked(), 1);
}

#[tokio::test]
async fn concurrent_deliveries_of_one_id_are_one_run() {
    let world = world(echo()).await;
    let body = json!({"message": "hello", "id": "evt-1"}).to_string();
    let posts = (0..8).map(|_| world.post("/message", body.clone()));
    let responses = futures_util::future::join_all(posts).await;
    let fresh = responses.iter().filter(|response| {
        let answer: Value = serde_json::from_slice(&response.body).unwrap();
        response.status == 202 && answer["duplicate"] == false
    });
    assert_eq!(fresh.count(), 1);
    let client = world.database.connect().await;
    let count: i64 = client
        .query_one("SELECT count(*) FROM openeve.runs", &[])
        .await
        .unwrap()
        .get(0);
    assert_eq!(count, 1);
}

#[tokio::test]
async fn a_megabyte_of_message_is_refused_with_its_size_and_the_bound() {
    let world = world(echo()).await;
    let body = json!({"message": "x".repeat(1_000_000)}).to_string();
    let response = world.post("/message", body).await;
    let answer: Value = serde_json::from_slice(&response.body).unwrap();
    assert_eq!(response.status, 413, "{answer}");
    assert!(
        answer["error"]["message"]
            .as_str()
            .unwrap()
            .contains("262144"),
        "{answer}"
    );
}

#[tokio::test]
async fn a_malformed_body_and_an_unknown_route_say_what_to_do() {
    let world = world(echo()).await;
    let malformed = world.post("/message", "{\"message\": ").await;
    assert_eq!(malformed.status, 400);
    assert!(String::from_utf8_lossy(&malformed.body).contains("line 1"));
    let unknown = world.post("/massage", "{}").await;
    assert_eq!(unknown.status, 404);
    assert!(String::from_utf8_lossy(&unknown.body).contains("POST /message"));
}

#[tokio::test]
async fn a_message_that_cannot_be_stored_is_a_503_and_leaves_nothing() {
    let world = world(echo()).await;
    world.proxy.refuse(true);
    world.proxy.cut();
    let response = world
        .post("/message", json!({"message": "hello"}).to_string())
        .await;
    assert_eq!(response.status, 503);
    assert!(response.headers.contains_key("retry-after"));
    world.proxy.refuse(false);
    assert!(
        world.bells.take().is_empty(),
        "nothing was rung for a message that was not stored"
    );
    world.say("c", "again").await;
    world.settle().await;
    assert_eq!(world.sender.attempts().len(), 1);
}
