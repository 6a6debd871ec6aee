//! Whole calls through the port, against a fake HTTP client.

mod again;
mod answers;
mod context;
mod gates;
mod globals;
mod limits;
mod network;
mod node;
mod places;
mod questions;
mod secrets;
mod subtle;
mod web;

use std::collections::BTreeMap;
use std::fs;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::stream;
use openeve_domain::canonical::sha256_hex;
use openeve_domain::ids::{ConversationId, RunId, ToolCallId};
use openeve_domain::manifest::{Execution, ModuleRef, ToolSpec};
use openeve_domain::run::settle_calls::{Outcome, Returned, ToolOutput};
use openeve_domain::secret::Secret;
use openeve_domain::status::SideEffects;
use openeve_runtime::ports::{
    HttpClient, HttpError, HttpRequest, HttpResponse, Invocation, ToolRunner,
};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{Limits, ScriptTools};

/// What the fake client does with every request.
type Answer = dyn Fn(&HttpRequest) -> Result<(u16, Vec<(&'static str, &'static str)>, Vec<u8>), HttpError>
    + Send
    + Sync;

struct FakeHttp {
    /// None: it never answers.
    answer: Option<Box<Answer>>,
    seen: Mutex<Vec<HttpRequest>>,
}

#[async_trait]
impl HttpClient for FakeHttp {
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let answer = self.answer.as_ref().map(|answer| answer(&request));
        self.seen.lock().unwrap().push(request);
        let Some(answer) = answer else {
            return std::future::pending().await;
        };
        let (status, pairs, body) = answer?;
        let mut headers = http::HeaderMap::new();
        for (name, value) in pairs {
            headers.append(name, value.parse().unwrap());
        }
        let chunks: Vec<_> = body
            .chunks(7)
            .map(|part| Ok(Bytes::copy_from_slice(part)))
            .collect();
        Ok(HttpResponse {
            status,
            headers,
            body: Box::pin(stream::iter(chunks)),
        })
    }
}

/// An artifact with one tool, and the tools that run it.
struct Bench {
    root: tempfile::TempDir,
    http: Arc<FakeHttp>,
    env: BTreeMap<String, Secret>,
    limits: Limits,
    timeout_ms: u64,
}

impl Bench {
    fn new() -> Self {
        let http = Arc::new(FakeHttp {
            answer: None,
            seen: Mutex::default(),
        });
        Self {
            root: tempfile::tempdir().unwrap(),
            http,
            env: BTreeMap::new(),
            limits: Limits::default(),
            timeout_ms: 20_000,
        }
    }

    fn limits(mut self, change: impl FnOnce(&mut Limits)) -> Self {
        change(&mut self.limits);
        self
    }

    fn env(mut self, name: &str, value: &str) -> Self {
        self.env.insert(name.to_owned(), Secret::new(value));
        self
    }

    fn answering<F>(mut self, answer: F) -> Self
    where
        F: Fn(&HttpRequest) -> Result<(u16, Vec<(&'static str, &'static str)>, Vec<u8>), HttpError>
            + Send
            + Sync
            + 'static,
    {
        self.http = Arc::new(FakeHttp {
            answer: Some(Box::new(answer)),
            seen: Mutex::default(),
        });
        self
    }

    fn tools(&self) -> ScriptTools {
        let http: Arc<dyn HttpClient> = Arc::clone(&self.http) as _;
        ScriptTools::new(self.root.path().to_owned(), http, self.env.clone())
            .with_limits(self.limits)
    }

    /// Puts a module into the artifact.
    fn tool(&self, name: &str, module: &str) -> ToolSpec {
        let path = format!("{name}.mjs");
        fs::write(self.root.path().join(&path), module).unwrap();
        ToolSpec {
            name: name.to_owned(),
            description: String::new(),
            input_schema: json!({}),
            side_effects: SideEffects::None,
            execution: Execution::Parallel,
            timeout_ms: None,
            approval: None,
            module: ModuleRef {
                path,
                sha256: sha256_hex(module.as_bytes()),
            },
            source: format!("tools/{name}.ts"),
        }
    }

    fn call<'a>(&self, tool: &'a ToolSpec, input: Value) -> Invocation<'a> {
        Invocation {
            answers: Vec::new(),
            run_id: RunId::new(Uuid::from_u128(1)),
            conversation_id: ConversationId::new(Uuid::from_u128(2)),
            call_id: ToolCallId::new(Uuid::from_u128(3)),
            tool,
            input,
            timeout_ms: self.timeout_ms,
        }
    }

    /// Runs a whole module once.
    async fn run_module(&self, module: &str, input: Value) -> Outcome {
        let tool = self.tool("probe", module);
        self.tools().run(self.call(&tool, input)).await
    }

    /// Runs the body of an async `execute(input, ctx)`.
    async fn run(&self, body: &str) -> Outcome {
        self.run_module(&module(body), json!({})).await
    }

    async fn value(&self, body: &str) -> Value {
        output(self.run(body).await).result
    }

    async fn error(&self, body: &str) -> String {
        self.run(body).await.result.unwrap_err()
    }
}

/// What a call returned that neither failed nor paused.
#[track_caller]
fn output(outcome: Outcome) -> ToolOutput {
    match outcome.result {
        Ok(Returned::Output(output)) => output,
        other => panic!("no output but {other:?}"),
    }
}

fn module(body: &str) -> String {
    format!(
        "import {{ defineTool }} from '@openeve/core';\n\
         export default defineTool({{ async execute(input, ctx) {{\n{body}\n}} }});"
    )
}
