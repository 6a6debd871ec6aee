//! What a tool returns, throws or leaves open.

use serde_json::{Value, json};

use super::{Bench, module, output};
use openeve_runtime::ports::ToolRunner as _;

#[tokio::test]
async fn a_tool_gets_its_arguments_and_returns_json() {
    let bench = Bench::new();
    let outcome = bench
        .run_module(
            &module("return { sum: input.a + input.b, none: undefined };"),
            json!({"a": 1, "b": 2}),
        )
        .await;
    let output = output(outcome);
    assert_eq!(
        (output.result, output.model_output),
        (json!({"sum": 3}), None)
    );
}

#[tokio::test]
async fn a_synchronous_tool_may_return_nothing() {
    let module = "export default { execute() {} };";
    let outcome = Bench::new().run_module(module, json!(null)).await;
    assert_eq!(output(outcome).result, Value::Null);
}

#[tokio::test]
async fn the_models_text_is_what_to_model_output_makes_of_the_result() {
    let text = "export default { execute: () => ({ n: 1 }), toModelOutput: (r) => `n is ${r.n}` };";
    let other = "export default { execute: () => 7, toModelOutput: async (r) => ({ n: r }) };";
    let bench = Bench::new();
    let made = output(bench.run_module(text, json!({})).await);
    assert_eq!(
        (made.result, made.model_output.as_deref()),
        (json!({"n": 1}), Some("n is 1"))
    );
    let made = output(bench.run_module(other, json!({})).await);
    assert_eq!(
        (made.result, made.model_output.as_deref()),
        (json!(7), Some(r#"{"n":7}"#))
    );
}

#[tokio::test]
async fn a_thrown_error_names_the_module_and_its_line() {
    let error = Bench::new().error("throw new RangeError('too far');").await;
    assert!(error.starts_with("RangeError: too far\n"), "{error}");
    assert!(error.contains("probe.mjs:"), "{error}");
    assert!(!error.contains("openeve:"), "{error}");
}

#[tokio::test]
async fn a_rejection_is_told_with_its_cause() {
    let body = "return Promise.reject(new Error('outer', { cause: new TypeError('inner') }));";
    let error = Bench::new().error(body).await;
    assert!(
        error.starts_with("Error: outer\n    caused by TypeError: inner"),
        "{error}"
    );
}

#[tokio::test]
async fn a_thrown_value_that_is_no_error_is_told_as_it_is() {
    let bench = Bench::new();
    assert_eq!(bench.error("throw 'plain';").await, "Error: plain");
    assert_eq!(
        bench.error("throw { code: 7 };").await,
        r#"Error: {"code":7}"#
    );
    assert_eq!(
        bench.error("throw null;").await,
        "Error: the tool threw null"
    );
    assert!(
        bench
            .error("throw Symbol('s');")
            .await
            .starts_with("Error: ")
    );
}

#[tokio::test]
async fn what_is_not_json_is_refused_and_named() {
    let bench = Bench::new();
    for (body, why) in [
        ("return () => 1;", "a function"),
        ("return { a: { go() {} } };", "a function at \"go\""),
        ("return Symbol('s');", "a symbol"),
        ("return { big: 10n };", "a bigint at \"big\""),
        ("const a = {}; a.a = a; return a;", "a cycle"),
    ] {
        let error = bench.error(body).await;
        let wanted = format!("TypeError: the tool returned something that is not JSON: {why}");
        assert!(error.starts_with(&wanted), "{error}");
    }
}

#[tokio::test]
async fn half_a_surrogate_pair_becomes_a_replacement_mark() {
    assert_eq!(
        Bench::new().value("return '😀'.slice(0, 1) + 'x';").await,
        json!("\u{fffd}x")
    );
}

#[tokio::test]
async fn a_result_over_its_bound_keeps_head_and_tail() {
    let bench = Bench::new().limits(|limits| limits.result_bytes = 1_000);
    let output = output(bench.run("return Array(900).fill(12);").await);
    assert_eq!(output.result["bytes"], json!(2_701));
    assert!(output.model_output.unwrap().starts_with("[12,12"));
}

#[tokio::test]
async fn a_promise_that_never_settles_is_told_at_once() {
    let bench = Bench::new();
    let error = bench.error("await new Promise(() => {});").await;
    assert!(error.contains("never settles"), "{error}");
    let error = bench
        .error("Promise.reject(new Error('lost')); await new Promise(() => {});")
        .await;
    assert!(error.contains("nobody handled: Error: lost"), "{error}");
    let error = bench
        .error("clearTimeout(setTimeout(() => {}, 60000)); await new Promise(() => {});")
        .await;
    assert!(error.contains("never settles"), "{error}");
}

#[tokio::test]
async fn a_pending_timer_does_not_keep_a_settled_tool_alive() {
    assert_eq!(
        Bench::new()
            .value("setTimeout(() => {}, 60000); return 1;")
            .await,
        json!(1)
    );
}

#[tokio::test]
async fn a_module_that_cannot_be_run_says_why() {
    let bench = Bench::new();
    for (module, why) in [
        (
            "export const a = 1;",
            "tools/probe.ts default-exports no tool",
        ),
        ("export default { execute: 1 };", "default-exports no tool"),
        ("export default {", "SyntaxError"),
        (
            "import fs from 'node:fs'; export default { execute() {} };",
            "imports \"node:fs\"",
        ),
        (
            "export default { execute: () => import('./other.mjs') };",
            "imports \"./other.mjs\"",
        ),
        ("throw new Error('at load');", "Error: at load"),
        (
            "await new Promise(() => {}); export default { execute() {} };",
            "never settles",
        ),
    ] {
        let error = bench
            .run_module(module, json!({}))
            .await
            .result
            .unwrap_err();
        assert!(error.contains(why), "{module}: {error}");
    }
}

#[tokio::test]
async fn a_module_that_is_not_the_manifests_is_refused() {
    let bench = Bench::new();
    let tools = bench.tools();
    let mut tool = bench.tool("probe", &module("return 1;"));
    tool.module.sha256 = "00".repeat(32);
    let error = tools
        .run(bench.call(&tool, json!({})))
        .await
        .result
        .unwrap_err();
    assert!(error.contains("does not have the SHA-256"), "{error}");
    tool.module.path = "../probe.mjs".to_owned();
    let error = tools
        .run(bench.call(&tool, json!({})))
        .await
        .result
        .unwrap_err();
    assert!(error.contains("leaves the artifact"), "{error}");
    tool.module.path = "missing.mjs".to_owned();
    let error = tools
        .run(bench.call(&tool, json!({})))
        .await
        .result
        .unwrap_err();
    assert!(error.contains("cannot be read"), "{error}");
}

#[tokio::test]
async fn what_one_call_does_to_a_prototype_is_not_seen_by_the_next() {
    let bench = Bench::new();
    let tools = bench.tools();
    let tool = bench.tool(
        "probe",
        &module("const seen = {}.evil ?? null; Object.prototype.evil = 1; globalThis.x = 1; return seen;"),
    );
    for _ in 0..2 {
        let outcome = tools.run(bench.call(&tool, json!({}))).await;
        assert_eq!(output(outcome).result, Value::Null);
    }
}

#[tokio::test]
async fn calls_run_side_by_side() {
    // Each waits for the other's request, so neither would end alone.
    let bench = Bench::new().answering(|_| Ok((200, vec![], b"ok".to_vec())));
    let tools = bench.tools();
    let tool = bench.tool(
        "probe",
        &module("await fetch('https://a.example/'); return input.n;"),
    );
    let (one, two) = tokio::join!(
        tools.run(bench.call(&tool, json!({"n": 1}))),
        tools.run(bench.call(&tool, json!({"n": 2}))),
    );
    assert_eq!(output(one).result, json!(1));
    assert_eq!(output(two).result, json!(2));
}
