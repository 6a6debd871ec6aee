//! One iteration: ask the engine, commit what it decided.

use openeve_domain::commit::UsageRecord;
use openeve_domain::continuation::Continuation;
use openeve_domain::event::{self, Event};
use openeve_domain::run::begin_batch::{Batch, begin_batch};
use openeve_domain::run::finish::{Answer, finish};
use openeve_domain::run::model_failed::{ModelFailure, Reaction, model_failed};
use openeve_domain::status::RunStatus;
use openeve_domain::transcript::assemble;
use openeve_domain::usage::Usage;
use serde_json::{Value, json};

use super::hold::{Hold, Stop};
use super::{Stepped, plan, ring};
use crate::ports::{Advance, AdvanceInput, Advanced};

/// Asks once, again after short waits; `Some` if the step is over.
pub(super) async fn once(hold: &mut Hold<'_>) -> Result<Option<Stepped>, Stop> {
    let Advanced { advance, usage } = ask(hold).await?;
    let usage = usage.map(|usage| record(hold, usage));
    match advance {
        Advance::Message {
            text,
            extra,
            continuation,
        } => {
            let checkpoint = checkpoint(hold, continuation);
            let answer = Answer {
                text,
                extra,
                checkpoint,
                usage,
            };
            let commit = finish(&hold.state, answer, hold.obligation(), hold.commit_id());
            hold.commit(commit).await?;
            Ok(Some(Stepped::Ended))
        }
        Advance::ToolBatch {
            text,
            extra,
            calls,
            continuation,
        } => {
            let calls = plan::all(hold, calls).await?;
            let checkpoint = checkpoint(hold, continuation);
            let batch = Batch {
                text,
                extra,
                calls,
                checkpoint,
                usage,
            };
            let commit = begin_batch(&hold.state, batch, hold.commit_id());
            let waits = commit.status.is_waiting();
            hold.commit(commit).await?;
            Ok(waits.then_some(Stepped::Waiting))
        }
        Advance::Failed(failure) => failed(hold, failure, usage).await,
    }
}

async fn ask(hold: &mut Hold<'_>) -> Result<Advanced, Stop> {
    let body = usable_continuation(hold);
    let messages = assemble(&hold.state.history, &hold.state.entries, &hold.state.calls);
    let input = AdvanceInput {
        run_id: hold.state.run_id,
        manifest: &hold.deps.manifest,
        continuation: body.as_ref(),
        messages: &messages,
        budget_ms: hold.work_ms(hold.deps.settings.model_timeout_ms),
        observer: hold.deps.observer.as_ref(),
    };
    hold.beating(hold.deps.engine.advance(input)).await
}

/// The continuation, unless recovery left it aside or this engine cannot read it; then the engine
/// begins from the transcript, visibly.
fn usable_continuation(hold: &mut Hold<'_>) -> Option<Value> {
    if hold.degraded {
        return None;
    }
    let engine = &hold.deps.engine;
    match hold
        .state
        .checkpoint
        .as_ref()?
        .body_for(engine.name(), engine.version())
    {
        Ok(body) => Some(body.clone()),
        Err(error) => {
            hold.degraded = true;
            let reason = json!({"reason": error.to_string()});
            hold.state
                .unsaved
                .events
                .push(Event::new(event::RESUME_DEGRADED, reason));
            None
        }
    }
}

fn checkpoint(hold: &mut Hold<'_>, body: Value) -> Continuation {
    hold.degraded = false;
    Continuation {
        v: Continuation::VERSION,
        engine: hold.deps.engine.name().to_owned(),
        engine_version: hold.deps.engine.version(),
        seq: hold.state.checkpoint.as_ref().map_or(1, |at| at.seq + 1),
        agent_revision: hold.deps.manifest.revision.clone(),
        surface: hold.deps.manifest.surface_hash(),
        body,
    }
}

fn record(hold: &Hold<'_>, usage: Usage) -> UsageRecord {
    UsageRecord {
        model: hold.deps.manifest.agent.model.clone(),
        usage,
    }
}

async fn failed(
    hold: &mut Hold<'_>,
    failure: ModelFailure,
    usage: Option<UsageRecord>,
) -> Result<Option<Stepped>, Stop> {
    let failures = hold.state.model_failures + 1;
    tracing::warn!(run.id = %hold.state.run_id, error.code = %failure.code, error = %failure.message, failures, "a model request failed");
    let retrying = Event::new(
        event::MODEL_RETRYING,
        json!({"code": failure.code, "failures": failures}),
    );
    let jitter = hold.deps.ids.fraction();
    match model_failed(&hold.state, failure, failures, jitter, hold.commit_id()) {
        Reaction::AskAgain { wait_ms } => {
            hold.state.model_failures = failures;
            hold.state.unsaved.usage.extend(usage);
            hold.state.unsaved.events.push(retrying);
            hold.show_unsaved();
            hold.beating(hold.deps.clock.wait_ms(wait_ms)).await?;
            Ok(None)
        }
        Reaction::Commit(mut commit) => {
            commit.usage.extend(usage);
            let parked = commit.status == RunStatus::Running;
            let wait_ms = match commit.lease {
                openeve_domain::commit::Lease::Release { not_before_ms } => not_before_ms,
                openeve_domain::commit::Lease::Extend => 0,
            };
            hold.commit(*commit).await?;
            if !parked {
                return Ok(Some(Stepped::Ended));
            }
            ring(hold.deps, hold.own_bell(), wait_ms).await;
            Ok(Some(Stepped::Parked))
        }
    }
}
