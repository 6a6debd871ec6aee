//! The soak's own time: everything is real, so the one thing to do with it is to wait.

use std::time::Duration;

use openeve_testkit::gate::Gate;
use tokio::time::Instant;

/// When the load began.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Start(Instant);

impl Start {
    pub(crate) fn now() -> Self {
        Self(Instant::now())
    }

    pub(crate) fn elapsed_ms(self) -> u64 {
        u64::try_from(self.0.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Waits until the plan's moment; a moment that has passed is now.
    pub(crate) async fn reach(self, at_ms: u64) {
        tokio::time::sleep_until(self.0 + Duration::from_millis(at_ms)).await;
    }
}

/// Waits.
pub(crate) async fn pause(ms: u64) {
    tokio::time::sleep_until(Instant::now() + Duration::from_millis(ms)).await;
}

/// A gate that opens by itself: how a server of the testkit takes its time.
pub(crate) fn opening_after(ms: u64) -> Gate {
    let gate = Gate::new();
    let opened = gate.clone();
    tokio::spawn(async move {
        pause(ms).await;
        opened.open();
    });
    gate
}
