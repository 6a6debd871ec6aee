//! The receiver, the scripted model and the poller, over real sockets.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails loudly, its helpers too"
)]

use std::path::PathBuf;

use openeve_testkit::gate::Gate;
use openeve_testkit::http_client::{post_json, request};
use openeve_testkit::lambda::{LambdaFunction, LambdaOptions};
use openeve_testkit::patience::eventually;
use openeve_testkit::receiver::{Answer, Receiver};
use openeve_testkit::scripted_model::{Reply, ScriptedCall, ScriptedModel, tool_results};
use openeve_testkit::sqs::poller::{Mapping, Poller};
use openeve_testkit::sqs::{Queue, SqsServer};
use serde_json::{Value, json};

#[tokio::test]
async fn a_receiver_records_answers_in_order_and_holds_what_is_gated() {
    let gate = Gate::new();
    let receiver = Receiver::answering(vec![
        Answer::status(429)
            .header("retry-after", "7")
            .body("slow down"),
        Answer::status(200).lost(),
        Answer::json(&json!({"ok": true})).held_by(&gate),
    ])
    .await;
    let url = format!("{}/hook?x=1", receiver.url());
    let first = request("PUT", &url, &[("x-sig", "abc")], b"hello")
        .await
        .unwrap();
    assert_eq!(
        (first.status.as_u16(), first.text().as_str()),
        (429, "slow down")
    );
    assert_eq!(first.headers["retry-after"], "7");
    assert!(post_json(&url, &json!({})).await.is_err());
    let held = tokio::spawn(async move { post_json(&url, &json!({"n": 3})).await });
    let seen = receiver.received(3).await;
    assert_eq!(
        (seen[0].method.as_str(), seen[0].path.as_str()),
        ("PUT", "/hook?x=1")
    );
    assert_eq!(
        (seen[0].header("x-sig"), &seen[0].body[..]),
        ("abc", b"hello".as_slice())
    );
    assert_eq!(seen[2].json(), json!({"n": 3}));
    assert!(!held.is_finished());
    gate.open();
    assert_eq!(held.await.unwrap().unwrap().json(), json!({"ok": true}));
}

/// The events of a stream, parsed; the end mark as a string.
fn events(body: &str) -> Vec<Value> {
    let lines = body.lines().filter_map(|line| line.strip_prefix("data: "));
    lines
        .map(|data| serde_json::from_str(data).unwrap_or_else(|_| data.into()))
        .collect()
}

async fn chat(model: &ScriptedModel, messages: Value) -> std::io::Result<String> {
    let body = json!({
        "model": "m", "stream": true, "stream_options": {"include_usage": true},
        "messages": messages,
    });
    Ok(
        post_json(&format!("{}/chat/completions", model.url()), &body)
            .await?
            .text(),
    )
}

#[tokio::test]
async fn a_model_streams_tool_calls_then_text_as_its_script_says() {
    let model = ScriptedModel::start(|request| match tool_results(request) {
        0 => Reply::calls(vec![ScriptedCall::new(
            "c1",
            "add",
            &json!({"a": 2, "é": 3}),
        )]),
        _ => Reply::text("It is 5.").using(9, 4),
    })
    .await;
    let user = json!({"role": "user", "content": "2+3?"});
    let turn = events(&chat(&model, json!([user])).await.unwrap());
    let arguments: String = turn
        .iter()
        .filter_map(|event| {
            event["choices"][0]["delta"]["tool_calls"][0]["function"]["arguments"].as_str()
        })
        .collect();
    assert_eq!(
        serde_json::from_str::<Value>(&arguments).unwrap(),
        json!({"a": 2, "é": 3})
    );
    assert_eq!(turn[1]["choices"][0]["delta"]["tool_calls"][0]["id"], "c1");
    assert_eq!(
        turn[turn.len() - 3]["choices"][0]["finish_reason"],
        "tool_calls"
    );

    let turn = chat(&model, json!([user, {"role": "tool", "content": "5"}]))
        .await
        .unwrap();
    let turn = events(&turn);
    let text: String = turn
        .iter()
        .filter_map(|event| event["choices"][0]["delta"]["content"].as_str())
        .collect();
    assert_eq!(text, "It is 5.");
    assert_eq!(turn[turn.len() - 2]["usage"]["total_tokens"], 13);
    assert_eq!(turn[turn.len() - 1], "[DONE]");
    assert_eq!(model.requested(2).await[0]["model"], "m");

    let whole = json!({"model": "m", "messages": [user]});
    let whole = post_json(&format!("{}/chat/completions", model.url()), &whole)
        .await
        .unwrap();
    assert_eq!(
        whole.json()["choices"][0]["message"]["tool_calls"][0]["function"]["name"],
        "add"
    );
}

#[tokio::test]
async fn a_model_fails_in_every_way_its_script_names() {
    let gate = Gate::new();
    let held = gate.clone();
    let mut number = 0;
    let model = ScriptedModel::start(move |_| {
        number += 1;
        match number {
            1 => Reply::status(429, "slow down").with_header("retry-after", "2"),
            2 => Reply::text("cut in the middle").closing_after(2),
            3 => Reply::text("half").failing_in_stream("overloaded"),
            4 => Reply::text("long").finishing_with("length").held_by(&held),
            _ => Reply::text("end"),
        }
    })
    .await;
    let url = format!("{}/chat/completions", model.url());
    let refused = post_json(&url, &json!({"stream": true})).await.unwrap();
    assert_eq!(
        (refused.status.as_u16(), &refused.headers["retry-after"]),
        (429, &"2".parse().unwrap())
    );
    assert!(chat(&model, json!([])).await.is_err());
    let failed = events(&chat(&model, json!([])).await.unwrap());
    assert_eq!(failed.last().unwrap()["error"]["message"], "overloaded");
    let waiting = async { chat(&model, json!([])).await.unwrap() };
    let (text, ()) = tokio::join!(waiting, async {
        gate.arrived(1).await;
        gate.open();
    });
    assert!(text.contains("\"finish_reason\":\"length\""), "{text}");
}

/// A queue that holds what the test put in, and nothing else of SQS.
async fn queue_of(messages: Vec<Value>) -> Receiver {
    let mut left = messages;
    Receiver::start(move |_, request| match request.header("x-amz-target") {
        "AmazonSQS.ReceiveMessage" => {
            let count = request.json()["MaxNumberOfMessages"].as_u64().unwrap();
            let count = left.len().min(usize::try_from(count).unwrap());
            Answer::json(&json!({"Messages": left.drain(..count).collect::<Vec<_>>()}))
        }
        _ => Answer::json(&json!({})),
    })
    .await
}

fn message(id: &str, body: &Value) -> Value {
    json!({"MessageId": id, "ReceiptHandle": format!("receipt-{id}"), "Body": body.to_string(),
           "MD5OfBody": "0", "Attributes": {"AWSTraceHeader": "Root=1-2-3;Parent=4"}})
}

fn receipts(receiver: &Receiver, action: &str) -> Vec<String> {
    let target = format!("AmazonSQS.{action}");
    let requests = receiver.recorded().into_iter();
    let mut receipts: Vec<String> = requests
        .filter(|request| request.header("x-amz-target") == target)
        .flat_map(|request| {
            request.json()["Entries"]
                .as_array()
                .cloned()
                .unwrap_or_default()
        })
        .map(|entry| entry["ReceiptHandle"].as_str().unwrap().to_owned())
        .collect();
    receipts.sort();
    receipts
}

fn echo() -> LambdaFunction {
    let test = std::env::current_exe().unwrap();
    let binary: PathBuf = test
        .ancestors()
        .nth(2)
        .unwrap()
        .join("examples/echo_lambda");
    LambdaFunction::start(binary, [], LambdaOptions::default())
}

#[tokio::test]
async fn a_poller_deletes_what_succeeded_and_gives_back_what_crashed() {
    let backend = queue_of(vec![
        message("good", &json!({})),
        message("bad", &json!("crash")),
    ])
    .await;
    let server = SqsServer::new(backend.url());
    let queue = Queue {
        url: "http://q".into(),
        arn: "arn:aws:sqs:us-east-1:0:q".into(),
    };
    let function = echo();
    let mapping = Mapping {
        wait_seconds: 0,
        redelivers_at_once: true,
        max_concurrency: 2,
        ..Mapping::default()
    };
    let poller = Poller::start(&server, &queue, &function, mapping);
    eventually("both messages to be settled", async || {
        let returned = receipts(&backend, "ChangeMessageVisibilityBatch");
        let deleted = receipts(&backend, "DeleteMessageBatch");
        (deleted == ["receipt-good"] && returned == ["receipt-bad"]).then_some(())
    })
    .await;
    let stats = poller.stats();
    assert_eq!(
        (stats.received, stats.events, stats.deleted, stats.failed),
        (2, 2, 1, 1)
    );
}

#[tokio::test]
async fn a_poller_doubles_and_reverses_when_it_is_told_to() {
    let messages = (0..20)
        .map(|n| message(&format!("{n:02}"), &json!({"n": n})))
        .collect();
    let backend = queue_of(messages).await;
    let server = SqsServer::new(backend.url());
    let queue = Queue {
        url: "http://q".into(),
        arn: "arn:aws:sqs:us-east-1:0:q".into(),
    };
    let function = echo();
    let mapping = Mapping {
        wait_seconds: 0,
        batch_size: 10,
        max_concurrency: 1,
        delivers_twice: true,
        reversal_window: 10,
        ..Mapping::default()
    };
    let poller = Poller::start(&server, &queue, &function, mapping);
    eventually("all messages to be settled", async || {
        (poller.stats().deleted == 40 && receipts(&backend, "DeleteMessageBatch").len() == 40)
            .then_some(())
    })
    .await;
    let stats = poller.stats();
    assert_eq!(
        (stats.received, stats.events, stats.stopped_as_loop),
        (20, 4, 0),
        "one invocation that sends twenty messages is no loop"
    );
    let logs = function.logs();
    let first = logs.lines().next().unwrap();
    assert!(
        first.find("{\\\"n\\\":9}").unwrap() < first.find("{\\\"n\\\":0}").unwrap(),
        "{first}"
    );
}
