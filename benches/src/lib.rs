//! What the benchmarks share: clocks, medians, and the machine's description.
//!
//! `turn` measures what a turn costs the database and this process; `footprint` what a function
//! costs Lambda; `load` what much of one thing costs. Machines are noisy: quote medians and ratios. Counts are exact, and tests assert
//! them as budgets.

#![expect(clippy::expect_used, reason = "a benchmark fails loudly")]

use std::path::PathBuf;
use std::time::Duration;

use openeve_tests::paths::repository;
use rustix::time::{ClockId, clock_gettime};

/// Processor time of this process so far.
pub fn cpu() -> Duration {
    of(ClockId::ProcessCPUTime)
}

/// Monotonic time.
pub fn wall() -> Duration {
    of(ClockId::Monotonic)
}

fn of(clock: ClockId) -> Duration {
    let time = clock_gettime(clock);
    let seconds = u64::try_from(time.tv_sec).expect("time moves forward");
    Duration::new(
        seconds,
        u32::try_from(time.tv_nsec).expect("nanoseconds fit"),
    )
}

/// The median of some values; zero of none.
pub fn median<T: Copy + PartialOrd + Default>(values: &[T]) -> T {
    let mut values = values.to_vec();
    values.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
    values.get(values.len() / 2).copied().unwrap_or_default()
}

/// A function as it is shipped, where `openeve build --target lambda --arch x86_64` compiled it.
pub fn released(name: &str) -> PathBuf {
    repository()
        .join("target/lambda-functions/x86_64")
        .join(name)
        .join("bootstrap")
}

/// Processor, cores and kernel, in one line.
pub fn machine() -> String {
    let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpuinfo
        .lines()
        .find_map(|line| line.strip_prefix("model name"))
        .unwrap_or("unknown processor");
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    format!(
        "{}, {cores} cores, Linux {}",
        model.trim_start_matches([' ', '\t', ':']),
        kernel.trim()
    )
}
