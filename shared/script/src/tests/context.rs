//! What `ctx` offers.

use serde_json::{Value, json};

use super::{Bench, output};

#[tokio::test]
async fn a_tool_knows_where_it_runs() {
    let body = "return [ctx.runId, ctx.conversationId, ctx.toolCallId, ctx.toolName];";
    let value = Bench::new().value(body).await;
    let id = |prefix: &str, n: u8| format!("{prefix}_{n:032}");
    assert_eq!(
        value,
        json!([id("run", 1), id("conv", 2), id("call", 3), "probe"])
    );
}

#[tokio::test]
async fn emitted_events_come_in_order_even_if_the_tool_fails_later() {
    let bench = Bench::new();
    let outcome = bench
        .run(
            "await ctx.emit('order.placed', { n: 1 }); await ctx.emit('x'); throw new Error('no');",
        )
        .await;
    let events: Vec<_> = outcome
        .emitted
        .iter()
        .map(|event| (event.kind.as_str(), event.payload.clone()))
        .collect();
    assert_eq!(
        events,
        [("order.placed", json!({"n": 1})), ("x", Value::Null)]
    );
    assert!(outcome.result.is_err());
}

#[tokio::test]
async fn an_event_the_framework_owns_or_nobody_can_name_is_a_type_error() {
    let bench = Bench::new();
    for name in [
        "'run.created'",
        "'Run.Created'",
        "''",
        "'a b'",
        "'é'",
        "'a'.repeat(101)",
        "7",
    ] {
        let error = bench.error(&format!("await ctx.emit({name}, 1);")).await;
        assert!(error.starts_with("TypeError: "), "{name}: {error}");
    }
}

#[tokio::test]
async fn events_are_bounded_in_number_and_size() {
    let bench = Bench::new().limits(|limits| {
        limits.events = 2;
        limits.event_bytes = 100;
    });
    let outcome = bench.run("for (;;) await ctx.emit('tick', 1);").await;
    assert_eq!(outcome.emitted.len(), 2);
    assert!(outcome.result.unwrap_err().contains("at most 2 events"));
    let error = bench.error("await ctx.emit('big', 'x'.repeat(100));").await;
    assert!(error.contains("at most 100 bytes, this one 102"), "{error}");
}

#[tokio::test]
async fn an_idempotency_key_is_stable_for_a_label_and_differs_between_labels() {
    let bench = Bench::new();
    let body = "return [ctx.idempotencyKey('charge'), ctx.idempotencyKey('mail')];";
    let (first, second) = (bench.value(body).await, bench.value(body).await);
    assert_eq!(first, second);
    assert_ne!(first[0], first[1]);
    let key = first[0].as_str().unwrap();
    assert!(key.starts_with("oe_") && key.len() == 43, "{key}");
    assert!(
        bench
            .error("ctx.idempotencyKey('')")
            .await
            .starts_with("TypeError")
    );
    assert!(
        bench
            .error("ctx.idempotencyKey()")
            .await
            .starts_with("TypeError")
    );
}

#[tokio::test]
async fn a_schema_object_has_its_say_about_the_input() {
    let module = "const inputSchema = { '~standard': { version: 1, vendor: 'mini', validate: async ({ n = 2, s }) =>
        s === 'bad' ? { issues: [{ message: 'is bad', path: ['s', { key: 0 }] }, { message: 'no' }] } : { value: { n, s: s.trim() } } } };
      export default { inputSchema, execute: (input) => input };";
    let bench = Bench::new();
    let made = output(bench.run_module(module, json!({"s": " a "})).await);
    assert_eq!(made.result, json!({"n": 2, "s": "a"}));
    let refused = bench.run_module(module, json!({"s": "bad"})).await.result;
    let why = refused.unwrap_err();
    assert!(
        why.contains("the input does not fit the schema: s.0: is bad; no"),
        "{why}"
    );
}
