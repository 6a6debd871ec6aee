//! Packages of npm, unchanged, in the engine: each tool of `tests/agents/packages` uses one.

use std::collections::BTreeMap;
use std::process::Command;
use std::sync::Arc;

use async_trait::async_trait;
use openeve_domain::ids::{ConversationId, RunId, ToolCallId};
use openeve_domain::manifest::Manifest;
use openeve_domain::run::settle_calls::Returned;
use openeve_runtime::ports::{
    HttpClient, HttpError, HttpRequest, HttpResponse, Invocation, ToolRunner as _,
};
use openeve_script::ScriptTools;
use openeve_tests::paths::{binary, repository};
use serde_json::{Value, json};
use uuid::Uuid;

/// These tools ask nobody.
struct Offline;

#[async_trait]
impl HttpClient for Offline {
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        panic!("a request to {:?}", request.url)
    }
}

/// The folder, built by the real command.
struct Built {
    manifest: Manifest,
    tools: ScriptTools,
}

impl Built {
    fn new() -> Self {
        let folder = repository().join("tests/agents/packages");
        assert!(
            folder.join("node_modules").exists(),
            "the packages are not installed; run the tests with tests/run"
        );
        let built = Command::new(binary("openeve"))
            .arg("build")
            .arg(&folder)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&built.stderr);
        assert!(built.status.success(), "{said}");
        let artifact = folder.join(".openeve");
        let manifest = std::fs::read(artifact.join("manifest.json")).unwrap();
        Self {
            manifest: serde_json::from_slice(&manifest).unwrap(),
            tools: ScriptTools::new(artifact, Arc::new(Offline), BTreeMap::new()),
        }
    }

    /// What a tool returns.
    async fn returned(&self, tool: &str, input: Value) -> Value {
        let invocation = Invocation {
            answers: Vec::new(),
            run_id: RunId::new(Uuid::from_u128(1)),
            conversation_id: ConversationId::new(Uuid::from_u128(2)),
            call_id: ToolCallId::new(Uuid::from_u128(3)),
            tool: self.manifest.tool(tool).unwrap(),
            input,
            timeout_ms: 60_000,
        };
        match self.tools.run(invocation).await.result {
            Ok(Returned::Output(output)) => output.result,
            other => panic!("{tool}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn fifteen_packages_run_unchanged() {
    let built = Built::new();
    for (tool, expected) in [
        (
            "ajv",
            json!({"good": true, "bad": false, "errors": "must be >= 1"}),
        ),
        ("cheerio", json!({"first": "One", "count": 2})),
        (
            "csv_parse",
            json!({"rows": [{"a": "1", "b": "2"}, {"a": "3", "b": "x,y"}], "now": [["1", "2"]]}),
        ),
        ("date_fns", json!({"next": "2026-12-31", "days": 31})),
        ("handlebars", json!({"text": "<Ada><B&amp;B>"})),
        (
            "iconv_lite",
            json!({"euro": "e980", "japanese": "日本", "known": true}),
        ),
        ("jose", json!({"who": "ada", "other": "bob"})),
        (
            "jsonwebtoken",
            json!({"who": "ada", "other": "bob", "forged": "JsonWebTokenError: invalid signature"}),
        ),
        (
            "lodash_es",
            json!({"chunks": [[1, 2], [3]], "groups": {"1": ["a"], "2": ["bb"]}, "fn": "function"}),
        ),
        (
            "marked",
            json!({"html": "<h1>Hi</h1>\n<ul>\n<li>a</li>\n<li><strong>b</strong></li>\n</ul>\n"}),
        ),
        ("ms", json!({"day": 86_400_000, "long": "2 minutes"})),
        ("nanoid", json!({"length": 21, "own": true})),
        (
            "uuid",
            json!({"v4": true, "v7": true, "v5": "e79ebe1c-54b5-5818-aa8a-b3b1a6276427"}),
        ),
        (
            "winston",
            json!({"lines": [{"level": "info", "message": "hello", "who": "ada"}]}),
        ),
    ] {
        assert_eq!(built.returned(tool, json!({})).await, expected, "{tool}");
    }
    // A schema of Zod is frozen as JSON Schema, and its tool parses with the real thing.
    let schema = &built.manifest.tool("zod").unwrap().input_schema;
    assert_eq!(schema["required"], json!(["email"]), "{schema:#}");
    assert_eq!(schema["properties"]["age"]["default"], 18);
    assert_eq!(
        schema["properties"]["tags"]["items"]["enum"],
        json!(["a", "b"])
    );
    let input = json!({"email": "a@b.example", "tags": ["a"]});
    let parsed = json!({"email": "a@b.example", "age": 18, "tags": ["a"]});
    assert_eq!(
        built.returned("zod", input).await,
        json!({"parsed": parsed, "bad": false})
    );
}
