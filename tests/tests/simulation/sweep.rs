//! The crash sweep: each fault at each point of each scenario, nothing sampled.

use openeve_tests::sim::{Fault, Plan, Wanted, scenarios, simulate};

/// Single faults in all, at least: the sweep must not shrink unseen.
const RUNS_MIN: u64 = 2_000;

#[test]
fn every_undisturbed_scenario_completes_and_breaks_nothing() {
    for scenario in scenarios() {
        let report = simulate(&scenario, &Plan::Calm, &Wanted::default());
        assert!(
            report.violations.is_empty(),
            "{}: {:?}",
            scenario.name,
            report.violations
        );
    }
}

/// Every other point, so that two processors share the work.
fn sweep(first: usize) -> u64 {
    let mut runs = 0;
    for scenario in scenarios() {
        let wanted = Wanted {
            names: true,
            ..Wanted::default()
        };
        let names = simulate(&scenario, &Plan::Calm, &wanted).names;
        for (point, name) in (0..).zip(names).skip(first).step_by(2) {
            for fault in Fault::ALL.into_iter().filter(|fault| fault.falls_at(name)) {
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
fn no_single_fault_at_any_even_point_of_any_scenario_breaks_anything() {
    let runs = sweep(0);
    assert!(runs >= RUNS_MIN / 2, "{runs} runs");
}

#[test]
fn no_single_fault_at_any_odd_point_of_any_scenario_breaks_anything() {
    let runs = sweep(1);
    assert!(runs >= RUNS_MIN / 2, "{runs} runs");
}
