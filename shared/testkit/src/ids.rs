//! Ids in a known order and a known jitter.

use std::sync::atomic::{AtomicU64, Ordering};

use openeve_runtime::ports::Ids;
use uuid::Uuid;

/// Counts upwards from a seed: the same seed gives the same ids, different seeds never meet.
#[derive(Debug)]
pub struct SequentialIds {
    seed: u64,
    next: AtomicU64,
    fraction: f64,
}

impl SequentialIds {
    /// Ids whose upper half is `seed` and whose lower half counts from 1; the jitter is 0.5.
    pub const fn new(seed: u64) -> Self {
        Self {
            seed,
            next: AtomicU64::new(1),
            fraction: 0.5,
        }
    }

    /// The same with another jitter, in `0.0..1.0`.
    #[must_use]
    pub const fn with_fraction(mut self, fraction: f64) -> Self {
        self.fraction = fraction;
        self
    }
}

impl Ids for SequentialIds {
    fn uuid(&self) -> Uuid {
        Uuid::from_u64_pair(self.seed, self.next.fetch_add(1, Ordering::Relaxed))
    }

    fn fraction(&self) -> f64 {
        self.fraction
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_count_from_their_seed() {
        let ids = SequentialIds::new(7).with_fraction(0.25);
        assert_eq!(
            [ids.uuid(), ids.uuid()],
            [1, 2].map(|n| Uuid::from_u64_pair(7, n))
        );
        assert_ne!(SequentialIds::new(8).uuid(), SequentialIds::new(7).uuid());
        assert!((ids.fraction() - 0.25).abs() < f64::EPSILON);
    }
}
