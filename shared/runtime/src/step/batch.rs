//! The tools of a batch: run side by side or one after another, each settled as it finishes.

use futures_util::FutureExt as _;
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use openeve_domain::core_tools;
use openeve_domain::ids::{ConversationId, RunId, ToolCallId};
use openeve_domain::limits::{PARALLEL_TOOLS_MAX, TOOL_WALL_MS};
use openeve_domain::manifest::ToolSpec;
use openeve_domain::run::settle_calls::{Outcome, Returned, Settled, settle_calls};
use openeve_domain::transcript::ToolCall;
use serde_json::Value;

use super::hold::{Hold, Stop};
use super::{StepDeps, plan};
use crate::ports::Invocation;

/// Runs what has started, until nothing of the batch runs any longer. In a sequential batch the
/// commit of one outcome starts the next call, and the caller asks the time budget between them.
/// `true` if the run waits for people now.
pub(super) async fn run(hold: &mut Hold<'_>) -> Result<bool, Stop> {
    let mut waiting: Vec<ToolCall> = hold.state.started().into_iter().cloned().collect();
    if waiting.is_empty() {
        // A step ended between two calls, or people have decided: move the batch on.
        return settle(hold, Vec::new()).await;
    }
    waiting.reverse();
    let deps = hold.deps;
    let of = (
        hold.state.run_id,
        hold.state.conversation_id,
        hold.channel_approvers(),
    );
    let mut running = FuturesUnordered::new();
    let mut first = true;
    loop {
        // A call that could not finish in time stays as it is, for the next step.
        while running.len() < PARALLEL_TOOLS_MAX
            && (first || hold.has_time())
            && let Some(call) = waiting.pop()
        {
            let timeout_ms = hold.work_ms(TOOL_WALL_MS);
            let answers = hold.state.answers(call.id);
            running.push(Box::pin(one(deps, of, call, answers, timeout_ms)));
        }
        first = false;
        let Some(one) = hold.beating(running.next()).await? else {
            return Ok(false);
        };
        // Whatever else has finished by now shares the commit.
        let mut outcomes = vec![one];
        while let Some(Some(more)) = running.next().now_or_never() {
            outcomes.push(more);
        }
        if settle(hold, outcomes).await? {
            return Ok(true);
        }
    }
}

async fn settle(hold: &mut Hold<'_>, outcomes: Vec<Outcome>) -> Result<bool, Stop> {
    let commit_id = openeve_domain::ids::CommitId::new(hold.deps.ids.uuid());
    match settle_calls(&mut hold.state, outcomes, commit_id) {
        Settled::Unsaved => {
            hold.show_unsaved();
            Ok(false)
        }
        Settled::Commit(commit) => {
            let waits = commit.status.is_waiting();
            hold.commit(*commit).await?;
            Ok(waits)
        }
    }
}

/// One call to its outcome: what cannot run at all is an error result the model can act on.
async fn one(
    deps: &StepDeps,
    (run_id, conversation_id, approvers): (RunId, ConversationId, &[String]),
    call: ToolCall,
    answers: Vec<String>,
    timeout_ms: u64,
) -> Outcome {
    let refused = |id: ToolCallId, message: String| Outcome {
        id,
        result: Err(message),
        emitted: Vec::new(),
    };
    let (tool, input) = match understood(deps, &call.name, &call.arguments) {
        Ok(understood) => understood,
        Err(why) => return refused(call.id, why),
    };
    let timeout_ms = tool
        .timeout_ms
        .map_or(timeout_ms, |own| own.min(timeout_ms));
    let invocation = Invocation {
        run_id,
        conversation_id,
        call_id: call.id,
        tool,
        input,
        timeout_ms,
        answers,
    };
    let mut outcome = deps.tools.run(invocation).await;
    if let Ok(Returned::Pause(request)) = &mut outcome.result {
        plan::address(&mut request.approvers, approvers);
    }
    outcome
}

/// The tool a call names, and its arguments if they fit.
pub(super) fn understood<'a>(
    deps: &'a StepDeps,
    name: &str,
    arguments: &str,
) -> Result<(&'a ToolSpec, Value), String> {
    let Some(tool) = core_tools::find(&deps.manifest, name) else {
        let own = deps.manifest.tools.iter().chain(core_tools::all());
        let names: Vec<&str> = own.map(|tool| tool.name.as_str()).collect();
        return Err(format!(
            "there is no tool {name:?}; the tools are: {}",
            names.join(", ")
        ));
    };
    let input = deps.arguments.read(tool, arguments)?;
    Ok((tool, input))
}
