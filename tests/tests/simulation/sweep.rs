//! The crash sweep: each fault at each point of each scenario, nothing sampled.

use openeve_tests::sim::{Fault, Plan, Wanted, scenarios, simulate};

/// Single faults in all, at least: the sweep must not shrink unseen.
const RUNS_MIN: u64 = 2_000;

#[test]
fn every_undisturbed_scenario_completes_and_breaks_nothing() {
    for scenario in scenarios() {
        let report = simulate(&scenario, &Plan::Calm, &Wanted::default());
        assert!(report.violations.is_empty(), "{}: {:?}", scenario.name, report.violations);
    }
}

/// Every n-th scenario, so that two processors share the work.
fn sweep(share: usize, shares: usize) -> u64 {
    let mut runs = 0;
    for scenario in scenarios().into_iter().skip(share).step_by(shares) {
        let points = simulate(&scenario, &Plan::Calm, &Wanted::default()).points;
        for point in 0..points {
            for fault in Fault::ALL {
                let plan = Plan::At(vec![(point, fault)]);
                let report = simulate(&scenario, &plan, &Wanted::default());
                runs += 1;
                assert!(
                    report.violations.is_empty(),
                    "{:?}\nreplay it: cargo run -p openeve-tests --bin simulate -- --scenario {} --plan {plan} --trace",
                    report.violations,
                    scenario.name,
                );
            }
        }
    }
    runs
}

#[test]
fn no_single_fault_at_any_point_breaks_anything_in_the_even_scenarios() {
    let runs = sweep(0, 2);
    assert!(runs >= RUNS_MIN / 2, "{runs} runs");
}

#[test]
fn no_single_fault_at_any_point_breaks_anything_in_the_odd_scenarios() {
    let runs = sweep(1, 2);
    assert!(runs >= RUNS_MIN / 2, "{runs} runs");
}
