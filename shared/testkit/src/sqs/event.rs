//! SQS's messages as a function sees them, and the function's verdict on them. Pure.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::Queue;
use crate::lambda::InvokeOutcome;

/// The event for a batch of received messages.
pub(super) fn event(queue: &Queue, messages: &[Value]) -> Value {
    let region = queue.arn.split(':').nth(3).unwrap_or("us-east-1");
    let records: Vec<Value> = messages
        .iter()
        .map(|message| {
            json!({
                "messageId": message["MessageId"],
                "receiptHandle": message["ReceiptHandle"],
                "body": message["Body"],
                "attributes": message.get("Attributes").cloned().unwrap_or_else(|| json!({})),
                "messageAttributes": message_attributes(message),
                "md5OfBody": message["MD5OfBody"],
                "eventSource": "aws:sqs",
                "eventSourceARN": queue.arn,
                "awsRegion": region,
            })
        })
        .collect();
    json!({"Records": records})
}

/// The ids of the messages that are done. Like AWS, an answer that makes no sense fails the batch.
pub(super) fn succeeded(
    messages: &[Value],
    outcome: &InvokeOutcome,
    reports_failures: bool,
) -> BTreeSet<String> {
    let all: BTreeSet<String> = messages.iter().map(message_id).collect();
    let InvokeOutcome::Response(bytes) = outcome else {
        return BTreeSet::new();
    };
    if !reports_failures || bytes.is_empty() {
        return all;
    }
    let Ok(answer) = serde_json::from_slice::<Value>(bytes) else {
        return BTreeSet::new();
    };
    if answer["batchItemFailures"].is_null() {
        return all;
    }
    let Some(failures) = answer["batchItemFailures"].as_array() else {
        return BTreeSet::new();
    };
    let failed: Option<BTreeSet<String>> = failures
        .iter()
        .map(|failure| failure["itemIdentifier"].as_str().map(str::to_owned))
        .collect();
    match failed {
        Some(failed) if failed.is_subset(&all) => all.difference(&failed).cloned().collect(),
        Some(_) | None => BTreeSet::new(),
    }
}

/// The trace header of the request that sent the message.
pub(super) fn trace_header(message: &Value) -> Option<&str> {
    message["Attributes"]["AWSTraceHeader"].as_str()
}

pub(super) fn message_id(message: &Value) -> String {
    message["MessageId"].as_str().unwrap_or_default().to_owned()
}

pub(super) fn receipt(message: &Value) -> String {
    message["ReceiptHandle"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

fn message_attributes(message: &Value) -> Value {
    let attributes = message["MessageAttributes"]
        .as_object()
        .cloned()
        .unwrap_or_default();
    let converted: Map<String, Value> = attributes
        .into_iter()
        .map(|(name, value)| {
            let mut attribute = json!({"dataType": value["DataType"]});
            for (from, to) in [
                ("StringValue", "stringValue"),
                ("BinaryValue", "binaryValue"),
            ] {
                if let Some(value) = value.get(from) {
                    attribute[to] = value.clone();
                }
            }
            (name, attribute)
        })
        .collect();
    Value::Object(converted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages() -> Vec<Value> {
        ["a", "b"]
            .map(|id| {
                json!({"MessageId": id, "ReceiptHandle": format!("r-{id}"), "Body": "{}",
                       "MD5OfBody": "99", "Attributes": {"ApproximateReceiveCount": "1",
                       "AWSTraceHeader": "Root=1-5e;Parent=2;Sampled=1"}})
            })
            .to_vec()
    }

    fn done(answer: &str) -> Vec<String> {
        let outcome = InvokeOutcome::Response(answer.to_owned().into());
        succeeded(&messages(), &outcome, true).into_iter().collect()
    }

    #[test]
    fn a_batch_becomes_records() {
        let queue = Queue {
            url: "u".into(),
            arn: "arn:aws:sqs:eu-west-1:0:steps".into(),
        };
        let event = event(&queue, &messages());
        assert_eq!(event["Records"][1]["messageId"], "b");
        assert_eq!(
            event["Records"][1]["attributes"]["ApproximateReceiveCount"],
            "1"
        );
        assert_eq!(event["Records"][1]["awsRegion"], "eu-west-1");
        let trace = trace_header(&messages()[0]).map(str::to_owned);
        assert_eq!(trace.as_deref(), Some("Root=1-5e;Parent=2;Sampled=1"));
        assert_eq!(
            event["Records"][0]["attributes"]["AWSTraceHeader"].as_str(),
            trace.as_deref()
        );
    }

    #[test]
    fn only_what_is_not_reported_as_failed_is_deleted() {
        assert_eq!(
            done(r#"{"batchItemFailures":[{"itemIdentifier":"a"}]}"#),
            ["b"]
        );
        assert_eq!(done(r#"{"batchItemFailures":[]}"#), ["a", "b"]);
        assert_eq!(done("null"), ["a", "b"]);
        assert_eq!(done(""), ["a", "b"]);
    }

    #[test]
    fn an_answer_that_makes_no_sense_fails_the_whole_batch() {
        let nothing: [&str; 0] = [];
        assert_eq!(
            done(r#"{"batchItemFailures":[{"itemIdentifier":"z"}]}"#),
            nothing
        );
        assert_eq!(done(r#"{"batchItemFailures":[{"item":"a"}]}"#), nothing);
        assert_eq!(done("oops"), nothing);
        for none in [InvokeOutcome::Crashed, InvokeOutcome::LoopStopped] {
            assert!(succeeded(&messages(), &none, true).is_empty());
        }
    }
}
