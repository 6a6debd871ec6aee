//! The simulation on demand: seeds by the million, all pairs of faults, one history replayed.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a tool of the tests that reports to a terminal and fails loudly"
)]

use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use openeve_tests::sim::{Fault, Plan, Scenario, Wanted, scenarios, simulate};

const HELP: &str = "\
simulate [--scenario NAME]… COMMAND

  --seeds N [--from N]   plays N seeded histories over the scenarios in turn
  --pairs                plays every pair of faults at every pair of points
  --singles              plays every fault at every point
  --plan PLAN [--trace]  plays one history: calm, seed=N or at=POINT:FAULT,…
  --list                 names the scenarios, their points and their faults
";

struct Options {
    scenarios: Vec<Scenario>,
    command: Command,
    trace: bool,
    from: u64,
}

enum Command {
    Seeds(u64),
    Pairs,
    Singles,
    One(Plan),
    List,
}

fn main() -> ExitCode {
    let options = match options() {
        Ok(options) => options,
        Err(why) => {
            eprintln!("{why}\n\n{HELP}");
            return ExitCode::from(2);
        }
    };
    let begun = begin();
    let (runs, broken) = match &options.command {
        Command::List => {
            for scenario in &options.scenarios {
                let report = simulate(scenario, &Plan::Calm, &Wanted::default());
                println!("{:<26} {:>4} points", scenario.name, report.points);
            }
            return ExitCode::SUCCESS;
        }
        Command::One(plan) => one(&options, plan),
        Command::Seeds(count) => {
            let (from, scenarios) = (options.from, &options.scenarios);
            let histories = (from..from + count).map(|seed| {
                let which = usize::try_from(seed).unwrap() % scenarios.len();
                (which, Plan::Seed(seed))
            });
            all(scenarios, histories)
        }
        Command::Singles => all(&options.scenarios, singles(&options.scenarios).into_iter()),
        Command::Pairs => {
            let scenarios = &options.scenarios;
            let mut totals = (0, 0);
            for which in 0..scenarios.len() {
                let (runs, broken) = all(scenarios, pairs(scenarios, which));
                println!(
                    "{:<26} {runs:>9} histories, {broken} broken",
                    scenarios[which].name
                );
                totals = (totals.0 + runs, totals.1 + broken);
            }
            totals
        }
    };
    let seconds = begun.elapsed().as_secs_f64();
    println!("{runs} histories in {seconds:.1} s, {broken} broken");
    if broken == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a terminal wants to know how long it took"
)]
fn begin() -> Instant {
    Instant::now()
}

fn singles(scenarios: &[Scenario]) -> Vec<(usize, Plan)> {
    let mut plans = Vec::new();
    for (which, scenario) in scenarios.iter().enumerate() {
        for (point, name) in (0..).zip(names(scenario, &Plan::Calm)) {
            let faults = Fault::ALL.into_iter().filter(|fault| fault.falls_at(name));
            plans.extend(faults.map(|fault| (which, Plan::At(vec![(point, fault)]))));
        }
    }
    plans
}

/// Every pair: the second fault may fall at any point that the history with the first one passes.
fn pairs(scenarios: &[Scenario], which: usize) -> impl Iterator<Item = (usize, Plan)> + Send {
    let scenario = scenarios[which].clone();
    let firsts = falling(&scenario, &Plan::Calm, 0);
    firsts.into_iter().flat_map(move |first| {
        let seconds = falling(&scenario, &Plan::At(vec![first]), first.0 + 1);
        seconds
            .into_iter()
            .map(move |second| (which, Plan::At(vec![first, second])))
    })
}

/// Every fault that can fall at a point of this history, from a point on.
fn falling(scenario: &Scenario, plan: &Plan, from: u64) -> Vec<(u64, Fault)> {
    let points = (0_u64..)
        .zip(names(scenario, plan))
        .filter(|(point, _)| *point >= from);
    points
        .flat_map(|(point, name)| {
            let faults = Fault::ALL
                .into_iter()
                .filter(move |fault| fault.falls_at(name));
            faults.map(move |fault| (point, fault))
        })
        .collect()
}

fn names(scenario: &Scenario, plan: &Plan) -> Vec<&'static str> {
    let wanted = Wanted {
        names: true,
        ..Wanted::default()
    };
    simulate(scenario, plan, &wanted).names
}

/// Plays histories on every processor; how many, and how many were broken.
fn all(scenarios: &[Scenario], plans: impl Iterator<Item = (usize, Plan)> + Send) -> (u64, u64) {
    let plans = std::sync::Mutex::new(plans);
    let (runs, broken) = (AtomicU64::new(0), AtomicU64::new(0));
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..processors {
            scope.spawn(|| {
                loop {
                    let next = plans.lock().unwrap().next();
                    let Some((which, plan)) = next else { return };
                    let scenario = &scenarios[which];
                    let report = simulate(scenario, &plan, &Wanted::default());
                    let count = runs.fetch_add(1, Ordering::Relaxed) + 1;
                    if count % 100_000 == 0 {
                        println!("{count} histories");
                    }
                    if !report.violations.is_empty() && broken.fetch_add(1, Ordering::Relaxed) < 20
                    {
                        println!(
                            "--scenario {} --plan {plan}: {:?}",
                            scenario.name, report.violations
                        );
                    }
                }
            });
        }
    });
    (runs.into_inner(), broken.into_inner())
}

fn one(options: &Options, plan: &Plan) -> (u64, u64) {
    let wanted = Wanted {
        trace: options.trace,
        names: true,
        ..Wanted::default()
    };
    let mut broken = 0;
    for scenario in &options.scenarios {
        let report = simulate(scenario, plan, &wanted);
        for line in &report.trace {
            println!("{line}");
        }
        println!(
            "{}: {} points, {} faults, resumed after {:?} ms, violations {:?}",
            scenario.name, report.points, report.faults, report.resumed_after, report.violations
        );
        broken += u64::from(!report.violations.is_empty());
    }
    (options.scenarios.len() as u64, broken)
}

fn options() -> Result<Options, String> {
    let mut options = Options {
        scenarios: Vec::new(),
        command: Command::List,
        trace: false,
        from: 0,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} wants a value"));
        match argument.as_str() {
            "--scenario" => {
                let name = value()?;
                let found = scenarios().into_iter().find(|one| one.name == name);
                options
                    .scenarios
                    .push(found.ok_or(format!("there is no scenario {name}"))?);
            }
            "--seeds" => options.command = Command::Seeds(number(&value()?)?),
            "--from" => options.from = number(&value()?)?,
            "--pairs" => options.command = Command::Pairs,
            "--singles" => options.command = Command::Singles,
            "--plan" => options.command = Command::One(value()?.parse()?),
            "--trace" => options.trace = true,
            "--list" => options.command = Command::List,
            _ => return Err(format!("unknown argument {argument}")),
        }
    }
    if options.scenarios.is_empty() {
        options.scenarios = scenarios();
    }
    Ok(options)
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("{text:?} is no number"))
}
