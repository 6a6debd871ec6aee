//! Sending a reply to a channel.

use async_trait::async_trait;
use openeve_domain::delivery::{LeasedDelivery, SendOutcome};
use openeve_domain::manifest::Manifest;

/// Sends deliveries of every channel. At-least-once: the delivery's id is passed as dedupe key.
#[async_trait]
pub trait Sender: Send + Sync {
    /// Makes one attempt and says what came of it; never fails otherwise.
    async fn send(&self, manifest: &Manifest, delivery: &LeasedDelivery) -> SendOutcome;
}
