//! Ringing: telling some function that a row may need work.

use async_trait::async_trait;
use openeve_domain::bell::Bell;

use super::PortError;

/// The queue in front of step and delivery. A bell that is lost is rung again by the tick.
#[async_trait]
pub trait Doorbell: Send + Sync {
    /// Rings after a delay, at most
    /// [`DOORBELL_DELAY_MS_MAX`](openeve_domain::limits::DOORBELL_DELAY_MS_MAX); a longer delay is
    /// left to the tick. Idempotent in effect: a second ring of the same bell changes nothing.
    async fn ring(&self, bell: &Bell, delay_ms: u64) -> Result<(), PortError>;
}
