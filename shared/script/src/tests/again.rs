//! The second call of a module in a process is made of what the engine compiled at the first.

use openeve_runtime::ports::ToolRunner as _;
use serde_json::json;

use super::{Bench, output};

const MODULE: &str = "\
let calls = 0;
const state = { seen: [] };
export default {
  execute(input) {
    calls += 1;
    state.seen.push(input.word);
    if (input.fails) throw new Error('no bread');
    return { calls, seen: state.seen, source: String(this.execute).length };
  },
};";

#[tokio::test]
async fn calls_share_the_code_of_a_module_and_none_of_its_state() {
    let bench = Bench::new();
    let (tool, tools) = (bench.tool("probe", MODULE), bench.tools());
    let mut results = Vec::new();
    for word in ["one", "two", "three"] {
        let call = bench.call(&tool, json!({ "word": word }));
        results.push(output(tools.run(call).await).result);
    }
    let source = results
        .first()
        .and_then(|result| result.get("source"))
        .cloned();
    for (result, word) in results.iter().zip(["one", "two", "three"]) {
        assert_eq!(
            *result,
            json!({"calls": 1, "seen": [word], "source": source})
        );
    }
}

#[tokio::test]
async fn a_failure_of_a_later_call_names_the_same_place() {
    let bench = Bench::new();
    let (tool, tools) = (bench.tool("probe", MODULE), bench.tools());
    let mut failures = Vec::new();
    for _ in 0..2 {
        let call = bench.call(&tool, json!({ "word": "x", "fails": true }));
        let outcome = tools.run(call).await;
        failures.push(outcome.result.unwrap_err());
    }
    assert!(
        failures.iter().all(|text| text.contains("probe.mjs:7:")),
        "{failures:?}"
    );
    assert_eq!(failures.first(), failures.last());
}

#[tokio::test]
async fn many_first_calls_at_once_do_as_well() {
    let bench = Bench::new();
    let (tool, tools) = (bench.tool("probe", MODULE), bench.tools());
    let call = || async {
        let call = bench.call(&tool, json!({ "word": "x" }));
        output(tools.run(call).await).result
    };
    let results = futures_util::future::join_all((0..16).map(|_| call())).await;
    let first = results.first().cloned();
    assert!(results.into_iter().all(|result| Some(result) == first));
}
