//! What a run may use up: a bound reached is a named outcome, seen before the next model request.
//!
//! Tokens and money are shared by a run and its subagents, so that a tree stays below its bound
//! plus one call (I18). The rest is the run's own.

use super::{RunState, failed};
use crate::commit::Commit;
use crate::ids::CommitId;
use crate::limits::{
    RUN_COST_MICROS_MAX, RUN_ITERATIONS_MAX, RUN_REPEATED_ERRORS_MAX, RUN_STEPS_MAX,
    RUN_TOKENS_MAX, RUN_WALL_MS_MAX,
};
use crate::status::ToolCallStatus;
use crate::transcript::ToolCall;

/// The bounds of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunBounds {
    /// Steps.
    pub steps: u64,
    /// Model requests that were answered.
    pub iterations: u64,
    /// Tokens read and written by the run's tree.
    pub tokens: u64,
    /// Millionths of a US dollar spent by the run's tree.
    pub cost_micros: u64,
    /// Milliseconds since the run arrived or a person last resumed it.
    pub wall_ms: u64,
    /// Identical calls in a row that end identically badly.
    pub repeated_errors: u64,
}

impl Default for RunBounds {
    fn default() -> Self {
        Self {
            steps: RUN_STEPS_MAX,
            iterations: RUN_ITERATIONS_MAX,
            tokens: RUN_TOKENS_MAX,
            cost_micros: RUN_COST_MICROS_MAX,
            wall_ms: RUN_WALL_MS_MAX,
            repeated_errors: RUN_REPEATED_ERRORS_MAX,
        }
    }
}

/// Whether the run may ask the model once more, `elapsed_ms` after it was claimed; else the commit
/// that ends it.
pub fn may_iterate(
    state: &RunState,
    bounds: &RunBounds,
    elapsed_ms: u64,
    commit_id: CommitId,
) -> Result<(), Box<Commit>> {
    match reached(state, bounds, elapsed_ms) {
        None => Ok(()),
        Some((code, message)) => Err(Box::new(failed(state, commit_id, code, message))),
    }
}

fn reached(
    state: &RunState,
    bounds: &RunBounds,
    elapsed_ms: u64,
) -> Option<(&'static str, String)> {
    let spent = state.usage.plus(state.tree_usage);
    let unsaved = state.unsaved.usage.iter().map(|record| record.usage);
    let spent = unsaved.fold(spent, crate::usage::Usage::plus);
    let tokens = spent.input_tokens.saturating_add(spent.output_tokens);
    let wall_ms = state.wall_ms.saturating_add(elapsed_ms);
    if state.iterations() >= bounds.iterations {
        let max = bounds.iterations;
        let why = format!("the model asked for tools {max} times without an answer");
        return Some(("max_iterations", why));
    }
    if tokens >= bounds.tokens {
        let max = bounds.tokens;
        let why = format!("the run used {tokens} tokens; its bound is {max}");
        return Some(("max_tokens", why));
    }
    if spent.cost_micros >= bounds.cost_micros {
        let (cost, max) = (dollars(spent.cost_micros), dollars(bounds.cost_micros));
        return Some((
            "max_cost",
            format!("the run cost {cost} USD; its bound is {max}"),
        ));
    }
    if wall_ms >= bounds.wall_ms {
        let why = format!(
            "the run was under way for {} s; its bound is {} s",
            wall_ms / 1_000,
            bounds.wall_ms / 1_000
        );
        return Some(("max_wall", why));
    }
    let (repeated, name) = repeated_errors(&state.calls);
    if repeated >= bounds.repeated_errors {
        let why = format!(
            "the model called {name} {repeated} times in a row with the same arguments and the \
             same error"
        );
        return Some(("repeated_errors", why));
    }
    None
}

fn dollars(micros: u64) -> String {
    format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000)
}

/// How many of the newest calls are one and the same call that ended in one and the same error.
fn repeated_errors(calls: &[ToolCall]) -> (u64, &str) {
    let bad = |call: &&ToolCall| {
        matches!(
            call.status,
            ToolCallStatus::Failed | ToolCallStatus::Rejected
        )
    };
    let mut newest: Vec<&ToolCall> = calls.iter().collect();
    newest.sort_by_key(|call| std::cmp::Reverse((call.entry_seq, call.ordinal)));
    let Some(last) = newest.first().filter(|call| bad(call)) else {
        return (0, "");
    };
    let same = |call: &&&ToolCall| {
        bad(call)
            && (&call.name, &call.arguments, &call.model_output)
                == (&last.name, &last.arguments, &last.model_output)
    };
    let streak = newest.iter().take_while(same).count();
    (streak as u64, &last.name)
}
