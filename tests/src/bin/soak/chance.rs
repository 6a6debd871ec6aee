//! Chance that a seed repeats.

/// The generator `SplitMix64`: small, and the same on every machine.
#[derive(Debug, Clone)]
pub(crate) struct Chance(u64);

impl Chance {
    /// Another seed is another sequence.
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// From `least` up to and including `most`.
    pub(crate) const fn between(&mut self, least: u64, most: u64) -> u64 {
        least + self.next() % (most - least + 1)
    }

    /// True once in `n` times.
    pub(crate) const fn one_in(&mut self, n: u64) -> bool {
        self.next().is_multiple_of(n)
    }

    /// One of several, each as often as its weight says.
    pub(crate) fn weighted<T: Copy>(&mut self, choices: &[(u64, T)]) -> T {
        let total: u64 = choices.iter().map(|(weight, _)| weight).sum();
        let mut at = self.between(0, total - 1);
        for (weight, choice) in choices {
            if at < *weight {
                return *choice;
            }
            at -= weight;
        }
        choices[0].1
    }
}
