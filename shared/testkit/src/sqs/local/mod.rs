//! An SQS on loopback, faithful where our functions rest on AWS and other emulators are not.
//!
//! * The trace header of a sending request stays with the message, as its `AWSTraceHeader`: that is
//!   how a function that feeds itself is recognised. MiniStack drops it.
//! * Message groups on standard queues are checked as AWS checks them and served in turn. MiniStack
//!   takes any and hands out the oldest first.
//! * Delay, visibility, long polling, receipts, redrive and the bounds of numbers are AWS's.
//!
//! It speaks the JSON protocol and serves the actions that the functions and these tests use. There
//! are no FIFO queues, no signatures, no digests and no retention.

mod queue;
mod rules;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use http::{HeaderMap, StatusCode};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

use self::queue::{QueueState, Sent, Settings};
use self::rules::Refusal;
use super::SqsServer;
use crate::loopback::{Task, serve};

const ACCOUNT: &str = "000000000000";
const DELAY_SECONDS_MAX: u64 = 900;
const VISIBILITY_SECONDS_MAX: u64 = 12 * 60 * 60;
const VISIBILITY_SECONDS: u64 = 30;
const WAIT_SECONDS_MAX: u64 = 20;

/// A running server. It ends, with all it holds, when it is dropped.
pub struct LocalSqs {
    client: SqsServer,
    _server: Task,
}

struct Shared {
    queues: Mutex<BTreeMap<String, QueueState>>,
    /// Something may have become visible.
    changed: Notify,
    sent: AtomicU64,
}

impl LocalSqs {
    /// Starts one without queues.
    pub async fn start() -> Self {
        let shared = Arc::new(Shared {
            queues: Mutex::default(),
            changed: Notify::new(),
            sent: AtomicU64::new(0),
        });
        let (address, server) = serve(move |request| {
            let shared = Arc::clone(&shared);
            async move { shared.answer(request).await }
        })
        .await;
        Self {
            client: SqsServer::new(&format!("http://{address}")),
            _server: server,
        }
    }

    /// A client of it.
    pub fn client(&self) -> SqsServer {
        self.client.clone()
    }
}

impl Shared {
    async fn answer(&self, request: Request) -> Response {
        let (parts, body) = request.into_parts();
        let Ok(body) = body.collect().await else {
            // The sender went away in the middle: not a request.
            return Response::new(Body::empty());
        };
        let request: Value = serde_json::from_slice(&body.to_bytes()).unwrap_or_default();
        match self.act(&parts.headers, &request).await {
            Ok(answer) => response(StatusCode::OK, &answer),
            Err(refusal) => {
                let mut answer = response(StatusCode::BAD_REQUEST, &refusal.json());
                let query_error = format!("{};Sender", refusal.kind);
                let query_error = query_error.parse().expect("an error's name is plain");
                answer
                    .headers_mut()
                    .insert("x-amzn-query-error", query_error);
                answer
            }
        }
    }

    async fn act(&self, headers: &HeaderMap, request: &Value) -> Result<Value, Refusal> {
        let header = |name| headers.get(name).and_then(|value| value.to_str().ok());
        let action = header("x-amz-target").and_then(|target| target.strip_prefix("AmazonSQS."));
        match action {
            Some("CreateQueue") => self.create(request, header("host").unwrap_or("127.0.0.1")),
            Some("GetQueueAttributes") => self.attributes(request),
            Some("SendMessage") => self.send(request, header("x-amzn-trace-id")),
            Some("ReceiveMessage") => self.receive(request).await,
            Some("DeleteMessageBatch") => self.each(request, |queue, entry| {
                queue.delete(rules::text(entry, "ReceiptHandle")?)
            }),
            Some("ChangeMessageVisibility") => {
                self.with(request, |queue| set_visible(queue, request))?;
                self.changed.notify_waiters();
                Ok(json!({}))
            }
            Some("ChangeMessageVisibilityBatch") => self.each(request, set_visible),
            other => {
                let message = format!("{other:?} is not served here");
                Err(Refusal::new("InvalidAction", message))
            }
        }
    }

    fn create(&self, request: &Value, host: &str) -> Result<Value, Refusal> {
        let name = rules::queue_name(request)?;
        let settings = settings(&request["Attributes"])?;
        let mut queues = self.queues();
        let queue = queues
            .entry(name.to_owned())
            .or_insert_with(|| QueueState::new(settings.clone()));
        if queue.settings != settings {
            let message = format!("A queue {name} exists with other attributes.");
            return Err(Refusal::new("QueueNameExists", message));
        }
        Ok(json!({"QueueUrl": format!("http://{host}/{ACCOUNT}/{name}")}))
    }

    fn attributes(&self, request: &Value) -> Result<Value, Refusal> {
        let name = queue_name(request)?;
        let depth = self.with(request, |queue| Ok(queue.depth(Instant::now())))?;
        let attributes = json!({
            "QueueArn": format!("arn:aws:sqs:us-east-1:{ACCOUNT}:{name}"),
            "ApproximateNumberOfMessages": depth.visible.to_string(),
            "ApproximateNumberOfMessagesNotVisible": depth.in_flight.to_string(),
            "ApproximateNumberOfMessagesDelayed": depth.delayed.to_string(),
        });
        Ok(json!({"Attributes": attributes}))
    }

    fn send(&self, request: &Value, trace: Option<&str>) -> Result<Value, Refusal> {
        let delay = rules::number(request, "DelaySeconds", 0..=DELAY_SECONDS_MAX)?;
        // A sender may also name the header itself, and then means it.
        let named = request["MessageSystemAttributes"]["AWSTraceHeader"]["StringValue"].as_str();
        let number = self.sent.fetch_add(1, Ordering::Relaxed);
        let id = uuid::Uuid::from_u64_pair(0, number).to_string();
        let sent = Sent {
            id: id.clone(),
            body: rules::body(request)?.to_owned(),
            group: rules::group(request)?.map(str::to_owned),
            trace: named.or(trace).map(str::to_owned),
            attributes: request.get("MessageAttributes").cloned(),
        };
        let visible_at = Instant::now() + Duration::from_secs(delay.unwrap_or_default());
        self.with(request, |queue| {
            queue.push(sent, visible_at);
            Ok(())
        })?;
        self.changed.notify_waiters();
        Ok(json!({"MessageId": id}))
    }

    /// Answers with what there is, or waits for it as long as the request says.
    async fn receive(&self, request: &Value) -> Result<Value, Refusal> {
        let count = rules::number(request, "MaxNumberOfMessages", 1..=10)?.unwrap_or(1);
        let wait = rules::number(request, "WaitTimeSeconds", 0..=WAIT_SECONDS_MAX)?;
        let asked: Vec<&str> = ["AttributeNames", "MessageSystemAttributeNames"]
            .into_iter()
            .filter_map(|name| request[name].as_array())
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let deadline = Instant::now() + Duration::from_secs(wait.unwrap_or_default());
        loop {
            let mut changed = std::pin::pin!(self.changed.notified());
            // From here on a change is noticed, also one that happens before it is awaited.
            changed.as_mut().enable();
            let now = Instant::now();
            self.bury(request, now)?;
            let (received, next) = self.with(request, |queue| {
                let received =
                    queue.receive(now, usize::try_from(count).unwrap_or_default(), &asked);
                Ok((received, queue.next_visible(now)))
            })?;
            if !received.is_empty() {
                return Ok(json!({"Messages": received}));
            }
            if now >= deadline {
                return Ok(json!({}));
            }
            let until = next.map_or(deadline, |next| next.min(deadline));
            timeout_at(until, changed).await.ok();
        }
    }

    /// Moves what a queue gives up to its dead letters.
    fn bury(&self, request: &Value, now: Instant) -> Result<(), Refusal> {
        let (dead, to) = self.with(request, |queue| {
            let redrive = queue.settings.redrive.clone();
            Ok((queue.take_dead(now), redrive))
        })?;
        if let Some((to, _)) = to.filter(|_| !dead.is_empty())
            && let Some(queue) = self.queues().get_mut(&to)
        {
            for message in dead {
                queue.push_dead(message);
            }
            self.changed.notify_waiters();
        }
        Ok(())
    }

    /// Does the same with each entry of a batch, and says which of them were refused.
    fn each(
        &self,
        request: &Value,
        act: impl Fn(&mut QueueState, &Value) -> Result<(), Refusal>,
    ) -> Result<Value, Refusal> {
        let (mut successful, mut failed) = (Vec::new(), Vec::new());
        self.with(request, |queue| {
            for entry in request["Entries"].as_array().into_iter().flatten() {
                match act(queue, entry) {
                    Ok(()) => successful.push(json!({"Id": entry["Id"]})),
                    Err(refusal) => failed.push(json!({
                        "Id": entry["Id"],
                        "SenderFault": true,
                        "Code": refusal.kind,
                        "Message": refusal.message,
                    })),
                }
            }
            Ok(())
        })?;
        self.changed.notify_waiters();
        Ok(json!({"Successful": successful, "Failed": failed}))
    }

    /// Works with the queue that a request names.
    fn with<T>(
        &self,
        request: &Value,
        work: impl FnOnce(&mut QueueState) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let name = queue_name(request)?;
        let mut queues = self.queues();
        let Some(queue) = queues.get_mut(name) else {
            let message = "The specified queue does not exist.";
            return Err(Refusal::new("QueueDoesNotExist", message));
        };
        work(queue)
    }

    fn queues(&self) -> MutexGuard<'_, BTreeMap<String, QueueState>> {
        self.queues.lock().expect("no holder panics")
    }
}

/// Hides a message that is under way for some seconds from now.
fn set_visible(queue: &mut QueueState, entry: &Value) -> Result<(), Refusal> {
    let receipt = rules::text(entry, "ReceiptHandle")?;
    let visibility = rules::number(entry, "VisibilityTimeout", 0..=VISIBILITY_SECONDS_MAX)?;
    let now = Instant::now();
    let visible_at = now + Duration::from_secs(visibility.unwrap_or_default());
    queue.set_visible(receipt, now, visible_at)
}

/// The last part of the URL by which a request names its queue.
fn queue_name(request: &Value) -> Result<&str, Refusal> {
    let url = rules::text(request, "QueueUrl")?;
    Ok(url.rsplit('/').next().unwrap_or_default())
}

fn settings(attributes: &Value) -> Result<Settings, Refusal> {
    let visibility = rules::number(attributes, "VisibilityTimeout", 0..=VISIBILITY_SECONDS_MAX)?;
    let policy = attributes["RedrivePolicy"].as_str().unwrap_or("null");
    let policy: Value = serde_json::from_str(policy).unwrap_or_default();
    let receives_max = rules::number(&policy, "maxReceiveCount", 1..=1_000)?;
    let redrive = receives_max.map(|receives_max| {
        let arn = rules::text(&policy, "deadLetterTargetArn")?;
        let name = arn.rsplit(':').next().unwrap_or_default();
        Ok((name.to_owned(), receives_max))
    });
    Ok(Settings {
        visibility: Duration::from_secs(visibility.unwrap_or(VISIBILITY_SECONDS)),
        redrive: redrive.transpose()?,
    })
}

fn response(status: StatusCode, body: &Value) -> Response {
    let mut response = Response::new(Body::from(body.to_string()));
    *response.status_mut() = status;
    let kind = http::HeaderValue::from_static("application/x-amz-json-1.0");
    response.headers_mut().insert("content-type", kind);
    response
}
