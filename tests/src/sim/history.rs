//! One history from its beginning to its verdict.

use openeve_memory::Clauses;

use super::driver::Driver;
use super::fault::Plan;
use super::invariants;
use super::scenario::Scenario;

/// How long a single interruption may keep a run waiting: its lease and some slack, since the tick
/// before the lease's end has told the queue when to ring.
const RESUMED_WITHIN_MS: i64 = 60_000 + 15_000;

/// What a history came to.
#[derive(Debug, Clone)]
pub struct Report {
    /// What was broken; empty if nothing was.
    pub violations: Vec<String>,
    /// Points passed.
    pub points: u64,
    /// Their names, if asked for.
    pub names: Vec<&'static str>,
    /// Faults that fell.
    pub faults: u64,
    /// Virtual milliseconds from each interruption to the claim that resumed it.
    pub resumed_after: Vec<i64>,
    /// What happened, if asked for.
    pub trace: Vec<String>,
}

/// What is wanted of a simulation beside its verdict.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// The names of the points.
    pub names: bool,
    /// What happened.
    pub trace: bool,
    /// The store's safety clauses.
    pub clauses: Clauses,
}

/// Plays one history and checks it.
pub fn simulate(scenario: &Scenario, plan: &Plan, wanted: &Wanted) -> Report {
    let mut driver = Driver::new(scenario, plan, wanted);
    let came_to_rest = driver.play();
    let snapshot = driver.memory.snapshot();
    let mut core = driver.core.lock().unwrap();
    if !came_to_rest {
        let open: Vec<String> = invariants::open(&snapshot);
        core.violated(format!("I4/I17: it does not come to rest: {open:?}"));
    }
    if matches!(plan, Plan::At(faults) if faults.len() == 1)
        && let Some(late) = core
            .resumed_after
            .iter()
            .find(|ms| **ms > RESUMED_WITHIN_MS)
    {
        let late = *late;
        core.violated(format!(
            "I17: an interrupted run was resumed after {late} ms"
        ));
    }
    for violation in invariants::check(scenario, &snapshot, &core, &driver.answered) {
        core.violated(violation);
    }
    Report {
        violations: std::mem::take(&mut core.violations),
        points: core.points,
        names: core.names.take().unwrap_or_default(),
        faults: core.faults,
        resumed_after: std::mem::take(&mut core.resumed_after),
        trace: core.trace.take().unwrap_or_default(),
    }
}
