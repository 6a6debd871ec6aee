//! A clock that stands still until a test moves it.

use async_trait::async_trait;
use jiff::Timestamp;
use openeve_runtime::ports::Clock;
use tokio::sync::watch;

/// Wall time and monotonic time that move together, and only by [`FakeClock::advance_ms`].
#[derive(Debug)]
pub struct FakeClock {
    start: Timestamp,
    elapsed_ms: watch::Sender<u64>,
    waits_ms: std::sync::Mutex<Vec<u64>>,
    is_eager: bool,
}

impl FakeClock {
    /// A clock that shows `start`; whoever waits, waits until the test has moved it far enough.
    pub fn manual(start: Timestamp) -> Self {
        Self {
            start,
            elapsed_ms: watch::Sender::new(0),
            waits_ms: std::sync::Mutex::default(),
            is_eager: false,
        }
    }

    /// A clock that shows `start`; whoever waits moves it and goes on at once.
    pub fn eager(start: Timestamp) -> Self {
        Self {
            is_eager: true,
            ..Self::manual(start)
        }
    }

    /// Moves both times forward.
    pub fn advance_ms(&self, ms: u64) {
        self.elapsed_ms.send_modify(|elapsed_ms| *elapsed_ms += ms);
    }

    /// How long each wait so far was asked to be, in order.
    pub fn waits_ms(&self) -> Vec<u64> {
        self.waits_ms.lock().expect("no holder panics").clone()
    }
}

#[async_trait]
impl Clock for FakeClock {
    fn now(&self) -> Timestamp {
        let elapsed = std::time::Duration::from_millis(self.monotonic_ms());
        self.start
            .checked_add(elapsed)
            .expect("a test stays within the calendar")
    }

    fn monotonic_ms(&self) -> u64 {
        *self.elapsed_ms.borrow()
    }

    async fn wait_ms(&self, ms: u64) {
        self.waits_ms.lock().expect("no holder panics").push(ms);
        let end = self.monotonic_ms() + ms;
        if self.is_eager {
            self.advance_ms(ms);
        }
        let mut times = self.elapsed_ms.subscribe();
        // The sender is this clock, so the wait ends only by the time.
        times.wait_for(|elapsed_ms| *elapsed_ms >= end).await.ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_manual_clock_moves_only_when_told_and_an_eager_one_by_waiting() {
        let clock = FakeClock::manual(Timestamp::UNIX_EPOCH);
        assert_eq!(clock.now(), Timestamp::UNIX_EPOCH);
        tokio::join!(clock.wait_ms(1_500), async { clock.advance_ms(2_000) });
        assert_eq!(clock.now().as_millisecond(), 2_000);
        assert_eq!(clock.waits_ms(), [1_500]);

        let clock = FakeClock::eager(Timestamp::UNIX_EPOCH);
        clock.wait_ms(70).await;
        assert_eq!(clock.monotonic_ms(), 70);
    }
}
