//! A chat-completions server that says what a script says, as real server-sent events.
//!
//! The script sees the whole request body, so it can answer by conversation: [`tool_results`]
//! tells which turn of the current exchange this is, [`last_user`] what was asked. Faults are part
//! of a [`Reply`]: a status, a connection that closes early, an error inside the stream, or a gate
//! that holds the answer until the test opens it.

mod wording;

use std::sync::{Arc, Mutex};

use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use bytes::Bytes;
use futures_util::stream;
use http::StatusCode;
use http::header::CONTENT_TYPE;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::gate::Gate;
use crate::loopback::{Task, serve};
use crate::patience::within;

/// One tool call that the model asks for.
#[derive(Debug, Clone)]
pub struct ScriptedCall {
    /// The provider's id of the call.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments' text, valid JSON or not.
    pub arguments: String,
}

impl ScriptedCall {
    /// A call with JSON arguments.
    pub fn new(id: &str, name: &str, arguments: &Value) -> Self {
        Self {
            id: id.to_owned(),
            name: name.to_owned(),
            arguments: arguments.to_string(),
        }
    }
}

/// What the model does with one request.
#[derive(Debug, Clone)]
pub struct Reply {
    text: String,
    calls: Vec<ScriptedCall>,
    finish_reason: Option<String>,
    usage: (u64, u64),
    fault: Option<Fault>,
    gate: Option<Gate>,
}

/// How an answer fails.
#[derive(Debug, Clone)]
enum Fault {
    Status(StatusCode, Vec<(String, String)>, String),
    CloseAfter(usize),
    ErrorInStream(String),
}

impl Reply {
    /// A plain message.
    pub fn text(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            calls: Vec::new(),
            finish_reason: None,
            usage: (100, 20),
            fault: None,
            gate: None,
        }
    }

    /// Tool calls, all in one batch.
    pub fn calls(calls: Vec<ScriptedCall>) -> Self {
        Self {
            calls,
            ..Self::text("")
        }
    }

    /// One tool call.
    pub fn call(id: &str, name: &str, arguments: &Value) -> Self {
        Self::calls(vec![ScriptedCall::new(id, name, arguments)])
    }

    /// An error status with the usual error body.
    pub fn status(code: u16, message: &str) -> Self {
        let status = StatusCode::from_u16(code).expect("a script names a valid status");
        let fault = Fault::Status(status, Vec::new(), message.to_owned());
        Self {
            fault: Some(fault),
            ..Self::text("")
        }
    }

    /// Adds a header to an error status, such as `retry-after`.
    #[must_use]
    pub fn with_header(mut self, name: &str, value: &str) -> Self {
        match &mut self.fault {
            Some(Fault::Status(_, headers, _)) => {
                headers.push((name.to_owned(), value.to_owned()));
            }
            Some(Fault::CloseAfter(_) | Fault::ErrorInStream(_)) | None => {
                panic!("only an error status takes headers");
            }
        }
        self
    }

    /// Closes the connection after this many events of the stream.
    #[must_use]
    pub fn closing_after(mut self, events: usize) -> Self {
        self.fault = Some(Fault::CloseAfter(events));
        self
    }

    /// Sends an error object inside the stream, after the content and in place of its end.
    #[must_use]
    pub fn failing_in_stream(mut self, message: &str) -> Self {
        self.fault = Some(Fault::ErrorInStream(message.to_owned()));
        self
    }

    /// Ends with this reason, such as `length` or `content_filter`.
    #[must_use]
    pub fn finishing_with(mut self, reason: &str) -> Self {
        self.finish_reason = Some(reason.to_owned());
        self
    }

    /// Reports this usage.
    #[must_use]
    pub const fn using(mut self, prompt_tokens: u64, completion_tokens: u64) -> Self {
        self.usage = (prompt_tokens, completion_tokens);
        self
    }

    /// Holds the answer until the gate opens; the request is recorded before that.
    #[must_use]
    pub fn held_by(mut self, gate: &Gate) -> Self {
        self.gate = Some(gate.clone());
        self
    }
}

/// How many tool results follow the last user message: 0 is the exchange's first request.
pub fn tool_results(request: &Value) -> usize {
    let messages = request["messages"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let roles = messages
        .iter()
        .rev()
        .map(|message| message["role"].as_str());
    roles
        .take_while(|role| *role != Some("user"))
        .filter(|role| *role == Some("tool"))
        .count()
}

/// The text of the last user message; text parts are joined.
pub fn last_user(request: &Value) -> String {
    let messages = request["messages"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let last = messages
        .iter()
        .rev()
        .find(|message| message["role"] == "user");
    let content = last.map_or(&Value::Null, |message| &message["content"]);
    match content.as_array() {
        Some(parts) => parts
            .iter()
            .filter_map(|part| part["text"].as_str())
            .collect(),
        None => content.as_str().unwrap_or_default().to_owned(),
    }
}

type Script = dyn FnMut(&Value) -> Reply + Send;

/// A running model. It ends when it is dropped.
pub struct ScriptedModel {
    url: String,
    state: Arc<State>,
    _server: Task,
}

struct State {
    requests: Mutex<Vec<Value>>,
    authorizations: Mutex<Vec<String>>,
    count: watch::Sender<usize>,
    script: Mutex<Box<Script>>,
}

impl ScriptedModel {
    /// Starts with a script: the request's body → the reply.
    pub async fn start(script: impl FnMut(&Value) -> Reply + Send + 'static) -> Self {
        let state = Arc::new(State {
            requests: Mutex::default(),
            authorizations: Mutex::default(),
            count: watch::Sender::new(0),
            script: Mutex::new(Box::new(script)),
        });
        let (address, server) = serve({
            let state = Arc::clone(&state);
            move |request| answer(Arc::clone(&state), request)
        })
        .await;
        Self {
            url: format!("http://{address}/v1"),
            state,
            _server: server,
        }
    }

    /// The base URL, ending in `/v1`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The bodies of all requests so far.
    pub fn requests(&self) -> Vec<Value> {
        self.state
            .requests
            .lock()
            .expect("no holder panics")
            .clone()
    }

    /// The `authorization` headers of all requests so far.
    pub fn authorizations(&self) -> Vec<String> {
        self.state
            .authorizations
            .lock()
            .expect("no holder panics")
            .clone()
    }

    /// Waits until `count` requests have arrived, and returns all so far.
    pub async fn requested(&self, count: usize) -> Vec<Value> {
        let mut counts = self.state.count.subscribe();
        within(
            &format!("model request {count}"),
            counts.wait_for(|so_far| *so_far >= count),
        )
        .await
        .expect("the state outlives its watchers");
        self.requests()
    }
}

async fn answer(state: Arc<State>, request: Request) -> Response {
    if !request.uri().path().ends_with("/chat/completions") {
        return problem(
            StatusCode::NOT_FOUND,
            "the scripted model knows /v1/chat/completions only",
        );
    }
    let authorization = request.headers().get("authorization").cloned();
    let Ok(body) = request.into_body().collect().await else {
        return Response::new(Body::empty());
    };
    let Ok(body) = serde_json::from_slice::<Value>(&body.to_bytes()) else {
        return problem(StatusCode::BAD_REQUEST, "the request is not JSON");
    };
    let authorization = authorization.as_ref().and_then(|value| value.to_str().ok());
    let (number, reply) = state.record(&body, authorization.unwrap_or_default());
    if let Some(gate) = &reply.gate {
        gate.pass().await;
    }
    respond(&body, number, &reply)
}

impl State {
    /// Script and record under one lock, so that numbers and order agree.
    fn record(&self, body: &Value, authorization: &str) -> (usize, Reply) {
        let mut requests = self.requests.lock().expect("no holder panics");
        let mut script = self
            .script
            .lock()
            .expect("a script that panicked has failed its test");
        let reply = script(body);
        requests.push(body.clone());
        self.authorizations
            .lock()
            .expect("no holder panics")
            .push(authorization.to_owned());
        self.count.send_replace(requests.len());
        (requests.len(), reply)
    }
}

fn respond(request: &Value, number: usize, reply: &Reply) -> Response {
    if let Some(Fault::Status(status, headers, message)) = &reply.fault {
        let mut response = problem(*status, message);
        for (name, value) in headers {
            let name: http::HeaderName = name.parse().expect("a script names a valid header");
            let value = value.parse().expect("a script gives a valid value");
            response.headers_mut().insert(name, value);
        }
        return response;
    }
    if request["stream"] != true {
        return with_type(
            Body::from(wording::whole(request, number, reply).to_string()),
            JSON,
        );
    }
    let events = wording::events(request, number, reply).into_iter().map(Ok);
    let ending = matches!(reply.fault, Some(Fault::CloseAfter(_)))
        .then(|| Err(std::io::Error::from(std::io::ErrorKind::ConnectionReset)));
    let events = stream::iter(events.chain(ending));
    with_type(Body::from_stream(events), "text/event-stream")
}

const JSON: &str = "application/json";

fn problem(status: StatusCode, message: &str) -> Response {
    let error = json!({"error": {"message": message, "type": "scripted", "code": status.as_u16()}});
    let mut response = with_type(Body::from(error.to_string()), JSON);
    *response.status_mut() = status;
    response
}

fn with_type(body: Body, content_type: &'static str) -> Response {
    let mut response = Response::new(body);
    response
        .headers_mut()
        .insert(CONTENT_TYPE, http::HeaderValue::from_static(content_type));
    response
}

/// The bytes of one event.
fn event(data: &str) -> Bytes {
    Bytes::from(format!("data: {data}\n\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_can_tell_turns_apart() {
        let request = json!({"messages": [
            {"role": "tool", "content": "old"},
            {"role": "user", "content": [{"type": "text", "text": "add "}, {"text": "2"}]},
            {"role": "assistant", "tool_calls": []},
            {"role": "tool", "content": "a"},
            {"role": "tool", "content": "b"},
        ]});
        assert_eq!(tool_results(&request), 2);
        assert_eq!(last_user(&request), "add 2");
        assert_eq!(
            (tool_results(&json!({})), last_user(&json!({}))),
            (0, String::new())
        );
    }
}
