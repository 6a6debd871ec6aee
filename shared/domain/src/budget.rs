//! The time budget: whether a step may start another iteration, and when work must be cut.

use crate::limits::STEP_CANCEL_MARGIN_MS;

/// What a step may spend, in milliseconds of its own clock since it began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeBudget {
    /// When the platform ends the invocation.
    pub deadline_ms: u64,
    /// After this no further iteration starts.
    pub slice_ms: u64,
    /// What an iteration may need at most; it starts only if more than this remains.
    pub reserve_ms: u64,
}

/// Why a step hands its run on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spent {
    /// The slice is used up.
    Slice,
    /// The deadline is nearer than the reserve.
    Deadline,
    /// The host is shutting down and finishes what it has begun.
    Draining,
}

impl TimeBudget {
    /// Whether another iteration may start after `elapsed_ms`. The first always may: a step that
    /// did nothing would hand the run on for ever.
    pub const fn allows(&self, elapsed_ms: u64, iterations_done: u64) -> Result<(), Spent> {
        if iterations_done == 0 {
            return Ok(());
        }
        if elapsed_ms >= self.slice_ms {
            return Err(Spent::Slice);
        }
        if self.deadline_ms.saturating_sub(elapsed_ms) <= self.reserve_ms {
            return Err(Spent::Deadline);
        }
        Ok(())
    }

    /// How long a model request or tool begun at `elapsed_ms` may run before it is cancelled.
    pub const fn work_ms(&self, elapsed_ms: u64, wanted_ms: u64) -> u64 {
        let left = self
            .deadline_ms
            .saturating_sub(elapsed_ms)
            .saturating_sub(STEP_CANCEL_MARGIN_MS);
        if left < wanted_ms { left } else { wanted_ms }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUDGET: TimeBudget = TimeBudget {
        deadline_ms: 300_000,
        slice_ms: 60_000,
        reserve_ms: 130_000,
    };

    #[test]
    fn the_first_iteration_always_starts() {
        assert_eq!(BUDGET.allows(299_999, 0), Ok(()));
    }

    #[test]
    fn a_used_slice_ends_the_step_before_the_deadline_does() {
        assert_eq!(BUDGET.allows(59_999, 3), Ok(()));
        assert_eq!(BUDGET.allows(60_000, 3), Err(Spent::Slice));
    }

    #[test]
    fn a_near_deadline_ends_the_step() {
        let short = TimeBudget {
            deadline_ms: 140_000,
            ..BUDGET
        };
        assert_eq!(short.allows(9_999, 1), Ok(()));
        assert_eq!(short.allows(10_000, 1), Err(Spent::Deadline));
    }

    #[test]
    fn work_is_cut_in_time_for_a_clean_release() {
        assert_eq!(BUDGET.work_ms(0, 120_000), 120_000);
        assert_eq!(BUDGET.work_ms(290_000, 120_000), 5_000);
        assert_eq!(BUDGET.work_ms(299_000, 120_000), 0);
    }
}
