//! The tools of a batch: run side by side or one after another, each settled as it finishes.

use futures_util::FutureExt as _;
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use openeve_domain::ids::{ConversationId, RunId, ToolCallId};
use openeve_domain::limits::{PARALLEL_TOOLS_MAX, TOOL_WALL_MS};
use openeve_domain::run::settle_calls::{Outcome, Settled, settle_calls};
use openeve_domain::transcript::ToolCall;
use serde_json::Value;

use super::StepDeps;
use super::hold::{Hold, Stop};
use crate::ports::Invocation;

/// Runs what has started, until nothing of the batch runs any longer. In a sequential batch the
/// commit of one outcome starts the next call, and the caller asks the time budget between them.
pub(super) async fn run(hold: &mut Hold<'_>) -> Result<(), Stop> {
    let mut waiting: Vec<ToolCall> = hold.state.started().into_iter().cloned().collect();
    if waiting.is_empty() {
        // A step ended between two calls of a sequential batch: start the next one.
        return settle(hold, Vec::new()).await;
    }
    waiting.reverse();
    let deps = hold.deps;
    let ids = (hold.state.run_id, hold.state.conversation_id);
    let mut running = FuturesUnordered::new();
    let mut first = true;
    loop {
        // A call that could not finish in time stays as it is, for the next step.
        while running.len() < PARALLEL_TOOLS_MAX
            && (first || hold.has_time())
            && let Some(call) = waiting.pop()
        {
            let timeout_ms = hold.work_ms(TOOL_WALL_MS);
            running.push(Box::pin(one(deps, ids, call, timeout_ms)));
        }
        first = false;
        let Some(one) = hold.beating(running.next()).await? else {
            return Ok(());
        };
        // Whatever else has finished by now shares the commit.
        let mut outcomes = vec![one];
        while let Some(Some(more)) = running.next().now_or_never() {
            outcomes.push(more);
        }
        settle(hold, outcomes).await?;
    }
}

async fn settle(hold: &mut Hold<'_>, outcomes: Vec<Outcome>) -> Result<(), Stop> {
    let commit_id = openeve_domain::ids::CommitId::new(hold.deps.ids.uuid());
    match settle_calls(&mut hold.state, outcomes, commit_id) {
        Settled::Unsaved => {
            hold.show_unsaved();
            Ok(())
        }
        Settled::Commit(commit) => hold.commit(*commit).await,
    }
}

/// One call to its outcome: what cannot run at all is an error result the model can act on.
async fn one(
    deps: &StepDeps,
    (run_id, conversation_id): (RunId, ConversationId),
    call: ToolCall,
    timeout_ms: u64,
) -> Outcome {
    let refused = |id: ToolCallId, message: String| Outcome {
        id,
        result: Err(message),
        emitted: Vec::new(),
    };
    let Some(tool) = deps.manifest.tool(&call.name) else {
        let names: Vec<&str> = deps
            .manifest
            .tools
            .iter()
            .map(|tool| tool.name.as_str())
            .collect();
        return refused(
            call.id,
            format!(
                "there is no tool {:?}; the tools are: {}",
                call.name,
                names.join(", ")
            ),
        );
    };
    let input = match arguments(&call.arguments) {
        Ok(input) => input,
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
        answers: Vec::new(),
    };
    deps.tools.run(invocation).await
}

/// Reads arguments: blank is an empty object; anything but an object never runs a tool.
fn arguments(text: &str) -> Result<Value, String> {
    if text.trim().is_empty() {
        return Ok(Value::Object(serde_json::Map::new()));
    }
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(object)) => Ok(Value::Object(object)),
        Ok(_) => {
            Err("the arguments are not a JSON object; call the tool again with one".to_owned())
        }
        Err(error) => Err(format!(
            "the arguments are not valid JSON ({error}); call the tool again with a complete JSON object"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_arguments_are_an_empty_object() {
        for blank in ["", "  ", "{}"] {
            assert_eq!(arguments(blank), Ok(serde_json::json!({})));
        }
    }

    #[test]
    fn truncated_arguments_never_run_a_tool() {
        let error = arguments(r#"{"path":"/tmp/x", "recur"#).unwrap_err();
        assert!(error.contains("not valid JSON"), "{error}");
        assert!(arguments("[1]").unwrap_err().contains("not a JSON object"));
    }
}
