//! Values of declared variables, and what of them gets out.

use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use openeve_runtime::ports::ToolRunner as _;
use serde_json::json;
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber, subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};

use super::{Bench, module};

#[tokio::test]
async fn a_tool_reads_declared_variables_and_no_others() {
    let bench = Bench::new().env("API_KEY", "sk-live-123");
    let body = "process.env.NEW = 'x' ; return 1;";
    assert!(
        bench.error(body).await.starts_with("TypeError"),
        "it is frozen"
    );
    let body = "return [process.env.API_KEY.length, process.env.HOME ?? null];";
    assert_eq!(bench.value(body).await, json!([11, null]));
}

#[tokio::test]
async fn a_secret_in_an_error_or_an_event_is_cut_out() {
    let bench = Bench::new()
        .env("SHORT", "sk-live")
        .env("API_KEY", "sk-live-123");
    let outcome = bench
        .run("const key = process.env.API_KEY; await ctx.emit('used', { [key]: [`Bearer ${key}`] }); \
              throw new Error(`refused ${key}`);")
        .await;
    let error = outcome.result.unwrap_err();
    assert!(error.starts_with("Error: refused [secret]\n"), "{error}");
    assert_eq!(
        outcome.emitted[0].payload,
        json!({"[secret]": ["Bearer [secret]"]})
    );
}

#[tokio::test]
async fn a_header_with_a_secret_is_marked_sensitive() {
    let bench = Bench::new()
        .env("API_KEY", "sk-live-123")
        .answering(|_| Ok((200, vec![], vec![])));
    bench
        .value("await fetch('https://a.example', { headers: { authorization: `Bearer ${process.env.API_KEY}`, accept: '*/*' } });")
        .await;
    let seen = bench.http.seen.lock().unwrap();
    assert!(seen[0].headers["authorization"].is_sensitive());
    assert!(!seen[0].headers["accept"].is_sensitive());
}

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<String>>>);

impl<S: Subscriber> Layer<S> for Lines {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut line = Line(format!(
            "{} {}",
            event.metadata().level(),
            event.metadata().target()
        ));
        event.record(&mut line);
        self.0.lock().unwrap().push(line.0);
    }
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0 = format!("{} {field}={value:?}", self.0);
    }
}

async fn logged(bench: &Bench, body: &str) -> Vec<String> {
    let lines = Lines::default();
    let _guard = subscriber::set_default(tracing_subscriber::registry().with(lines.clone()));
    let tool = bench.tool("probe", &module(body));
    let _ = bench.tools().run(bench.call(&tool, json!({}))).await;
    std::mem::take(&mut *lines.0.lock().unwrap())
}

#[tokio::test]
async fn console_lines_carry_their_run_and_tool_and_no_secret() {
    let bench = Bench::new().env("API_KEY", "sk-live-123");
    let body =
        "console.warn('key', process.env.API_KEY, { a: [1, 2n], f() {}, m: new Map([['k', 1]]) });
                const o = {}; o.o = o; console.debug(o, undefined, new Error('e').message);";
    let lines = logged(&bench, body).await;
    let run = format!("run_{:032}", 1);
    assert_eq!(
        lines[0],
        format!(
            "WARN openeve.tool message=key [secret] {{\"a\":[1,\"2n\"],\"f\":\"[function f]\",\
             \"m\":{{\"k\":1}}}} run.id={run} tool.name=probe"
        )
    );
    assert!(
        lines[1].contains("message={\"o\":\"[circular]\"} undefined e"),
        "{}",
        lines[1]
    );
}

#[tokio::test]
async fn console_lines_are_bounded_in_number_and_length() {
    let bench = Bench::new().limits(|limits| {
        limits.console_lines = 3;
        limits.console_line_bytes = 10;
    });
    let lines = logged(
        &bench,
        "for (let n = 0; n < 50; n++) console.log('é'.repeat(99));",
    )
    .await;
    assert_eq!(lines.len(), 4);
    assert!(lines[2].contains("message=ééééé "), "{}", lines[2]);
    assert!(lines[3].contains("only the first 3 lines"), "{}", lines[3]);
}

#[tokio::test]
async fn a_rejection_nobody_handled_is_logged_when_the_tool_succeeds() {
    let body = "Promise.reject(new Error('lost')); const late = Promise.reject(new Error('found')); \
                await null; await late.catch(() => {}); setTimeout(() => { throw new Error('timer'); }, 0); \
                await new Promise((go) => setTimeout(go, 1));";
    let lines = logged(&Bench::new(), body).await;
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[0].contains("never handled: Error: lost"), "{lines:?}");
    assert!(
        lines[1].contains("never handled: Error: timer"),
        "{lines:?}"
    );
}

#[tokio::test]
async fn a_failure_is_answered_and_not_logged_again() {
    let lines = logged(&Bench::new(), "throw new Error('answered');").await;
    assert!(lines.is_empty(), "{lines:?}");
    let body = "Promise.reject(new Error('lost')); throw new Error('answered');";
    let lines = logged(&Bench::new(), body).await;
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains("never handled: Error: lost"), "{lines:?}");
}
