//! SQS records to doorbells, with partial batch responses.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use aws_lambda_events::sqs::{BatchItemFailure, SqsBatchResponse, SqsEvent, SqsMessage};
use futures_util::FutureExt as _;
use futures_util::future::join_all;
use lambda_runtime::{LambdaEvent, service_fn};
use openeve_domain::bell::Bell;
use openeve_runtime::ports::PortError;

use super::{Fatal, remaining_ms};
use crate::SqsWatch;

/// Serves doorbells until the platform ends the process. A record that fails, panics or is no
/// doorbell is reported alone, and SQS brings it again until it ends in the dead letters; one whose
/// process vanishes comes back when its lease has ended.
pub async fn serve_queue<F, W>(watch: SqsWatch, handle: F) -> Result<(), Fatal>
where
    F: Fn(Bell, u64) -> W + Send + Sync + 'static,
    W: Future<Output = Result<(), PortError>> + Send,
{
    let (handle, watch) = (Arc::new(handle), Arc::new(watch));
    lambda_runtime::run(service_fn(move |event: LambdaEvent<SqsEvent>| {
        let (handle, watch) = (Arc::clone(&handle), Arc::clone(&watch));
        async move {
            let remaining_ms = remaining_ms(&event.context);
            let records = event.payload.records;
            let outcomes = join_all(records.iter().map(|record| watched(&watch, &*handle, record, remaining_ms))).await;
            let mut response = SqsBatchResponse::default();
            for (record, outcome) in records.iter().zip(outcomes) {
                if let Err(why) = outcome {
                    let id = record.message_id.clone().unwrap_or_default();
                    tracing::error!(message.id = %id, error = %why, "a doorbell was not handled; it comes again");
                    let mut failure = BatchItemFailure::default();
                    failure.item_identifier = id;
                    response.batch_item_failures.push(failure);
                }
            }
            Ok::<_, Fatal>(response)
        }
    }))
    .await
}

async fn watched<F, W>(
    watch: &SqsWatch,
    handle: &F,
    record: &SqsMessage,
    remaining_ms: u64,
) -> Result<(), String>
where
    F: Fn(Bell, u64) -> W,
    W: Future<Output = Result<(), PortError>>,
{
    let receipt = record.receipt_handle.as_deref().unwrap_or_default();
    let read = Bell::decode(record.body.as_deref().unwrap_or_default());
    let is_readable = read.is_ok();
    let outcome = match read {
        Ok(bell) => watch.over(receipt, one(handle, bell, remaining_ms)).await,
        Err(error) => Err(error.to_string()),
    };
    if outcome.is_err() {
        let receives = record.attributes.get("ApproximateReceiveCount");
        let receives = receives.and_then(|count| count.parse().ok()).unwrap_or(1);
        watch.retry(receipt, receives, is_readable).await;
    }
    outcome
}

async fn one<F, W>(handle: &F, bell: Bell, remaining_ms: u64) -> Result<(), String>
where
    F: Fn(Bell, u64) -> W,
    W: Future<Output = Result<(), PortError>>,
{
    match AssertUnwindSafe(handle(bell, remaining_ms))
        .catch_unwind()
        .await
    {
        Ok(outcome) => outcome.map_err(|error| error.to_string()),
        Err(_) => Err("the handler panicked; the run stays leased and is recovered".to_owned()),
    }
}
