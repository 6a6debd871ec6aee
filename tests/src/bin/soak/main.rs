//! The soak, the protocol's "real stop" (section 9): everything is killed while it works.
//!
//! The five real function binaries run behind a real private Postgres with `fsync` on, a real SQS
//! wire API and a model over HTTP, all on loopback. While messages come in, Postgres is killed or
//! restarted every ten seconds and a function's process every one to three. Afterwards the
//! database, what the tools did and what the receiver got are held against the protocol.
//!
//! Load and faults are a pure function of the seed ([`plan`]); how they interleave with the
//! processes is not, so a seed repeats the attack and not every detail of the battle.
//!
//! It ends with 0 if the protocol held, 1 with the list of violations, 2 if it was called wrongly.
//! Logs and the report stay in `target/soak/<seed>`.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a tool of the tests prints and fails loudly"
)]

mod chance;
mod chaos;
mod checks;
mod clock;
mod figures;
mod load;
mod options;
mod plan;
mod processes;
mod quiet;
mod report;
mod stage;
mod thinking;
mod traces;

use std::process::ExitCode;

use options::Options;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let options = match Options::read(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(why) => {
            println!("soak: {why}\n\n{}", options::USAGE);
            return ExitCode::from(2);
        }
    };
    println!("{}", options.summary());
    tokio::select! {
        report = run(&options) => {
            report.tell(&options);
            ExitCode::from(u8::from(!report.violations.is_empty()))
        }
        _ = tokio::signal::ctrl_c() => {
            println!("stopped by hand; again with --seed {}", options.seed);
            ExitCode::from(130)
        }
    }
}

/// Load and faults side by side, then quiet, then the checks.
async fn run(options: &Options) -> report::Report {
    let plan = plan::Plan::of(options);
    let stage = stage::Stage::start(options).await;
    let start = clock::Start::now();
    let clockwork = stage.clockwork(options.tick_ms);
    let watch = processes::Watch::start(stage.binaries().to_owned());
    println!("everything runs; the load begins");
    let (heard, struck) = tokio::join!(
        load::post_all(&stage, &plan, start),
        chaos::strike_all(&stage, &plan, start)
    );
    let loaded_ms = start.elapsed_ms();
    println!(
        "the load ended after {} s and the faults stopped",
        loaded_ms / 1_000
    );
    let settled = quiet::until_quiet(&stage, options.patience_ms()).await;
    let memory = watch.end();
    drop(clockwork);
    let evidence = checks::Evidence {
        plan: &plan,
        heard: &heard,
        struck: &struck,
        effects: stage.traces.effects(),
        replies: stage.replies.replies(),
        garbled: stage.garbled(),
        logs: stage.logs(),
        memory,
        settled,
        strict_order: options.strict_order,
        loaded_ms,
    };
    let mut report = checks::check(&stage, &evidence).await;
    report.keep_logs(options, &evidence.logs);
    report.data = stage.end(!report.violations.is_empty()).await;
    report
}
