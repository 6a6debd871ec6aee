//! A generator of numbers: the same seed, the same numbers, on every machine.

/// Numbers of a seed (splitmix64).
pub(super) struct Chance(u64);

impl Chance {
    /// The numbers of this seed.
    pub(super) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below a bound.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound.max(1)
    }

    /// True in so many of ten cases.
    pub(super) fn likely(&mut self, of_ten: u64) -> bool {
        self.below(10) < of_ten
    }

    /// One of several values.
    pub(super) fn of<T: Copy>(&mut self, values: &[T]) -> T {
        let at = self.below(values.len() as u64);
        values[usize::try_from(at).unwrap()]
    }

    /// One of several things, if there are any.
    pub(super) fn pick<T: Clone>(&mut self, things: &[T]) -> Option<T> {
        let at = self.below(things.len() as u64);
        things.get(usize::try_from(at).unwrap()).cloned()
    }
}
