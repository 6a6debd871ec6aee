//! Sending a reply to a channel.

use async_trait::async_trait;
use openeve_domain::delivery::{LeasedDelivery, SendOutcome};
use openeve_domain::manifest::Manifest;

/// How a delivery is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SendPlan {
    /// In how many parts, at least one. The same delivery always has the same parts.
    pub parts: u32,
    /// Whether the receiver recognises a repetition by its dedupe key, or can be asked what it
    /// has. If not, a send whose outcome is unknown is not simply repeated.
    pub dedupes: bool,
}

/// Sends deliveries of every channel. At-least-once: the delivery's id is passed as dedupe key,
/// with the part's number behind it from the second part on.
#[async_trait]
pub trait Sender: Send + Sync {
    /// Says how a delivery is sent. Pure.
    fn plan(&self, manifest: &Manifest, delivery: &LeasedDelivery) -> SendPlan;

    /// Makes one attempt at one part, counted from zero, and says what came of it; never fails
    /// otherwise.
    async fn send(&self, manifest: &Manifest, delivery: &LeasedDelivery, part: u32) -> SendOutcome;
}
