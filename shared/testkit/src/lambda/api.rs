//! The Runtime API, as AWS documents it: next, response, error, and the error of initialising.

use std::sync::{Arc, Mutex};

use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use bytes::{Bytes, BytesMut};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use super::InvokeOutcome;

/// The region that functions are told.
pub(super) const REGION: &str = "us-east-1";
const VERSION: &str = "/2018-06-01/runtime/";

/// What a runtime says.
pub(super) enum FromRuntime {
    /// It asks for an event.
    Next {
        at: Instant,
        answer: oneshot::Sender<Event>,
    },
    /// The event's outcome.
    Outcome(InvokeOutcome),
    /// It cannot start.
    InitError(Value),
}

/// What a runtime is given.
pub(super) struct Event {
    pub(super) payload: Bytes,
    pub(super) trace: String,
    pub(super) chunks: Option<mpsc::UnboundedSender<Bytes>>,
    pub(super) deadline_ms: u64,
}

/// The server of one environment.
pub(super) struct Api {
    arn: String,
    environment: u64,
    to_pool: mpsc::UnboundedSender<FromRuntime>,
    current: Mutex<Current>,
}

/// The event that is being handled; its id is none once it is answered.
#[derive(Default)]
struct Current {
    count: u64,
    id: Option<String>,
    chunks: Option<mpsc::UnboundedSender<Bytes>>,
}

/// The right to answer the current event, with who listens to the answer's pieces.
struct Answering {
    chunks: Option<mpsc::UnboundedSender<Bytes>>,
}

impl Api {
    pub(super) fn new(
        name: &str,
        environment: u64,
    ) -> (Arc<Self>, mpsc::UnboundedReceiver<FromRuntime>) {
        let (to_pool, inbox) = mpsc::unbounded_channel();
        let arn = format!("arn:aws:lambda:{REGION}:000000000000:function:{name}");
        (
            Arc::new(Self {
                arn,
                environment,
                to_pool,
                current: Mutex::default(),
            }),
            inbox,
        )
    }

    pub(super) async fn answer(&self, request: Request) -> Response {
        let path = request.uri().path().to_owned();
        let Some(rest) = path.strip_prefix(VERSION) else {
            return status(StatusCode::NOT_FOUND);
        };
        let words: Vec<&str> = rest.split('/').collect();
        match (request.method(), words.as_slice()) {
            (&Method::GET, ["invocation", "next"]) => self.next().await,
            (&Method::POST, ["invocation", id, "response"]) => self.response(id, request).await,
            (&Method::POST, ["invocation", id, "error"]) => self.error(id, request).await,
            (&Method::POST, ["init", "error"]) => {
                let error = read_error(request).await;
                self.say(FromRuntime::InitError(error))
            }
            _ => status(StatusCode::NOT_FOUND),
        }
    }

    async fn next(&self) -> Response {
        let (answer, event) = oneshot::channel();
        self.say(FromRuntime::Next {
            at: Instant::now(),
            answer,
        });
        let Ok(event) = event.await else {
            return status(StatusCode::GONE);
        };
        let id = self.begin(event.chunks);
        let mut response = Response::new(Body::from(event.payload));
        let headers = response.headers_mut();
        headers.insert("content-type", HeaderValue::from_static("application/json"));
        for (name, value) in [
            ("lambda-runtime-aws-request-id", id),
            ("lambda-runtime-deadline-ms", event.deadline_ms.to_string()),
            ("lambda-runtime-invoked-function-arn", self.arn.clone()),
            ("lambda-runtime-trace-id", event.trace),
        ] {
            let value = value.parse().expect("the values are plain text");
            headers.insert(name, value);
        }
        response
    }

    async fn response(&self, id: &str, request: Request) -> Response {
        let Some(Answering { chunks }) = self.finish(id) else {
            return invalid_id();
        };
        let mut body = request.into_body();
        let mut whole = BytesMut::new();
        let mut trailers = HeaderMap::new();
        while let Some(frame) = body.frame().await {
            // A stream that breaks off has no outcome; the process's end or the deadline gives one.
            let Ok(frame) = frame else {
                return status(StatusCode::BAD_REQUEST);
            };
            match frame.into_data() {
                Ok(data) => {
                    whole.extend_from_slice(&data);
                    if let Some(chunks) = &chunks {
                        chunks.send(data).ok();
                    }
                }
                Err(frame) => trailers.extend(frame.into_trailers().unwrap_or_default()),
            }
        }
        let outcome = trailers
            .get("lambda-runtime-function-error-type")
            .map_or_else(
                || InvokeOutcome::Response(whole.freeze()),
                |kind| {
                    let kind = String::from_utf8_lossy(kind.as_bytes()).into_owned();
                    InvokeOutcome::FunctionError(json!({"errorType": kind}))
                },
            );
        self.say(FromRuntime::Outcome(outcome))
    }

    async fn error(&self, id: &str, request: Request) -> Response {
        if self.finish(id).is_none() {
            return invalid_id();
        }
        let error = read_error(request).await;
        self.say(FromRuntime::Outcome(InvokeOutcome::FunctionError(error)))
    }

    /// Makes the next event's id: environment and number, as a UUID.
    fn begin(&self, chunks: Option<mpsc::UnboundedSender<Bytes>>) -> String {
        let mut current = self.current.lock().expect("no holder panics");
        current.count += 1;
        let id = uuid::Uuid::from_u64_pair(self.environment, current.count).to_string();
        current.id = Some(id.clone());
        current.chunks = chunks;
        id
    }

    /// Takes the current event if it has this id; each event is answered once.
    fn finish(&self, id: &str) -> Option<Answering> {
        let mut current = self.current.lock().expect("no holder panics");
        if current.id.as_deref() != Some(id) {
            return None;
        }
        current.id = None;
        Some(Answering {
            chunks: current.chunks.take(),
        })
    }

    fn say(&self, what: FromRuntime) -> Response {
        match self.to_pool.send(what) {
            Ok(()) => status(StatusCode::ACCEPTED),
            Err(_) => status(StatusCode::GONE),
        }
    }
}

async fn read_error(request: Request) -> Value {
    let body = request
        .into_body()
        .collect()
        .await
        .map(http_body_util::Collected::to_bytes);
    body.ok()
        .and_then(|body| serde_json::from_slice(&body).ok())
        .unwrap_or_default()
}

fn invalid_id() -> Response {
    let error = json!({"errorType": "InvalidRequestID", "errorMessage": "not the current event"});
    let mut response = Response::new(Body::from(error.to_string()));
    *response.status_mut() = StatusCode::BAD_REQUEST;
    response
}

fn status(code: StatusCode) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = code;
    response
}
