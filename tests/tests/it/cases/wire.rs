//! A provider at the other end of the wire: the real engine asks it, and every request is kept.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use bytes::Bytes;
use http::HeaderMap;
use openeve_domain::bell::Place;
use openeve_runtime::engine::ModelEngine;
use openeve_runtime::ports::{HttpClient, HttpError, HttpRequest, HttpResponse};
use openeve_runtime::step::{StepDeps, step};
use openeve_testkit::gate::Gate;
use openeve_tests::World;
use serde_json::{Value, json};

use super::support::STEP_MS;

/// What a model on the wire answers: a status and a body.
type Reply = (u16, Value);

/// What decides on it: the number of the request, and its body.
type Script = dyn Fn(usize, &Value) -> Reply + Send + Sync;

/// The provider's end of the wire: keeps every request and answers as a script says.
pub(super) struct Wire {
    script: Box<Script>,
    requests: Mutex<Vec<Value>>,
    /// Whoever asks waits here first.
    pub(super) gate: Gate,
}

impl Wire {
    /// A provider that answers by the number of the request and its body.
    pub(super) fn new(
        script: impl Fn(usize, &Value) -> Reply + Send + Sync + 'static,
    ) -> Arc<Self> {
        let wire = Self::held(script);
        wire.gate.open();
        wire
    }

    /// A provider that answers once its gate is open.
    pub(super) fn held(
        script: impl Fn(usize, &Value) -> Reply + Send + Sync + 'static,
    ) -> Arc<Self> {
        Arc::new(Self {
            script: Box::new(script),
            requests: Mutex::default(),
            gate: Gate::new(),
        })
    }

    /// Every request so far.
    pub(super) fn requests(&self) -> Vec<Value> {
        self.requests.lock().unwrap().clone()
    }

    /// The newest request.
    pub(super) fn last(&self) -> Value {
        self.requests().pop().unwrap()
    }

    /// A worker that thinks through this wire.
    pub(super) fn worker(self: &Arc<Self>, world: &World) -> StepDeps {
        let engine = ModelEngine {
            http: self.clone(),
            clock: world.clock.clone(),
            base_url: "http://model.test/v1".into(),
            api_key: None,
        };
        StepDeps {
            engine: Arc::new(engine),
            ..world.step_deps()
        }
    }

    /// Answers every bell through this wire until it is quiet.
    pub(super) async fn settle(self: &Arc<Self>, world: &World) {
        let deps = self.worker(world);
        loop {
            let bells = world.bells.take();
            if bells.is_empty() {
                return;
            }
            for (place, _) in bells {
                match place {
                    Place::Run { run_id } => drop(step(&deps, run_id, STEP_MS).await.unwrap()),
                    Place::Delivery { delivery_id } => world.deliver(delivery_id).await,
                }
            }
        }
    }
}

#[async_trait]
impl HttpClient for Wire {
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        let number = {
            let mut requests = self.requests.lock().unwrap();
            requests.push(body.clone());
            requests.len() - 1
        };
        self.gate.pass().await;
        let (status, reply) = (self.script)(number, &body);
        let reply = Bytes::from(reply.to_string());
        Ok(HttpResponse {
            status,
            headers: HeaderMap::new(),
            body: Box::pin(futures_util::stream::iter([Ok(reply)])),
        })
    }
}

/// A model's answer in words.
pub(super) fn words(text: &str) -> Reply {
    completion(json!({"role": "assistant", "content": text}), "stop")
}

/// A model's wish for tools: the provider's id and the tool of each call.
pub(super) fn wants(calls: &[(&str, &str)]) -> Reply {
    let calls: Vec<Value> = calls
        .iter()
        .map(|(id, name)| {
            json!({"id": id, "type": "function", "function": {"name": name, "arguments": "{}"}})
        })
        .collect();
    let message = json!({"role": "assistant", "content": null, "tool_calls": calls});
    completion(message, "tool_calls")
}

#[expect(clippy::needless_pass_by_value, reason = "json! makes it here")]
fn completion(message: Value, finish: &str) -> Reply {
    let usage = json!({"prompt_tokens": 10, "completion_tokens": 2});
    let choice = json!({"index": 0, "message": message, "finish_reason": finish});
    (200, json!({"choices": [choice], "usage": usage}))
}

/// The messages of a request that have a role.
pub(super) fn of_role(request: &Value, role: &str) -> Vec<Value> {
    let messages = request["messages"].as_array().unwrap();
    let of_role = messages.iter().filter(|message| message["role"] == role);
    of_role.cloned().collect()
}

/// Asserts what every provider of this dialect asks of a request: one system message, first; each
/// call answered exactly once, in order, right behind its batch; no answer without a call.
pub(super) fn assert_acceptable(request: &Value) {
    let messages = request["messages"].as_array().unwrap();
    assert_eq!(messages.first().unwrap()["role"], "system", "{request:#}");
    assert_eq!(of_role(request, "system").len(), 1, "{request:#}");
    let mut open: Vec<&Value> = Vec::new();
    for message in messages {
        if message["role"] == "tool" {
            assert!(!open.is_empty(), "a result nobody asked for: {request:#}");
            assert_eq!(&message["tool_call_id"], open.remove(0), "{request:#}");
        } else {
            assert!(open.is_empty(), "calls without results: {request:#}");
            let calls = message["tool_calls"].as_array();
            open.extend(calls.into_iter().flatten().map(|call| &call["id"]));
        }
    }
    assert!(open.is_empty(), "calls without results: {request:#}");
}
