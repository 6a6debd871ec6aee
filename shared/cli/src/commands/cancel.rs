//! `openeve cancel RUN`.

use std::process::ExitCode;

use clap::Args;
use openeve_domain::ids::RunId;
use openeve_domain::pause::OPERATOR;
use openeve_runtime::ports::Cancelled;
use openeve_runtime::resume::{cancel, told_cancelled};

use super::decide::say;
use super::target::Target;

/// Which run.
#[derive(Args)]
#[command(after_help = "\
Example:
  openeve cancel run_… --folder my-agent")]
pub(crate) struct CancelArguments {
    /// The run's id.
    run: RunId,
    #[command(flatten)]
    target: Target,
}

/// Ends a run, or asks its step to. Exits 1 if it had ended.
pub(crate) async fn run(arguments: CancelArguments) -> anyhow::Result<ExitCode> {
    let CancelArguments { run, target } = arguments;
    let reach = target.open().await?;
    let cancelled = cancel(&reach.deps, run, OPERATOR).await?;
    let done = match cancelled {
        Cancelled::Ended { .. } => "cancelled",
        Cancelled::Requested | Cancelled::Already(_) | Cancelled::Unknown => {
            "asked to end; its step does so at the next boundary"
        }
    };
    let told = told_cancelled(cancelled);
    say(&told, run, &target, done);
    reach.say_unheard();
    Ok(if told.is_met() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
