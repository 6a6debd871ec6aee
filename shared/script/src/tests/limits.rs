//! Scripts that take too much.

use std::time::Duration;

use openeve_runtime::ports::ToolRunner as _;
use serde_json::json;

use super::{Bench, module};

fn bench() -> Bench {
    Bench::new().limits(|limits| {
        limits.cpu_ms = 60;
        limits.memory_bytes = 4 << 20;
        limits.stack_bytes = 256 << 10;
    })
}

#[tokio::test]
async fn endless_work_is_stopped_however_it_is_written() {
    let bench = bench();
    for body in [
        "for (;;) {}",
        "for (;;) { try { for (;;) {} } catch { } finally { } }",
        "for (;;) { try { await (async () => { for (;;) {} })(); } catch { } }",
        "for (;;) await null;",
        "Function('for (;;) {}')();",
        "eval('for (;;) {}');",
        "const f = () => queueMicrotask(f); f(); await new Promise(() => {});",
        "/^(a+)+$/.test('a'.repeat(60) + 'b');",
        "[3, 1, 2].sort(() => { for (;;) {} });",
        "return { toJSON() { for (;;) {} } };",
        "throw { toString() { for (;;) {} }, toJSON() { for (;;) {} } };",
        "setTimeout(() => { for (;;) {} }, 0); await new Promise(() => {});",
    ] {
        let error = bench.error(body).await;
        assert!(
            error.contains("more than 60 ms of processor time"),
            "{body}: {error}"
        );
    }
}

#[tokio::test]
async fn an_endless_module_is_stopped_before_it_exports_anything() {
    let outcome = bench().run_module("for (;;) {}", json!({})).await;
    assert!(outcome.result.unwrap_err().contains("processor time"));
}

#[tokio::test]
async fn waiting_is_not_working() {
    let body = "for (let n = 0; n < 4; n++) { const end = Date.now() + 25; \
                while (Date.now() < end); await new Promise((go) => setTimeout(go, 0)); } return 1;";
    assert_eq!(bench().value(body).await, json!(1));
}

#[tokio::test]
async fn allocation_without_end_is_told_as_too_much_memory() {
    let bench = bench().limits(|limits| {
        limits.cpu_ms = 5_000;
        limits.memory_bytes = 8 << 20;
    });
    for body in [
        "const all = []; for (;;) all.push(new Uint8Array(100000));",
        "const all = []; for (;;) { try { for (;;) all.push(new Uint8Array(1000000)); } catch { } }",
        "const all = []; for (;;) all.push({ all, go() { return all; } });",
        "const all = []; for (;;) all.push(new TextEncoder().encode('x'.repeat(1000)));",
        "const all = {}; for (let n = 0; ; n++) all['key' + n] = n;",
        "const all = []; for (;;) { all.push(Promise.resolve(all).then((x) => [x])); await null; }",
        "return JSON.parse('[' + '{\"a\":[1,{}]},'.repeat(200000) + '1]').length;",
        "return new Uint8Array(2 ** 30).length;",
        "return 'x'.repeat(4000000).split('').length;",
    ] {
        let error = bench.error(body).await;
        assert_eq!(
            error, "Error: the tool used more than its 8 MiB of memory",
            "{body}"
        );
    }
}

#[tokio::test]
async fn deep_recursion_is_an_ordinary_error() {
    let bench = bench();
    let error = bench.error("const f = () => f() + 1; return f();").await;
    assert!(error.contains("call stack"), "{error}");
    let deep = "let a = []; for (let n = 0; n < 20000; n++) a = [a]; return a;";
    let error = bench.error(deep).await;
    assert!(
        error.starts_with("RangeError") || error.contains("not JSON"),
        "{error}"
    );
}

#[tokio::test]
async fn a_request_that_never_answers_ends_at_the_wall() {
    let mut bench = bench();
    bench.timeout_ms = 50;
    let outcome = bench
        .run("await ctx.emit('begun'); await fetch('https://slow.example/');")
        .await;
    assert_eq!(outcome.emitted.len(), 1, "what was emitted before counts");
    assert!(
        outcome
            .result
            .unwrap_err()
            .contains("longer than its 50 ms")
    );
}

#[tokio::test]
async fn the_wall_stops_a_busy_script_and_its_thread() {
    let mut bench = Bench::new();
    bench.timeout_ms = 50;
    let tools = bench.tools();
    let tool = bench.tool("probe", &module("for (;;) {}"));
    let outcome = tools.run(bench.call(&tool, json!({}))).await;
    assert!(
        outcome
            .result
            .unwrap_err()
            .contains("longer than its 50 ms")
    );
    until_no_thread_is_abandoned(&tools).await;
}

#[tokio::test]
async fn dropping_the_call_stops_the_script() {
    let bench = Bench::new();
    let tools = bench.tools();
    for body in [
        "for (;;) {}",
        "await new Promise((go) => setTimeout(go, 60000));",
    ] {
        let tool = bench.tool("probe", &module(body));
        let call = tools.run(bench.call(&tool, json!({})));
        assert!(
            tokio::time::timeout(Duration::from_millis(30), call)
                .await
                .is_err()
        );
        until_no_thread_is_abandoned(&tools).await;
    }
}

async fn until_no_thread_is_abandoned(tools: &crate::ScriptTools) {
    let ended = async {
        while tools.abandoned_threads() > 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(2), ended)
        .await
        .expect("the thread ends");
}

#[tokio::test]
async fn calls_are_refused_while_too_many_threads_are_stuck() {
    let bench = Bench::new().limits(|limits| limits.abandoned_threads = 1);
    let tools = bench.tools();
    let stuck: Vec<_> = (0..2).map(|_| tools.stuck_thread()).collect();
    let tool = bench.tool("probe", &module("return 1;"));
    let refused = tools
        .run(bench.call(&tool, json!({})))
        .await
        .result
        .unwrap_err();
    assert!(
        refused.contains("2 earlier calls were stopped"),
        "{refused}"
    );
    drop(stuck);
    assert!(tools.run(bench.call(&tool, json!({}))).await.result.is_ok());
}
