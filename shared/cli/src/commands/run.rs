//! `openeve run FOLDER --message TEXT`, or `--tool NAME --input JSON`: once, on this machine.
//!
//! A message goes the way any other does, through the agent's first channel, with the private
//! database of `openeve dev` or the one that `DATABASE_URL` names. A tool runs alone in the engine:
//! no model, no database, no approval is asked for, and nothing of it is recorded.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{ArgGroup, Args};
use openeve_domain::status::RunStatus;
use openeve_runtime::ingress::run_json;
use openeve_runtime::ports::{Pauses, RunView};

use super::shown;
use crate::dev::{self, Ran};
use crate::output;

mod tool;

/// What to run.
#[derive(Args)]
#[command(
    group = ArgGroup::new("what").required(true).args(["message", "tool"]),
    after_help = "\
Exits 0 if the run completed or the tool returned, 1 if not, 130 after Ctrl-C.

Example:
  openeve run my-agent --message \"How many days is it until 2030-01-01?\"
  openeve run my-agent --tool days_until --input '{\"date\": \"2030-01-01\"}'"
)]
pub(crate) struct RunArguments {
    /// The agent folder.
    folder: PathBuf,
    /// What to say to the agent.
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
    /// Run this tool of the folder instead, without a model.
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
    /// The tool's input.
    #[arg(
        long,
        value_name = "JSON",
        default_value = "{}",
        conflicts_with = "message"
    )]
    input: String,
    /// An answer to the tool's first question, the next one to its second; may be repeated.
    #[arg(long = "answer", value_name = "TEXT", conflicts_with = "message")]
    answers: Vec<String>,
    /// Print JSON, for scripts.
    #[arg(long)]
    json: bool,
}

/// Runs a message or a tool.
pub(crate) async fn run(arguments: RunArguments) -> anyhow::Result<ExitCode> {
    let Some(message) = &arguments.message else {
        return tool::run(arguments).await;
    };
    match dev::one(&arguments.folder, message).await? {
        Ran::Unbuilt => Ok(ExitCode::FAILURE),
        Ran::Stopped => Ok(output::stopped()),
        Ran::Run(view, pauses) => {
            tell(&arguments, &view, pauses.as_ref());
            Ok(if view.status == RunStatus::Completed {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            })
        }
    }
}

fn tell(arguments: &RunArguments, view: &RunView, pauses: Option<&Pauses>) {
    if arguments.json {
        output::json(&run_json(view, pauses));
        return;
    }
    if let Some(reply) = &view.reply {
        output::answer(reply);
    }
    if let Some(failure) = &view.failure {
        output::say(&format!(
            "{} failed: {}: {}",
            view.run_id,
            failure.code,
            output::visible(&failure.message)
        ));
    }
    if view.status.is_waiting() {
        output::say(&format!(
            "{} is {}; `openeve dev` with this folder goes on with it once it is decided",
            view.run_id,
            view.status.as_str()
        ));
        for paused in pauses.iter().flat_map(|pauses| &pauses.pauses) {
            let requester = pauses.and_then(|pauses| pauses.requester.as_deref());
            for line in shown::lines(paused, requester) {
                output::say(&line);
            }
        }
    }
}
