//! Places in messages are those of the author's files, where a source map says so.

use serde_json::json;

use super::Bench;

/// Says of the module's second line that it is the seventh of `tools/probe.ts`.
const MAP: &str = r#"{"version":3,"sources":["tools/probe.ts"],"names":[],"mappings":";AAME"}"#;
const MODULE: &str = "export default {\nexecute() { throw new Error('no bread') }\n};";

#[tokio::test]
async fn a_stack_names_the_line_of_the_authors_file() {
    let bench = Bench::new();
    std::fs::write(bench.root.path().join("probe.mjs.map"), MAP).unwrap();
    let text = bench
        .run_module(MODULE, json!({}))
        .await
        .result
        .unwrap_err();
    assert!(
        text.starts_with("Error: no bread\n    at execute (tools/probe.ts:7:3)"),
        "{text}"
    );
}

#[tokio::test]
async fn without_a_map_or_with_one_that_cannot_be_read_a_stack_names_the_module() {
    let bench = Bench::new();
    for map in [None, Some("{"), Some("[]")] {
        if let Some(map) = map {
            std::fs::write(bench.root.path().join("probe.mjs.map"), map).unwrap();
        }
        let text = bench
            .run_module(MODULE, json!({}))
            .await
            .result
            .unwrap_err();
        assert!(
            text.starts_with("Error: no bread\n    at execute (probe.mjs:2:"),
            "{text}"
        );
    }
}
