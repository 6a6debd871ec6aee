//! The Lambda server with a real child process: reuse, freeze, deadline, crash, kill, streaming.

#![expect(clippy::unwrap_used, reason = "a test fails loudly, its helpers too")]

use std::path::PathBuf;

use openeve_testkit::lambda::{InvokeOutcome, LambdaFunction, LambdaOptions};
use openeve_testkit::patience::eventually;
use serde_json::{Value, json};

/// The example `echo_lambda`, which cargo builds with the tests.
fn echo() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.ancestors()
        .nth(2)
        .unwrap()
        .join("examples/echo_lambda")
}

fn start(options: LambdaOptions) -> LambdaFunction {
    LambdaFunction::start(echo(), [], options)
}

async fn ask(function: &LambdaFunction, what: &str) -> InvokeOutcome {
    function.invoke_json(&json!({"do": what})).await
}

/// The state letter of a process: `T` is stopped.
fn state(pid: u32) -> String {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    stat.rsplit(") ").next().unwrap()[..1].to_owned()
}

#[tokio::test]
async fn a_warm_process_is_used_again_and_stands_still_between_events() {
    let function = start(LambdaOptions::default());
    let first = ask(&function, "a").await.json();
    eventually("the process to be frozen", async || {
        function
            .idle_pids()
            .first()
            .filter(|pid| state(**pid) == "T")
            .map(|_| ())
    })
    .await;
    let second = ask(&function, "b").await.json();
    assert_eq!(first["pid"], second["pid"]);
    assert_eq!((&first["count"], &second["count"]), (&json!(1), &json!(2)));
    assert_eq!(second["event"], json!({"do": "b"}));
    let stats = function.stats();
    assert_eq!((stats.invocations, stats.cold_starts), (2, 1));
    assert_eq!((stats.init_ms.len(), stats.rss_kib.len()), (1, 2));
    eventually("the log", async || {
        function
            .logs()
            .contains("event 2: {\"do\":\"b\"}")
            .then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_process_without_freeze_keeps_running() {
    let function = start(LambdaOptions {
        freeze: false,
        ..LambdaOptions::default()
    });
    ask(&function, "a").await;
    let pid = eventually("an idle process", async || {
        function.idle_pids().first().copied()
    })
    .await;
    assert_ne!(state(pid), "T");
}

#[tokio::test]
async fn the_deadline_kills_and_the_next_invocation_gets_a_fresh_process() {
    let function = start(LambdaOptions {
        timeout_ms: 300,
        ..LambdaOptions::default()
    });
    assert_eq!(ask(&function, "hang").await, InvokeOutcome::TimedOut);
    assert_eq!(ask(&function, "a").await.json()["count"], 1);
    assert_eq!(
        (function.stats().timeouts, function.stats().cold_starts),
        (1, 2)
    );
    // It answered, but never asked for the next event: the deadline still holds.
    assert_eq!(ask(&function, "hang_after").await.json()["count"], 2);
    eventually("the process to be killed", async || {
        (function.busy() == 0).then_some(())
    })
    .await;
    assert_eq!(ask(&function, "a").await.json()["count"], 1);
}

#[tokio::test]
async fn a_crash_is_told_and_the_next_invocation_gets_a_fresh_process() {
    let function = start(LambdaOptions::default());
    let before = ask(&function, "a").await.json();
    assert_eq!(ask(&function, "crash").await, InvokeOutcome::Crashed);
    let after = ask(&function, "a").await.json();
    assert_ne!(before["pid"], after["pid"]);
    assert_eq!(after["count"], 1);
    assert_eq!(function.stats().crashes, 1);
}

#[tokio::test]
async fn errors_of_handling_and_of_initialising_are_told() {
    let function = start(LambdaOptions::default());
    let error = |kind: &str| InvokeOutcome::FunctionError(json!({"errorType": kind}));
    assert_eq!(ask(&function, "error").await, error("Asked"));
    assert_eq!(ask(&function, "a").await.json()["count"], 2);
    let env = [("FAIL_INIT".to_owned(), "1".to_owned())];
    let broken = LambdaFunction::start(echo(), env, LambdaOptions::default());
    assert_eq!(ask(&broken, "a").await, error("Init"));
}

#[tokio::test]
async fn a_stream_arrives_in_pieces_and_is_joined_at_the_end() {
    let function = start(LambdaOptions::default());
    let (mut chunks, outcome) = function.invoke_streaming(json!({"do": "stream"}).to_string());
    let mut pieces = Vec::new();
    while let Some(chunk) = chunks.recv().await {
        pieces.push(String::from_utf8(chunk.to_vec()).unwrap());
    }
    assert_eq!(pieces.concat(), "onetwo");
    assert_eq!(
        outcome.await.unwrap(),
        InvokeOutcome::Response("onetwo".into())
    );
}

#[tokio::test]
async fn concurrency_is_bounded_and_each_event_has_its_own_process() {
    let function = start(LambdaOptions {
        max_concurrency: 2,
        ..LambdaOptions::default()
    });
    let calls = (0..6).map(|n| {
        let function = function.clone();
        tokio::spawn(async move { function.invoke_json(&json!({"n": n})).await.json() })
    });
    let mut answers: Vec<Value> = Vec::new();
    for call in calls.collect::<Vec<_>>() {
        answers.push(call.await.unwrap()["event"]["n"].clone());
    }
    assert_eq!(answers, (0..6).map(Value::from).collect::<Vec<_>>());
    assert!(function.stats().cold_starts <= 2);
}

#[tokio::test]
async fn killing_all_ends_what_is_in_flight_as_crashed() {
    let function = start(LambdaOptions::default());
    ask(&function, "a").await;
    let hanging = tokio::spawn({
        let function = function.clone();
        async move { ask(&function, "hang").await }
    });
    eventually("the event to arrive", async || {
        function.logs().contains("hang").then_some(())
    })
    .await;
    function.suspend_busy();
    function.resume_busy();
    function.kill_all().await;
    assert_eq!(hanging.await.unwrap(), InvokeOutcome::Crashed);
    assert_eq!(ask(&function, "a").await.json()["count"], 1);
}
