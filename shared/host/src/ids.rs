//! New ids and jitter, from the operating system's randomness.

use openeve_runtime::ports::Ids;
use uuid::Uuid;

/// UUIDs of version 7, ordered by time.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemIds;

impl Ids for SystemIds {
    #[expect(clippy::disallowed_methods, reason = "this is the Ids port's adapter")]
    fn uuid(&self) -> Uuid {
        Uuid::now_v7()
    }

    fn fraction(&self) -> f64 {
        // The last 32 bits of a version 7 UUID are random.
        let [.., a, b, c, d] = self.uuid().into_bytes();
        f64::from(u32::from_be_bytes([a, b, c, d])) / (f64::from(u32::MAX) + 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fraction_lies_between_zero_and_one() {
        assert!((0..1_000).all(|_| (0.0..1.0).contains(&SystemIds.fraction())));
    }
}
