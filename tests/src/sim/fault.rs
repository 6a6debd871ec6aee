//! What may go wrong, and where.

use std::fmt;
use std::str::FromStr;

/// What may happen to a worker at a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fault {
    /// The process ends here. Before an operation it never happened; after it, it did and nobody
    /// knows.
    Kill,
    /// The operation's outcome is unknown: the connection breaks before or after it was applied.
    Unknown,
    /// The process is frozen until well past every lease, then goes on as if nothing had been.
    Freeze,
    /// The process is slow for a while, within its lease.
    Delay,
    /// Whatever rang this worker rings again at once.
    Duplicate,
    /// A copy of the commit arrives late, when others have written.
    LateCopy,
}

impl Fault {
    /// Every fault.
    pub const ALL: [Self; 6] = [
        Self::Kill,
        Self::Unknown,
        Self::Freeze,
        Self::Delay,
        Self::Duplicate,
        Self::LateCopy,
    ];

    /// Whether the fault can fall at a point of this name at all.
    pub fn falls_at(self, name: &str) -> bool {
        match self {
            Self::Unknown => !matches!(name, "timer" | "gate" | "rung"),
            Self::LateCopy => name == "commit",
            Self::Kill | Self::Freeze | Self::Delay | Self::Duplicate => true,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Kill => "kill",
            Self::Unknown => "unknown",
            Self::Freeze => "freeze",
            Self::Delay => "delay",
            Self::Duplicate => "duplicate",
            Self::LateCopy => "late-copy",
        })
    }
}

impl FromStr for Fault {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL
            .into_iter()
            .find(|fault| fault.to_string() == text);
        found.ok_or_else(|| format!("{text:?} is no fault"))
    }
}

/// Where faults fall.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Plan {
    /// Nowhere; the order of things is fixed.
    Calm,
    /// At these points, counted from zero over the whole history; the order of things is fixed.
    At(Vec<(u64, Fault)>),
    /// At random, and the order of things is random too.
    Seed(u64),
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Calm => f.write_str("calm"),
            Self::Seed(seed) => write!(f, "seed={seed}"),
            Self::At(faults) => {
                let faults: Vec<String> = faults
                    .iter()
                    .map(|(point, fault)| format!("{point}:{fault}"))
                    .collect();
                write!(f, "at={}", faults.join(","))
            }
        }
    }
}

impl FromStr for Plan {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "calm" {
            return Ok(Self::Calm);
        }
        if let Some(seed) = text.strip_prefix("seed=") {
            return seed
                .parse()
                .map(Self::Seed)
                .map_err(|error| format!("{seed:?} is no seed: {error}"));
        }
        let faults = text.strip_prefix("at=").ok_or_else(|| {
            format!("{text:?} is no plan; write calm, seed=N or at=POINT:FAULT,…")
        })?;
        let one = |one: &str| {
            let (point, fault) = one
                .split_once(':')
                .ok_or_else(|| format!("{one:?}: write POINT:FAULT"))?;
            let point = point
                .parse()
                .map_err(|_| format!("{point:?} is no point"))?;
            Ok((point, fault.parse()?))
        };
        faults
            .split(',')
            .map(one)
            .collect::<Result<_, String>>()
            .map(Self::At)
    }
}

/// A small random generator; the same seed gives the same numbers for ever.
#[derive(Debug, Clone)]
pub(super) struct Chance(u64);

impl Chance {
    /// A generator.
    pub(super) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number (`SplitMix64`).
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `bound`.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        if bound == 0 { 0 } else { self.next() % bound }
    }

    /// Whether something happens that happens `per_mille` times of a thousand.
    pub(super) fn happens(&mut self, per_mille: u64) -> bool {
        self.below(1_000) < per_mille
    }

    /// A fraction in `0.0..1.0`.
    pub(super) fn fraction(&mut self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "53 bits are exact")]
        let fraction = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        fraction
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_reads_back_from_its_text() {
        for plan in [
            Plan::Calm,
            Plan::Seed(42),
            Plan::At(vec![(3, Fault::Kill), (17, Fault::LateCopy)]),
        ] {
            assert_eq!(plan.to_string().parse::<Plan>().unwrap(), plan);
        }
        assert!("at=3".parse::<Plan>().is_err());
    }
}
