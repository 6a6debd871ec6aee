//! The system's clock.

use async_trait::async_trait;
use openeve_runtime::ports::Clock;

/// Wall time, monotonic time and waiting, from the operating system.
#[derive(Debug, Clone, Copy)]
pub struct SystemClock {
    started: std::time::Instant,
}

impl SystemClock {
    /// A clock whose monotonic time begins now.
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the Clock port's adapter"
    )]
    #[expect(
        clippy::new_without_default,
        reason = "a clock begins when it is made; there is no default"
    )]
    pub fn new() -> Self {
        Self {
            started: std::time::Instant::now(),
        }
    }
}

#[async_trait]
impl Clock for SystemClock {
    fn now(&self) -> jiff::Timestamp {
        jiff::Timestamp::now()
    }

    fn monotonic_ms(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "this is the Clock port's adapter"
    )]
    async fn wait_ms(&self, ms: u64) {
        tokio::time::sleep(std::time::Duration::from_millis(ms)).await;
    }
}
