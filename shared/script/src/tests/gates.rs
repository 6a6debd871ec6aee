//! What a tool's `needsApproval` says about a call.

use openeve_domain::manifest::ApprovalSpec;
use openeve_runtime::ports::{Gate, ToolRunner as _};
use serde_json::{Value, json};

use super::Bench;
use crate::Limits;

/// Asks this `needsApproval` about a call with this input.
async fn ask(bench: &Bench, needs: &str, input: Value) -> Result<Gate, String> {
    let module = format!(
        "import {{ approvalRequired, defineTool }} from '@openeve/core';\n\
         export default defineTool({{ limit: 10, needsApproval: {needs}, execute() {{ return 1; }} }});"
    );
    let mut tool = bench.tool("probe", &module);
    tool.approval = Some(ApprovalSpec {
        reason: Some("spec".to_owned()),
        predicate: true,
        approvers: Vec::new(),
    });
    bench.tools().gate(bench.call(&tool, input)).await
}

fn asks(reason: &str) -> Gate {
    Gate::Ask {
        reason: Some(reason.to_owned()),
    }
}

#[tokio::test]
async fn the_function_decides_on_the_calls_input() {
    let bench = Bench::new();
    for needs in [
        "(input) => input.amount > 10",
        "async function (input) { return input.amount > this.limit; }",
        "approvalRequired({ when: (input) => input.amount > 10 })",
        "approvalRequired({ async when(input) { return input.amount > 10; } })",
    ] {
        assert_eq!(
            ask(&bench, needs, json!({"amount": 11})).await,
            Ok(asks("spec")),
            "{needs}"
        );
        assert_eq!(
            ask(&bench, needs, json!({"amount": 10})).await,
            Ok(Gate::Open),
            "{needs}"
        );
    }
}

#[tokio::test]
async fn what_the_function_says_opens_or_closes_the_gate() {
    let bench = Bench::new();
    for (said, gate) in [
        ("false", Ok(Gate::Open)),
        ("undefined", Ok(Gate::Open)),
        ("null", Ok(Gate::Open)),
        ("true", Ok(asks("spec"))),
        ("'It costs 7.'", Ok(asks("It costs 7."))),
        ("Promise.resolve('later')", Ok(asks("later"))),
        ("' '", Ok(asks("spec"))),
        ("'a'.repeat(5000)", Ok(asks(&"a".repeat(4000)))),
    ] {
        assert_eq!(
            ask(&bench, &format!("() => {said}"), json!({})).await,
            gate,
            "{said}"
        );
    }
}

#[tokio::test]
async fn a_function_that_says_something_else_or_throws_is_an_error() {
    let bench = Bench::new();
    for (needs, why) in [
        (
            "() => 0",
            "TypeError: needsApproval must say true, false or a reason, but said: number",
        ),
        ("() => NaN", "but said: number"),
        ("() => ['a']", "but said: array"),
        ("() => ({ toJSON: () => false })", "but said: object"),
        ("() => new Boolean(false)", "but said: object"),
        ("() => () => true", "but said: function"),
        ("() => Symbol('s')", "but said: symbol"),
        ("() => { throw new Error('no'); }", "Error: no"),
        ("async () => { throw 'plain'; }", "Error: plain"),
        ("() => new Promise(() => {})", "never settles"),
        ("approvalRequired('why')", "has no function to decide"),
        (
            "approvalRequired({ when: true })",
            "has no function to decide",
        ),
        ("undefined", "has no function to decide"),
        ("false", "has no function to decide"),
    ] {
        let error = ask(&bench, needs, json!({})).await.unwrap_err();
        assert!(error.contains(why), "{needs}: {error}");
    }
}

#[tokio::test]
async fn a_predicate_knows_the_call_and_can_do_nothing_about_it() {
    let needs = "(input, ctx) => JSON.stringify([ctx.runId, ctx.conversationId, ctx.toolCallId, ctx.toolName, Object.keys(ctx).length])";
    let Ok(Gate::Ask { reason: Some(said) }) = ask(&Bench::new(), needs, json!({})).await else {
        panic!("no reason")
    };
    let id = |prefix: &str, n: u8| format!("{prefix}_{n:032}");
    assert_eq!(
        serde_json::from_str::<Value>(&said).unwrap(),
        json!([id("run", 1), id("conv", 2), id("call", 3), "probe", 4])
    );
}

#[tokio::test]
async fn a_predicate_may_fetch() {
    let bench = Bench::new().answering(|_| Ok((200, vec![], b"closed".to_vec())));
    let needs = "async () => (await fetch('https://a.example/')).text()";
    assert_eq!(ask(&bench, needs, json!({})).await, Ok(asks("closed")));
}

#[tokio::test]
async fn a_predicate_has_ten_seconds_at_most_and_no_more_than_its_call() {
    assert_eq!(Limits::default().gate_wall_ms, 10_000);
    let mut bench = Bench::new().limits(|limits| limits.gate_wall_ms = 60);
    let needs = "async () => { await fetch('https://slow.example/'); }";
    for (call_ms, allowed_ms) in [(120_000, 60), (50, 50)] {
        bench.timeout_ms = call_ms;
        let error = ask(&bench, needs, json!({})).await.unwrap_err();
        let why = format!("the tool's needsApproval took longer than its {allowed_ms} ms");
        assert!(error.starts_with(&why), "{error}");
    }
}

#[tokio::test]
async fn a_predicate_is_bounded_as_a_call_is() {
    let bench = Bench::new().limits(|limits| limits.cpu_ms = 40);
    let error = ask(&bench, "() => { for (;;) {} }", json!({}))
        .await
        .unwrap_err();
    assert!(
        error.contains("more than 40 ms of processor time"),
        "{error}"
    );
}

#[tokio::test]
async fn a_secret_is_no_reason() {
    let bench = Bench::new().env("API_KEY", "sk-live-123");
    let said = ask(&bench, "() => process.env.API_KEY", json!({})).await;
    assert_eq!(said, Ok(asks("[secret]")));
    let error = ask(&bench, "() => { throw process.env.API_KEY; }", json!({})).await;
    assert_eq!(error, Err("Error: [secret]".to_owned()));
}

#[tokio::test]
async fn a_tool_without_a_function_is_as_its_definition_says() {
    let bench = Bench::new();
    let tools = bench.tools();
    let mut tool = bench.tool("probe", "for (;;) {}");
    assert_eq!(
        tools.gate(bench.call(&tool, json!({}))).await,
        Ok(Gate::Open)
    );
    tool.approval = Some(ApprovalSpec {
        reason: Some("Careful.".to_owned()),
        ..ApprovalSpec::default()
    });
    assert_eq!(
        tools.gate(bench.call(&tool, json!({}))).await,
        Ok(asks("Careful."))
    );
}
