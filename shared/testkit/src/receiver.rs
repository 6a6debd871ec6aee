//! An HTTP receiver: records every request and answers as a script says.
//!
//! A test starts it where a channel or webhook target would be, lets the code under test send, and
//! awaits the n-th request instead of sleeping.

use std::sync::{Arc, Mutex};

use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use http_body_util::BodyExt;
use tokio::sync::watch;

use crate::gate::Gate;
use crate::loopback::{Task, serve};
use crate::patience::within;

/// One request, as it came.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// `POST`, …
    pub method: String,
    /// Path and query.
    pub path: String,
    /// The headers.
    pub headers: HeaderMap,
    /// The whole body.
    pub body: Bytes,
}

impl Recorded {
    /// One header's text; empty if it is absent.
    pub fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    }

    /// The body as JSON; null if it is none.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

/// What to answer. Built from a status: `Answer::status(503).header("retry-after", "7")`.
#[derive(Debug, Clone)]
pub struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
    gate: Option<Gate>,
    is_lost: bool,
}

impl Answer {
    /// An empty answer with a status.
    pub fn status(code: u16) -> Self {
        Self {
            status: StatusCode::from_u16(code).expect("a script names a valid status"),
            headers: HeaderMap::new(),
            body: Bytes::new(),
            gate: None,
            is_lost: false,
        }
    }

    /// 200 with JSON.
    pub fn json(value: &serde_json::Value) -> Self {
        Self::status(200)
            .header("content-type", "application/json")
            .body(value.to_string())
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        let name: HeaderName = name.parse().expect("a script names a valid header");
        let value = HeaderValue::from_str(value).expect("a script gives a valid value");
        self.headers.append(name, value);
        self
    }

    /// Sets the body.
    #[must_use]
    pub fn body(mut self, body: impl Into<Bytes>) -> Self {
        self.body = body.into();
        self
    }

    /// Holds the answer back until the gate opens; the request counts as received before that.
    #[must_use]
    pub fn held_by(mut self, gate: &Gate) -> Self {
        self.gate = Some(gate.clone());
        self
    }

    /// Closes the connection in place of an answer: the sender cannot know whether it arrived.
    #[must_use]
    pub const fn lost(mut self) -> Self {
        self.is_lost = true;
        self
    }
}

type Script = dyn FnMut(usize, &Recorded) -> Answer + Send;

/// A running receiver. It ends when it is dropped.
pub struct Receiver {
    url: String,
    log: Arc<Log>,
    _server: Task,
}

struct Log {
    recorded: Mutex<Vec<Recorded>>,
    count: watch::Sender<usize>,
    script: Mutex<Box<Script>>,
}

impl Receiver {
    /// Starts with a script: the request's number from 0 and the request → the answer.
    pub async fn start(script: impl FnMut(usize, &Recorded) -> Answer + Send + 'static) -> Self {
        let log = Arc::new(Log {
            recorded: Mutex::default(),
            count: watch::Sender::new(0),
            script: Mutex::new(Box::new(script)),
        });
        let (address, server) = serve({
            let log = Arc::clone(&log);
            move |request| answer(Arc::clone(&log), request)
        })
        .await;
        Self {
            url: format!("http://{address}"),
            log,
            _server: server,
        }
    }

    /// Starts with answers in order; the last one repeats.
    pub async fn answering(answers: Vec<Answer>) -> Self {
        Self::start(move |number, _| {
            answers
                .get(number)
                .or(answers.last())
                .cloned()
                .unwrap_or_else(|| Answer::status(200))
        })
        .await
    }

    /// Where it listens, without a slash at the end.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Everything received so far.
    pub fn recorded(&self) -> Vec<Recorded> {
        self.log.recorded.lock().expect("no holder panics").clone()
    }

    /// Waits until `count` requests have arrived, and returns all so far.
    pub async fn received(&self, count: usize) -> Vec<Recorded> {
        let mut counts = self.log.count.subscribe();
        within(
            &format!("request {count}"),
            counts.wait_for(|so_far| *so_far >= count),
        )
        .await
        .expect("the log outlives its watchers");
        self.recorded()
    }
}

async fn answer(log: Arc<Log>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let Ok(body) = body.collect().await else {
        // The sender went away in the middle: not a request.
        return Response::new(Body::empty());
    };
    let recorded = Recorded {
        method: parts.method.to_string(),
        path: parts.uri.to_string(),
        headers: parts.headers,
        body: body.to_bytes(),
    };
    let answer = log.record(recorded);
    if let Some(gate) = &answer.gate {
        gate.pass().await;
    }
    if answer.is_lost {
        // A body that fails before its first byte makes the server close without an answer's end.
        let broken = futures_util::stream::once(async {
            Err::<Bytes, _>(std::io::Error::from(std::io::ErrorKind::ConnectionReset))
        });
        return Response::new(Body::from_stream(broken));
    }
    let mut response = Response::new(Body::from(answer.body));
    *response.status_mut() = answer.status;
    *response.headers_mut() = answer.headers;
    response
}

impl Log {
    /// Script and record under one lock, so that numbers and order agree.
    fn record(&self, recorded: Recorded) -> Answer {
        let mut all = self.recorded.lock().expect("no holder panics");
        let mut script = self
            .script
            .lock()
            .expect("a script that panicked has failed its test");
        let answer = script(all.len(), &recorded);
        all.push(recorded);
        self.count.send_replace(all.len());
        answer
    }
}
