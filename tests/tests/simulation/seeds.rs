//! Seeded histories: faults and order at random, the same for the same seed.

use openeve_tests::sim::{Plan, Wanted, scenarios, simulate};

/// Seeds of each half; every scenario takes its turn.
const SEEDS: u64 = 1_000;

fn seeds(from: u64) {
    let scenarios = scenarios();
    let mut faults = 0;
    for seed in from..from + SEEDS {
        let which = usize::try_from(seed).unwrap() % scenarios.len();
        let scenario = &scenarios[which];
        let plan = Plan::Seed(seed);
        let report = simulate(scenario, &plan, &Wanted::default());
        faults += report.faults;
        assert!(
            report.violations.is_empty(),
            "{:?}\nreplay it: cargo run -p openeve-tests --bin simulate -- --scenario {} --plan {plan} --trace",
            report.violations,
            scenario.name,
        );
    }
    assert!(faults > SEEDS, "{faults} faults are too few");
}

#[test]
fn the_first_thousand_seeds_break_nothing() {
    seeds(0);
}

#[test]
fn the_second_thousand_seeds_break_nothing() {
    seeds(SEEDS);
}

#[test]
fn the_same_seed_gives_the_same_history() {
    let wanted = Wanted {
        trace: true,
        ..Wanted::default()
    };
    for (at, scenario) in scenarios().iter().enumerate() {
        let plan = Plan::Seed(at as u64);
        let [one, two] = [0, 1].map(|_| simulate(scenario, &plan, &wanted).trace);
        assert_eq!(one, two, "{}", scenario.name);
    }
}
