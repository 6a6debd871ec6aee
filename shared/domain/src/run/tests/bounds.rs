//! Each bound is a named outcome.

use super::*;
use crate::run::bounds::{RunBounds, may_iterate};

fn code(state: &RunState, bounds: RunBounds, elapsed_ms: u64) -> Option<String> {
    let refused = may_iterate(state, &bounds, elapsed_ms, COMMIT).err()?;
    assert_eq!(refused.status, RunStatus::Failed);
    Some(refused.failure?.code)
}

#[test]
fn every_bound_has_its_name() {
    let bounds = RunBounds::default();
    let mut state = begun(&["look"]);
    state.usage.cost_micros = 70;
    let tight = |change: fn(&mut RunBounds)| {
        let mut tight = bounds;
        change(&mut tight);
        code(&state, tight, 1_000)
    };
    assert_eq!(tight(|_| ()), None);
    let named = [
        ("max_iterations", tight(|bounds| bounds.iterations = 1)),
        ("max_tokens", tight(|bounds| bounds.tokens = 6)),
        ("max_cost", tight(|bounds| bounds.cost_micros = 70)),
        ("max_wall", tight(|bounds| bounds.wall_ms = 1_000)),
    ];
    for (name, code) in named {
        assert_eq!(code.as_deref(), Some(name));
    }
}

#[test]
fn a_tree_of_runs_shares_its_tokens_and_its_money() {
    let mut state = claimed();
    state.tree_usage.cost_micros = 10;
    let bounds = RunBounds {
        cost_micros: 10,
        ..RunBounds::default()
    };
    assert_eq!(code(&state, bounds, 0).as_deref(), Some("max_cost"));
}

#[test]
fn what_failed_requests_cost_counts_before_it_is_saved() {
    let mut state = claimed();
    let usage = Usage {
        input_tokens: 9,
        ..Usage::default()
    };
    state.unsaved.usage.push(UsageRecord {
        model: "p/m".into(),
        usage,
    });
    let bounds = RunBounds {
        tokens: 9,
        ..RunBounds::default()
    };
    assert_eq!(code(&state, bounds, 0).as_deref(), Some("max_tokens"));
}

#[test]
fn only_the_same_call_with_the_same_error_in_a_row_is_a_repetition() {
    let mut state = claimed();
    let bounds = RunBounds {
        repeated_errors: 3,
        ..RunBounds::default()
    };
    for (round, error) in ["late", "no", "no", "no"].into_iter().enumerate() {
        assert_eq!(code(&state, bounds, 0), None, "round {round}");
        let mut batch = batch(&["look"]);
        batch.calls[0].id = ToolCallId::new(Uuid::from_u128(100 + round as u128));
        batch.calls[0].request.arguments = "{}".into();
        let id = batch.calls[0].id;
        let commit = begin_batch(&state, batch, COMMIT);
        state.apply(&commit);
        let outcome = Outcome {
            id,
            result: Err(error.into()),
            emitted: Vec::new(),
        };
        settle_calls(&mut state, vec![outcome], COMMIT);
    }
    assert_eq!(code(&state, bounds, 0).as_deref(), Some("repeated_errors"));
}
