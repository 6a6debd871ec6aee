//! `openeve pauses RUN`.

use std::process::ExitCode;

use clap::Args;
use openeve_domain::ids::RunId;
use openeve_domain::pause::PauseStatus;
use openeve_runtime::ports::Store as _;
use openeve_runtime::resume::{Outcome, pauses_json, told};

use super::shown;
use super::target::Target;
use crate::output;

/// Which run.
#[derive(Args)]
#[command(after_help = "\
Example:
  openeve pauses run_… --folder my-agent")]
pub(crate) struct PausesArguments {
    /// The run's id.
    run: RunId,
    #[command(flatten)]
    target: Target,
}

/// Shows every pause and how to decide those that wait. Exits 1 if none does.
pub(crate) async fn run(arguments: PausesArguments) -> anyhow::Result<ExitCode> {
    let PausesArguments { run, target } = arguments;
    let reach = target.open().await?;
    let Some(pauses) = reach.store.pauses(&reach.deps.agent_id, run).await? else {
        let unknown = told(&Outcome::Unknown, &openeve_domain::pause::Decision::Approve);
        super::decide::say(&unknown, run, &target, "");
        return Ok(ExitCode::FAILURE);
    };
    if target.json {
        output::answer(&pauses_json(run, &pauses).to_string());
    } else {
        output::answer(&format!("{run} is {}", pauses.status.as_str()));
    }
    let mut waits = false;
    for paused in &pauses.pauses {
        let pending = paused.pause.status == PauseStatus::Pending;
        waits |= pending;
        if target.json {
            continue;
        }
        for line in shown::lines(paused, pauses.requester.as_deref()) {
            output::answer(&line);
        }
        if pending {
            for command in shown::commands(run, paused, &target.again()) {
                output::answer(&format!("  {:<10} {command}", "decide"));
            }
        }
    }
    Ok(if waits {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
