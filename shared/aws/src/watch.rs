//! Watching over a bell while it is handled: if the handler vanishes, the queue itself rings again.
//!
//! A received message stays hidden for the queue's visibility time-out, which Lambda wants several
//! times as long as the function's own: half an hour. So a function that works hides its message
//! again and again for a little longer than its lease can last. One that is killed stops doing so,
//! and the message comes back just after the lease has ended. A bell that failed comes back after a
//! wait that grows with its tries.
//!
//! Source: SQS, "Amazon SQS visibility timeout"; Lambda, "Using Lambda with Amazon SQS".

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;

use aws_sdk_sqs::error::DisplayErrorContext;
use futures_util::future::{Either, select};
use openeve_domain::limits::{
    BELL_RETRIES_MS, LEASE_SLACK_MS, UNREADABLE_BELL_RETRY_MS, WATCH_INTERVAL_MS,
};
use openeve_runtime::ports::Clock;

/// A request on its way when the work is done is let finish, this long at most: cutting it would
/// cost the next one a new connection.
const LAST_REQUEST_MS: u64 = 500;

/// Watches over the bells of one queue.
#[derive(Clone)]
pub struct SqsWatch {
    pub(crate) client: aws_sdk_sqs::Client,
    pub(crate) queue_url: String,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) lease_ms: u64,
}

impl SqsWatch {
    /// Works, and keeps the message hidden meanwhile. Without a queue or a receipt it only works.
    pub(crate) async fn over<T>(&self, receipt: &str, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        if self.queue_url.is_empty() || receipt.is_empty() {
            return work.await;
        }
        let interval_ms = WATCH_INTERVAL_MS.min(self.lease_ms / 2);
        let hidden_ms = self.lease_ms + interval_ms + LEASE_SLACK_MS;
        loop {
            let hiding = pin!(self.hide(receipt, hidden_ms));
            match select(work.as_mut(), hiding).await {
                Either::Left((done, hiding)) => {
                    select(hiding, self.clock.wait_ms(LAST_REQUEST_MS)).await;
                    return done;
                }
                Either::Right(((), _)) => {}
            }
            match select(work.as_mut(), self.clock.wait_ms(interval_ms)).await {
                Either::Left((done, _)) => return done,
                Either::Right(((), _)) => {}
            }
        }
    }

    /// Lets a message that failed come back: soon at first, then later and later. One that cannot be
    /// read will not be read by waiting, and goes on to the dead letters within seconds.
    pub(crate) async fn retry(&self, receipt: &str, receives: usize, is_readable: bool) {
        let last = BELL_RETRIES_MS.len() - 1;
        let wait_ms = match BELL_RETRIES_MS.get(receives.saturating_sub(1).min(last)) {
            Some(wait_ms) if is_readable => *wait_ms,
            _ => UNREADABLE_BELL_RETRY_MS,
        };
        if !self.queue_url.is_empty() && !receipt.is_empty() {
            self.hide(receipt, wait_ms).await;
        }
    }

    /// If it fails, the message comes back when it would have, and the tick is there before.
    async fn hide(&self, receipt: &str, ms: u64) {
        let seconds = i32::try_from(ms.div_ceil(1_000)).unwrap_or(i32::MAX);
        let request = self.client.change_message_visibility();
        let request = request.queue_url(&self.queue_url).receipt_handle(receipt);
        if let Err(error) = request.visibility_timeout(seconds).send().await {
            tracing::warn!(error = %DisplayErrorContext(&error), "a doorbell is not watched; the tick is");
        }
    }
}
