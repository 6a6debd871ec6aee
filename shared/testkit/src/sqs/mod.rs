//! Queues: a client for a local SQS server, and the event source mapping before a function.
//!
//! [`SqsServer`] speaks SQS's JSON protocol over plain HTTP to a server on loopback: our own
//! [`local::LocalSqs`], or another emulator. [`poller`] does what AWS does between a queue and a
//! function: receives batches, invokes, deletes what succeeded and leaves the rest to the visibility
//! time-out and the dead-letter queue.

mod event;
pub mod local;
pub mod poller;

use serde_json::{Value, json};

use crate::http_client;
use crate::patience::eventually;

/// A local SQS server.
#[derive(Debug, Clone)]
pub struct SqsServer {
    endpoint: String,
}

/// One queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Queue {
    /// How requests name it.
    pub url: String,
    /// How policies and events name it.
    pub arn: String,
}

/// How many messages a queue holds, by state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Depth {
    /// Ready to be received.
    pub visible: u64,
    /// Received and neither deleted nor visible again.
    pub in_flight: u64,
    /// Sent with a delay that has not passed.
    pub delayed: u64,
}

/// An answer that is no success.
#[derive(Debug)]
pub struct SqsError(pub String);

impl SqsServer {
    /// A server at `http://host:port`.
    pub fn new(endpoint: &str) -> Self {
        Self {
            endpoint: endpoint.trim_end_matches('/').to_owned(),
        }
    }

    /// Where it listens.
    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }

    /// Creates a queue and its dead-letter queue `<name>-dead`, or finds them if they are the same.
    pub async fn create_pair(
        &self,
        name: &str,
        visibility_seconds: u64,
        receives_max: u64,
    ) -> (Queue, Queue) {
        let dead = self.create(&format!("{name}-dead"), &json!({})).await;
        let redrive =
            json!({"deadLetterTargetArn": dead.arn, "maxReceiveCount": receives_max}).to_string();
        let visibility = visibility_seconds.to_string();
        let attributes = json!({"VisibilityTimeout": visibility, "RedrivePolicy": redrive});
        (self.create(name, &attributes).await, dead)
    }

    /// Creates a queue with attributes as SQS names them.
    pub async fn create(&self, name: &str, attributes: &Value) -> Queue {
        let body = json!({"QueueName": name, "Attributes": attributes});
        let created = self
            .call("CreateQueue", &body)
            .await
            .expect("the queue is created");
        let url = created["QueueUrl"]
            .as_str()
            .expect("a queue has a URL")
            .to_owned();
        let [arn] = self.attributes(&url, ["QueueArn"]).await;
        Queue { url, arn }
    }

    /// Sends a message.
    pub async fn send(&self, queue: &Queue, body: &str) {
        let request = json!({"QueueUrl": queue.url, "MessageBody": body});
        self.call("SendMessage", &request)
            .await
            .expect("the message is sent");
    }

    /// Sends a message of a group.
    pub async fn send_for(&self, queue: &Queue, group: &str, body: &str) -> Result<(), SqsError> {
        let request = json!({"QueueUrl": queue.url, "MessageBody": body, "MessageGroupId": group});
        self.call("SendMessage", &request).await.map(drop)
    }

    /// Receives up to ten messages as SQS words them, waiting up to `wait_seconds` for the first.
    pub async fn receive(
        &self,
        queue: &Queue,
        count: usize,
        wait_seconds: u64,
    ) -> Result<Vec<Value>, SqsError> {
        let request = json!({
            "QueueUrl": queue.url,
            "MaxNumberOfMessages": count.clamp(1, 10),
            "WaitTimeSeconds": wait_seconds,
            "AttributeNames": ["All"],
            "MessageSystemAttributeNames": ["All"],
            "MessageAttributeNames": ["All"],
        });
        let mut answer = self.call("ReceiveMessage", &request).await?;
        Ok(answer["Messages"]
            .as_array_mut()
            .map(std::mem::take)
            .unwrap_or_default())
    }

    /// Deletes received messages.
    pub async fn delete(&self, queue: &Queue, receipts: &[String]) -> Result<(), SqsError> {
        self.each(queue, receipts, "DeleteMessageBatch", json!({}))
            .await
    }

    /// Makes received messages visible again after some seconds; 0 is at once.
    pub async fn set_visibility(
        &self,
        queue: &Queue,
        receipts: &[String],
        seconds: u64,
    ) -> Result<(), SqsError> {
        let more = json!({"VisibilityTimeout": seconds});
        self.each(queue, receipts, "ChangeMessageVisibilityBatch", more)
            .await
    }

    /// How many messages it holds. On AWS these numbers lag; on a local server they do not.
    pub async fn depth(&self, queue: &Queue) -> Depth {
        const NAMES: [&str; 3] = [
            "ApproximateNumberOfMessages",
            "ApproximateNumberOfMessagesNotVisible",
            "ApproximateNumberOfMessagesDelayed",
        ];
        // One request: a message that changes its state between two would be missed.
        let [visible, in_flight, delayed] = self
            .attributes(&queue.url, NAMES)
            .await
            .map(|count| count.parse().unwrap_or_default());
        Depth {
            visible,
            in_flight,
            delayed,
        }
    }

    /// Waits until a queue holds nothing, in whatever state.
    pub async fn empty(&self, queue: &Queue) {
        eventually("the queue to be empty", async || {
            (self.depth(queue).await == Depth::default()).then_some(())
        })
        .await;
    }

    /// One action of the JSON protocol.
    pub async fn call(&self, action: &str, body: &Value) -> Result<Value, SqsError> {
        let target = format!("AmazonSQS.{action}");
        let headers = [
            ("content-type", "application/x-amz-json-1.0"),
            ("x-amz-target", target.as_str()),
            // Local servers read the region from it and check nothing.
            (
                "authorization",
                "AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/sqs/aws4_request, \
                 SignedHeaders=host, Signature=0",
            ),
        ];
        let url = format!("{}/", self.endpoint);
        let answer = http_client::request("POST", &url, &headers, body.to_string().as_bytes())
            .await
            .map_err(|error| SqsError(format!("{action}: {error}")))?;
        if answer.status.is_success() {
            Ok(answer.json())
        } else {
            Err(SqsError(format!(
                "{action}: {} {}",
                answer.status,
                answer.text()
            )))
        }
    }

    async fn attributes<const N: usize>(&self, url: &str, names: [&str; N]) -> [String; N] {
        let request = json!({"QueueUrl": url, "AttributeNames": names.to_vec()});
        let answer = self
            .call("GetQueueAttributes", &request)
            .await
            .expect("the queue exists");
        names.map(|name| {
            answer["Attributes"][name]
                .as_str()
                .unwrap_or_default()
                .to_owned()
        })
    }

    async fn each(
        &self,
        queue: &Queue,
        receipts: &[String],
        action: &str,
        more: Value,
    ) -> Result<(), SqsError> {
        for ten in receipts.chunks(10) {
            let entries: Vec<Value> = ten
                .iter()
                .enumerate()
                .map(|(id, receipt)| {
                    let mut entry = more.clone();
                    entry["Id"] = id.to_string().into();
                    entry["ReceiptHandle"] = receipt.as_str().into();
                    entry
                })
                .collect();
            self.call(action, &json!({"QueueUrl": queue.url, "Entries": entries}))
                .await?;
        }
        Ok(())
    }
}
