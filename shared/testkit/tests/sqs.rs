//! The queue server on loopback, alone and between a queue and a function that feeds itself.

#![expect(clippy::unwrap_used, reason = "a test fails loudly, its helpers too")]

use std::path::PathBuf;

use openeve_testkit::http_client::request;
use openeve_testkit::lambda::{
    CHAIN_INVOCATIONS_MAX, LambdaFunction, LambdaOptions, RecursiveLoop,
};
use openeve_testkit::patience::{eventually, within};
use openeve_testkit::sqs::local::LocalSqs;
use openeve_testkit::sqs::poller::{Mapping, Poller};
use openeve_testkit::sqs::{Depth, Queue, SqsServer};
use serde_json::{Value, json};

/// The example `echo_lambda`, which cargo builds with the tests, feeding a queue if it is asked to.
fn echo(queue: &Queue, recursive_loop: RecursiveLoop) -> LambdaFunction {
    let test = std::env::current_exe().unwrap();
    let binary: PathBuf = test
        .ancestors()
        .nth(2)
        .unwrap()
        .join("examples/echo_lambda");
    let env = [("FEED_QUEUE".to_owned(), queue.url.clone())];
    let options = LambdaOptions {
        recursive_loop,
        ..LambdaOptions::default()
    };
    LambdaFunction::start(binary, env, options)
}

/// Failed messages come back at once, so that no test waits for a visibility time-out.
fn mapping() -> Mapping {
    Mapping {
        redelivers_at_once: true,
        max_concurrency: 2,
        ..Mapping::default()
    }
}

async fn refused(sqs: &SqsServer, action: &str, body: &Value) -> String {
    let error = sqs.call(action, body).await.unwrap_err().0;
    assert!(error.contains("400"), "{error}");
    error
}

#[tokio::test]
async fn a_message_is_received_once_and_comes_back_until_it_is_dead() {
    let local = LocalSqs::start().await;
    let sqs = local.client();
    let (queue, dead) = sqs.create_pair("q", 30, 2).await;
    assert_eq!(sqs.create_pair("q", 30, 2).await.0, queue, "it exists");
    sqs.send(&queue, "hello").await;
    for receives in ["1", "2"] {
        let received = sqs.receive(&queue, 10, 0).await.unwrap();
        assert_eq!(received[0]["Body"], "hello");
        assert_eq!(
            received[0]["Attributes"]["ApproximateReceiveCount"],
            receives
        );
        assert_eq!(
            sqs.receive(&queue, 10, 0).await.unwrap(),
            Vec::<Value>::new()
        );
        let receipt = received[0]["ReceiptHandle"].as_str().unwrap().to_owned();
        sqs.set_visibility(&queue, &[receipt], 0).await.unwrap();
    }
    assert_eq!(
        sqs.receive(&queue, 10, 0).await.unwrap(),
        Vec::<Value>::new()
    );
    sqs.empty(&queue).await;
    let buried = sqs.receive(&dead, 10, 0).await.unwrap();
    assert_eq!(buried[0]["Body"], "hello");
    let receipt = buried[0]["ReceiptHandle"].as_str().unwrap().to_owned();
    sqs.delete(&dead, &[receipt]).await.unwrap();
    assert_eq!(sqs.depth(&dead).await, Depth::default());
}

#[tokio::test]
async fn a_receiver_that_waits_hears_of_a_message_at_once() {
    let local = LocalSqs::start().await;
    let sqs = local.client();
    let queue = sqs.create("q", &json!({})).await;
    let waiting = sqs.receive(&queue, 1, 20);
    let (received, ()) = within("the message", async {
        tokio::join!(waiting, sqs.send(&queue, "hello"))
    })
    .await;
    assert_eq!(received.unwrap()[0]["Body"], "hello");
}

#[tokio::test]
async fn what_aws_refuses_is_refused() {
    let local = LocalSqs::start().await;
    let sqs = local.client();
    let queue = sqs.create("q", &json!({})).await;
    let with = |name: &str, value: Value| {
        let mut message = json!({"QueueUrl": queue.url, "MessageBody": "hello"});
        message[name] = value;
        message
    };
    for (name, value) in [
        ("MessageGroupId", json!("")),
        ("MessageGroupId", json!("x".repeat(129))),
        ("MessageGroupId", json!("two words")),
        ("MessageGroupId", json!("café")),
        ("DelaySeconds", json!(901)),
        ("MessageBody", json!("")),
    ] {
        let error = refused(&sqs, "SendMessage", &with(name, value)).await;
        assert!(error.contains("InvalidParameterValue"), "{error}");
    }
    for (name, value) in [
        ("MaxNumberOfMessages", json!(11)),
        ("WaitTimeSeconds", json!(21)),
    ] {
        let error = refused(&sqs, "ReceiveMessage", &with(name, value)).await;
        assert!(error.contains("InvalidParameterValue"), "{error}");
    }
    let elsewhere = with("QueueUrl", json!("http://127.0.0.1/000000000000/other"));
    let error = refused(&sqs, "SendMessage", &elsewhere).await;
    assert!(error.contains("QueueDoesNotExist"), "{error}");
    let other = json!({"QueueName": "q", "Attributes": {"VisibilityTimeout": "31"}});
    let error = refused(&sqs, "CreateQueue", &other).await;
    assert!(error.contains("QueueNameExists"), "{error}");
    assert_eq!(sqs.depth(&queue).await, Depth::default());
}

#[tokio::test]
async fn a_message_keeps_its_group_and_the_trace_header_of_the_request_that_sent_it() {
    const TRACE: &str = "Root=1-5e-ab;Parent=2;Sampled=1;Lineage=c512fbe3:2";
    let local = LocalSqs::start().await;
    let sqs = local.client();
    let queue = sqs.create("q", &json!({})).await;
    let message = json!({"QueueUrl": queue.url, "MessageBody": "hello", "MessageGroupId": "acme"});
    let headers = [
        ("x-amz-target", "AmazonSQS.SendMessage"),
        ("x-amzn-trace-id", TRACE),
    ];
    let url = format!("{}/", sqs.endpoint());
    let answer = request("POST", &url, &headers, message.to_string().as_bytes()).await;
    assert_eq!(answer.unwrap().status, 200);
    let received = sqs.receive(&queue, 1, 0).await.unwrap();
    assert_eq!(
        received[0]["Attributes"],
        json!({"ApproximateReceiveCount": "1", "AWSTraceHeader": TRACE, "MessageGroupId": "acme"})
    );
}

#[tokio::test]
async fn a_function_that_feeds_itself_is_stopped_after_sixteen_invocations() {
    let local = LocalSqs::start().await;
    let sqs = local.client();
    let (queue, dead) = sqs.create_pair("q", 30, 5).await;
    let function = echo(&queue, RecursiveLoop::Terminate);
    let poller = Poller::start(&sqs, &queue, &function, mapping());
    sqs.send(&queue, "feed 40").await;
    eventually("the seventeenth message is a dead letter", async || {
        (sqs.depth(&dead).await.visible == 1).then_some(())
    })
    .await;
    let buried = sqs.receive(&dead, 1, 0).await.unwrap();
    assert_eq!(buried[0]["Body"], "feed 24");
    assert_eq!(
        buried[0]["Attributes"]["ApproximateReceiveCount"], "6",
        "five receives of the queue and this one"
    );
    let (stats, function) = (poller.stats(), function.stats());
    let passed = u64::from(CHAIN_INVOCATIONS_MAX);
    assert_eq!(
        (stats.events, stats.deleted, stats.stopped_as_loop),
        (passed, passed, 5)
    );
    assert_eq!((function.invocations, function.loops_stopped), (passed, 5));
}

#[tokio::test]
async fn a_function_that_may_feed_itself_goes_on() {
    let local = LocalSqs::start().await;
    let sqs = local.client();
    let (queue, dead) = sqs.create_pair("q", 30, 5).await;
    let function = echo(&queue, RecursiveLoop::Allow);
    let _poller = Poller::start(&sqs, &queue, &function, mapping());
    sqs.send(&queue, "feed 40").await;
    eventually("the countdown ends", async || {
        (function.stats().invocations == 41).then_some(())
    })
    .await;
    sqs.empty(&queue).await;
    assert_eq!(sqs.depth(&dead).await, Depth::default());
    assert_eq!(function.stats().loops_stopped, 0);
}

#[tokio::test]
async fn a_thousand_messages_of_one_tenant_do_not_delay_another() {
    let local = LocalSqs::start().await;
    let sqs = local.client();
    let (queue, _) = sqs.create_pair("q", 30, 5).await;
    for number in 0..1_000 {
        sqs.send_for(&queue, "loud", &format!("loud {number}"))
            .await
            .unwrap();
    }
    for number in 0..3 {
        sqs.send_for(&queue, "quiet", &format!("quiet {number}"))
            .await
            .unwrap();
    }
    let function = echo(&queue, RecursiveLoop::Terminate);
    let _poller = Poller::start(&sqs, &queue, &function, mapping());
    eventually("the quiet tenant is served", async || {
        function.logs().contains("\"quiet 2\"").then_some(())
    })
    .await;
    let logs = function.logs();
    let (before, _) = logs.split_once("\"quiet 2\"").unwrap();
    let loud = before.matches("\"loud ").count();
    assert!(loud <= 8, "{loud} messages of the loud tenant came first");
}
