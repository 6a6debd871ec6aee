//! Time and identity, handed in so that a run can be replayed.

use async_trait::async_trait;
use uuid::Uuid;

/// The process's clock. Lease decisions never use it; they use the database's.
#[async_trait]
pub trait Clock: Send + Sync {
    /// Wall time, for display, schedules and signatures.
    fn now(&self) -> jiff::Timestamp;

    /// Monotonic milliseconds since some start.
    fn monotonic_ms(&self) -> u64;

    /// Waits. For bounded waits on paid time only; longer ones park the run.
    async fn wait_ms(&self, ms: u64);
}

/// New ids and random fractions.
pub trait Ids: Send + Sync {
    /// A new UUID, ordered by time.
    fn uuid(&self) -> Uuid;

    /// A fraction in `0.0..1.0`, for jitter.
    fn fraction(&self) -> f64;
}
