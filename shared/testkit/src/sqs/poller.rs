//! The event source mapping: feeds a function from a queue, as AWS does, and worse if asked.
//!
//! A batch is received, handed to the function, and what succeeded is deleted. What failed comes
//! back after the queue's visibility time-out, or at once if [`Mapping::redelivers_at_once`] saves
//! the test that wait, until the queue's redrive policy moves it to the dead letters.
//!
//! The function gets the trace header of the message that has come furthest, so that a function
//! which feeds itself is counted (see [`crate::lambda::RecursiveLoop`]). An event that Lambda refuses
//! as a link of a loop counts as failed: its messages come back, are refused again, and end as dead
//! letters.

use std::sync::{Arc, Mutex, MutexGuard};

use serde_json::Value;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::event::{event, message_id, receipt, succeeded, trace_header};
use super::{Queue, SqsServer};
use crate::lambda::{InvokeOutcome, LambdaFunction};
use crate::loopback::Task;
use crate::patience::moment;

/// How a queue feeds a function.
#[derive(Debug, Clone)]
pub struct Mapping {
    /// Messages in one event, at most 10.
    pub batch_size: usize,
    /// Events of this mapping that are handled at once.
    pub max_concurrency: usize,
    /// Long polling, in seconds; 0 asks again and again.
    pub wait_seconds: u64,
    /// Whether the function's answer names the messages that failed.
    pub reports_failures: bool,
    /// Whether failed messages become visible at once instead of after the queue's time-out.
    pub redelivers_at_once: bool,
    /// Chaos: every event is handed over twice, both at the same time.
    pub delivers_twice: bool,
    /// Chaos: this many messages are gathered and handed over last to first; 0 and 1 do nothing.
    pub reversal_window: usize,
}

impl Default for Mapping {
    fn default() -> Self {
        Self {
            batch_size: 1,
            max_concurrency: 10,
            wait_seconds: 1,
            reports_failures: true,
            redelivers_at_once: false,
            delivers_twice: false,
            reversal_window: 0,
        }
    }
}

/// What the mapping did so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PollerStats {
    /// Messages received, redeliveries included.
    pub received: u64,
    /// Events handed over, doubles included.
    pub events: u64,
    /// Messages that succeeded and were deleted.
    pub deleted: u64,
    /// Messages left for redelivery, whatever the reason.
    pub failed: u64,
    /// Of those, the ones that Lambda refused as links of a recursive loop.
    pub stopped_as_loop: u64,
}

/// A running mapping. Dropping it stops receiving; events that are under way go on.
pub struct Poller {
    shared: Arc<Shared>,
    _task: Task,
}

struct Shared {
    server: SqsServer,
    queue: Queue,
    function: LambdaFunction,
    mapping: Mapping,
    permits: Arc<Semaphore>,
    stats: Mutex<PollerStats>,
}

impl Poller {
    /// Starts feeding the function.
    pub fn start(
        server: &SqsServer,
        queue: &Queue,
        function: &LambdaFunction,
        mapping: Mapping,
    ) -> Self {
        let shared = Arc::new(Shared {
            server: server.clone(),
            queue: queue.clone(),
            function: function.clone(),
            permits: Arc::new(Semaphore::new(mapping.max_concurrency)),
            mapping,
            stats: Mutex::default(),
        });
        Self {
            _task: Task::spawn(Arc::clone(&shared).poll()),
            shared,
        }
    }

    /// What it did so far.
    pub fn stats(&self) -> PollerStats {
        *self.shared.stats()
    }
}

impl Shared {
    async fn poll(self: Arc<Self>) {
        let window = self.mapping.reversal_window;
        let mut gathered: Vec<Value> = Vec::new();
        loop {
            // Like AWS, receive no more than can be handled.
            let permits = Arc::clone(&self.permits);
            let Ok(permit) = permits.acquire_owned().await else {
                return;
            };
            let count = self.mapping.batch_size.clamp(1, 10);
            let received = self
                .server
                .receive(&self.queue, count, self.mapping.wait_seconds)
                .await;
            let Ok(received) = received else {
                // The server is away or refuses; the queue keeps what it has.
                moment().await;
                continue;
            };
            let is_quiet = received.is_empty();
            self.stats().received += count_of(&received);
            gathered.extend(received);
            if gathered.is_empty() || (gathered.len() < window && !is_quiet) {
                continue;
            }
            let mut messages = std::mem::take(&mut gathered);
            if window > 1 {
                messages.reverse();
            }
            let mut permit = Some(permit);
            for batch in messages.chunks(count) {
                self.hand_over(batch, &mut permit).await;
            }
        }
    }

    /// Starts one event, or two of the same.
    async fn hand_over(
        self: &Arc<Self>,
        batch: &[Value],
        first: &mut Option<OwnedSemaphorePermit>,
    ) {
        for _ in 0..if self.mapping.delivers_twice { 2 } else { 1 } {
            let permit = match first.take() {
                Some(permit) => permit,
                None => match Arc::clone(&self.permits).acquire_owned().await {
                    Ok(permit) => permit,
                    Err(_) => return,
                },
            };
            let (shared, batch) = (Arc::clone(self), batch.to_vec());
            tokio::spawn(async move {
                shared.handle(&batch).await;
                drop(permit);
            });
        }
    }

    async fn handle(&self, batch: &[Value]) {
        let trace = batch
            .iter()
            .filter_map(trace_header)
            .max_by_key(|trace| self.function.invocations_in_chain(Some(trace)))
            .map(str::to_owned);
        let payload = event(&self.queue, batch).to_string();
        let outcome = self.function.invoke_traced(payload, trace).await;
        let done = succeeded(batch, &outcome, self.mapping.reports_failures);
        let (deleted, failed): (Vec<&Value>, Vec<&Value>) = batch
            .iter()
            .partition(|message| done.contains(&message_id(message)));
        {
            let mut stats = self.stats();
            stats.deleted += count_of(&deleted);
            stats.failed += count_of(&failed);
            if outcome == InvokeOutcome::LoopStopped {
                stats.stopped_as_loop += count_of(&failed);
            } else {
                stats.events += 1;
            }
        }
        let receipts =
            |messages: Vec<&Value>| messages.into_iter().map(receipt).collect::<Vec<_>>();
        // A refusal leaves the message to be redelivered, which every function must bear.
        self.server
            .delete(&self.queue, &receipts(deleted))
            .await
            .ok();
        if self.mapping.redelivers_at_once {
            self.server
                .set_visibility(&self.queue, &receipts(failed), 0)
                .await
                .ok();
        }
    }

    fn stats(&self) -> MutexGuard<'_, PollerStats> {
        self.stats.lock().expect("no holder panics")
    }
}

fn count_of<T>(items: &[T]) -> u64 {
    u64::try_from(items.len()).unwrap_or_default()
}
