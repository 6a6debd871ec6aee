//! `openeve approve`, `openeve reject` and `openeve answer`.
//!
//! Whoever holds the database decides as the operator. With `--by`, and `--role`, it is that person
//! who decides, judged against the approvers as everywhere.

use std::process::ExitCode;

use clap::Args;
use openeve_domain::ids::{RunId, ToolCallId};
use openeve_domain::pause::Decision;
use openeve_runtime::resume::{Decider, Outcome, Told, Which, resume_approval, resume_input, told};

use super::shown;
use super::target::Target;
use crate::output::{self, Usage};

/// Who decides.
#[derive(Args)]
struct Who {
    /// Which of the call's pauses; the newest by default.
    #[arg(long, value_name = "NUMBER")]
    generation: Option<u32>,
    /// Decide as this person, as the channel names them, instead of as the operator.
    #[arg(long, value_name = "PERSON")]
    by: Option<String>,
    /// A role this person has; may be repeated.
    #[arg(long = "role", value_name = "ROLE", requires = "by")]
    roles: Vec<String>,
}

/// What to approve.
#[derive(Args)]
#[command(after_help = "\
Example:
  openeve approve run_… --folder my-agent
  openeve approve run_… --by ada --agent my-agent")]
pub(crate) struct ApproveArguments {
    /// The run's id.
    run: RunId,
    /// The call's id, if more than one waits.
    call: Option<ToolCallId>,
    #[command(flatten)]
    who: Who,
    #[command(flatten)]
    target: Target,
}

/// What to reject.
#[derive(Args)]
#[command(after_help = "\
Example:
  openeve reject run_… --reason \"too dear\" --folder my-agent")]
pub(crate) struct RejectArguments {
    /// The run's id.
    run: RunId,
    /// The call's id, if more than one waits.
    call: Option<ToolCallId>,
    /// Why, for the model to read.
    #[arg(long, value_name = "TEXT", default_value = "")]
    reason: String,
    #[command(flatten)]
    who: Who,
    #[command(flatten)]
    target: Target,
}

/// What to answer.
#[derive(Args)]
#[command(after_help = "\
Example:
  openeve answer run_… \"the red one\" --folder my-agent")]
pub(crate) struct AnswerArguments {
    /// The run's id.
    run: RunId,
    /// The answer.
    text: String,
    /// The call's id, if more than one question waits.
    #[arg(long)]
    call: Option<ToolCallId>,
    #[command(flatten)]
    who: Who,
    #[command(flatten)]
    target: Target,
}

/// Approves.
pub(crate) async fn approve(arguments: ApproveArguments) -> anyhow::Result<ExitCode> {
    let ApproveArguments {
        run,
        call,
        who,
        target,
    } = arguments;
    decide(run, call, Decision::Approve, who, &target).await
}

/// Rejects.
pub(crate) async fn reject(arguments: RejectArguments) -> anyhow::Result<ExitCode> {
    let RejectArguments {
        run,
        call,
        reason,
        who,
        target,
    } = arguments;
    decide(run, call, Decision::Reject { reason }, who, &target).await
}

/// Answers.
pub(crate) async fn answer(arguments: AnswerArguments) -> anyhow::Result<ExitCode> {
    let AnswerArguments {
        run,
        text,
        call,
        who,
        target,
    } = arguments;
    decide(run, call, Decision::Answer { text }, who, &target).await
}

async fn decide(
    run: RunId,
    call_id: Option<ToolCallId>,
    decision: Decision,
    who: Who,
    target: &Target,
) -> anyhow::Result<ExitCode> {
    let which = Which {
        call_id,
        generation: who.generation,
    };
    let by = match who.by {
        None => Decider::Operator,
        person => Decider::person(person, who.roles)
            .map_err(|why| Usage(why.replace("\"by\"", "--by").replace("\"roles\"", "--role")))?,
    };
    let reach = target.open().await?;
    let outcome = match &decision {
        Decision::Answer { text } => resume_input(&reach.deps, run, which, text, &by).await?,
        Decision::Approve | Decision::Reject { .. } | Decision::Authorize => {
            resume_approval(&reach.deps, run, which, decision.clone(), &by).await?
        }
    };
    let done = match (&outcome, &decision) {
        (Outcome::Already { same: true, .. }, _) => "that had been decided before",
        (Outcome::Taken { resumes: false, .. }, _) => "decided; other calls of the run still wait",
        (_, Decision::Approve) => "approved; the run goes on",
        (_, Decision::Reject { .. }) => "rejected; the run goes on and the model reads why",
        (_, Decision::Answer { .. } | Decision::Authorize) => "answered; the run goes on",
    };
    let told = told(&outcome, &decision);
    say(&told, run, target, done);
    if let (Outcome::Ambiguous { waiting, requester }, false) = (&outcome, target.json) {
        for paused in waiting {
            for line in shown::lines(paused, requester.as_deref()) {
                output::say(&line);
            }
        }
    }
    reach.say_unheard();
    Ok(if told.is_met() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Says what became of a wish: as JSON, or `done`, or why not.
pub(super) fn say(told: &Told, run: RunId, target: &Target, done: &str) {
    if target.json {
        let mut body = told.body.clone();
        if let Some(fields) = body.as_object_mut() {
            fields.insert("run_id".to_owned(), run.to_string().into());
        }
        output::answer(&body.to_string());
    } else if told.is_met() {
        output::answer(&format!("{run}: {done}"));
    } else {
        output::say(&format!("{run}: {}", output::visible(told.why())));
    }
}
