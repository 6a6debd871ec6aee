//! The step: claim a run, run iterations while time lasts, commit each, hand the run on.
//!
//! What the lease guarantees: nobody else works on the run while heartbeats arrive. What it does
//! not: that we are still the holder after a freeze. Correctness rests on the epoch that every
//! commit carries; a commit that is refused as superseded ends the step quietly.
//!
//! The loop has two kinds of work: the tools of an unsettled batch (`batch`), and one iteration
//! of the engine (`iterate`). Before each it asks the time budget, so that a release always fits.

mod batch;
mod hold;
mod iterate;
mod plan;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use openeve_domain::bell::Bell;
use openeve_domain::budget::Spent;
use openeve_domain::commit::Failure;
use openeve_domain::event::{self, Event};
use openeve_domain::ids::{CommitId, DeliveryId, LeaseToken, RunId};
use openeve_domain::limits::{BLOCKED_WAIT_MS, LEASE_SLACK_MS};
use openeve_domain::manifest::Manifest;
use openeve_domain::retry::Class;
use openeve_domain::run::bounds::may_iterate;
use openeve_domain::run::cancel::cancel;
use openeve_domain::run::finish::Obligation;
use openeve_domain::run::hand_on::hand_on;
use openeve_domain::run::recover::recover;

use serde_json::json;

use crate::arguments::Arguments;
use crate::config::Settings;
use crate::patience::patiently;
use crate::ports::{
    Claim, Clock, Doorbell, Engine, Ids, Observer, PortError, Sender, Store, ToolRunner,
};

use hold::{Hold, Stop};

/// Everything a step reaches the world through.
#[derive(Clone)]
pub struct StepDeps {
    /// All truth.
    pub store: Arc<dyn Store>,
    /// Thinks.
    pub engine: Arc<dyn Engine>,
    /// Runs authored tools.
    pub tools: Arc<dyn ToolRunner>,
    /// Reads their arguments.
    pub arguments: Arc<Arguments>,
    /// Sends replies in place; used only when deliveries are inline.
    pub sender: Arc<dyn Sender>,
    /// Rings.
    pub doorbell: Arc<dyn Doorbell>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Identity.
    pub ids: Arc<dyn Ids>,
    /// Whoever watches.
    pub observer: Arc<dyn Observer>,
    /// The agent.
    pub manifest: Arc<Manifest>,
    /// The knobs.
    pub settings: Settings,
    /// Set when the host shuts down: steps hand their runs on at the next boundary.
    pub draining: Arc<AtomicBool>,
}

/// How a step ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stepped {
    /// The run ended, with an answer or without.
    Ended,
    /// The run was handed on to the next step.
    HandedOn,
    /// The run is left alone for a while: a provider asked for it, or its bell came early.
    Parked,
    /// The run waits for people.
    Waiting,
    /// The run was set aside: this build cannot read it.
    SetAside,
    /// Nothing to do: busy, behind, settled, unknown.
    Nothing,
    /// Another epoch has begun; nothing more was written.
    Superseded,
}

/// Works on one run for as long as `remaining_ms` allows. Idempotent in effect: a bell that comes
/// twice finds the run busy or settled. An error means that the bell should ring again later.
pub async fn step(deps: &StepDeps, run_id: RunId, remaining_ms: u64) -> Result<Stepped, PortError> {
    let begun_ms = deps.clock.monotonic_ms();
    let token = LeaseToken::new(deps.ids.uuid());
    // The same token again is the same claim, so a lost answer costs nothing.
    let lease_ms = deps.settings.run_lease_ms;
    let claimed = patiently(deps.clock.as_ref(), || {
        deps.store.claim(run_id, token, lease_ms)
    })
    .await;
    let state = match claimed {
        Err(error) if error.class == Class::Corrupt => {
            return set_aside(deps, run_id, token, error).await;
        }
        Err(error) => return Err(error),
        Ok(claim) => match claim {
            Claim::Claimed(state) => *state,
            Claim::NotYet { wait_ms } => {
                ring(deps, Bell::run(run_id), wait_ms).await;
                return Ok(Stepped::Parked);
            }
            Claim::Busy | Claim::Behind | Claim::Settled | Claim::Unknown => {
                return Ok(Stepped::Nothing);
            }
        },
    };
    let mut hold = Hold::new(deps, state, begun_ms, remaining_ms);
    note_revision(&mut hold);
    let mut worked = work(&mut hold).await;
    if matches!(worked, Err(Stop::Cancelled)) {
        worked = cancelled(&mut hold).await;
    }
    match worked {
        Ok(stepped) => Ok(stepped),
        Err(Stop::Superseded) => {
            tracing::info!(run.id = %run_id, run.epoch = hold.state.epoch, "superseded; the step ends quietly");
            Ok(Stepped::Superseded)
        }
        // The commit that cancels cannot be cancelled itself.
        Err(Stop::Ended | Stop::Cancelled) => Ok(Stepped::Ended),
        Err(Stop::Failed(error)) => {
            // Nobody can go on before the lease has ended; its bell is rung for then.
            let after_ms = hold.deps.settings.run_lease_ms + LEASE_SLACK_MS;
            ring(deps, hold.own_bell(), after_ms).await;
            Err(error)
        }
    }
}

/// Leaves a run alone that this build cannot read: another one may, and nothing is discarded.
async fn set_aside(
    deps: &StepDeps,
    run_id: RunId,
    token: LeaseToken,
    error: PortError,
) -> Result<Stepped, PortError> {
    let why = Failure {
        code: error.code.to_owned(),
        message: error.message,
    };
    tracing::error!(run.id = %run_id, error.code = %why.code, error = %why.message, "a run is blocked: this build cannot read it; `openeve redrive` frees it once a build can");
    deps.store
        .set_aside(run_id, token, &why, BLOCKED_WAIT_MS)
        .await?;
    Ok(Stepped::SetAside)
}

/// A run that began under another revision goes on with this one: as it is when the engine reaches
/// the same tools, else without its checkpoint, visibly.
fn note_revision(hold: &mut Hold<'_>) {
    let Some(checkpoint) = &hold.state.checkpoint else {
        if hold.state.iterations() > 0 {
            let reason = json!({"reason": "checkpoint_missing"});
            let missing = Event::new(event::RESUME_DEGRADED, reason);
            hold.state.unsaved.events.push(missing);
        }
        return;
    };
    let manifest = &hold.deps.manifest;
    let (from, to) = (&checkpoint.agent_revision, &manifest.revision);
    if from == to || checkpoint.surface == manifest.surface_hash() {
        return;
    }
    tracing::warn!(run.id = %hold.state.run_id, run.revision = %from, host.revision = %to, "a run goes on with a revision whose tools differ");
    let payload = json!({"reason": "revision", "from": from, "to": to});
    hold.degraded = true;
    hold.state
        .unsaved
        .events
        .push(Event::new(event::RESUME_DEGRADED, payload));
}

async fn cancelled(hold: &mut Hold<'_>) -> Result<Stepped, Stop> {
    let commit = cancel(&hold.state, hold.commit_id());
    tracing::info!(run.id = %hold.state.run_id, "cancelled");
    hold.commit(commit).await?;
    Ok(Stepped::Ended)
}

async fn work(hold: &mut Hold<'_>) -> Result<Stepped, Stop> {
    if !hold.state.cancel_requested && hold.state.recovery && !recovered(hold).await? {
        return Ok(Stepped::Ended);
    }
    let mut done = 0;
    loop {
        if hold.state.cancel_requested {
            return Err(Stop::Cancelled);
        }
        if let Err(spent) = may_go_on(hold, done) {
            return released(hold, spent).await;
        }
        done += 1;
        if hold.state.has_open_batch() {
            if batch::run(hold).await? {
                return Ok(Stepped::Waiting);
            }
            continue;
        }
        if let Err(commit) = may_iterate(
            &hold.state,
            &hold.deps.settings.run_bounds,
            hold.elapsed_ms(),
            hold.commit_id(),
        ) {
            hold.commit(*commit).await?;
            return Ok(Stepped::Ended);
        }
        if let Some(stepped) = iterate::once(hold).await? {
            return Ok(stepped);
        }
    }
}

fn may_go_on(hold: &Hold<'_>, done: u64) -> Result<(), Spent> {
    if hold.deps.draining.load(Ordering::Relaxed) {
        return Err(Spent::Draining);
    }
    hold.budget.allows(hold.elapsed_ms(), done)
}

/// Applies the recovery plan; whether the run goes on.
async fn recovered(hold: &mut Hold<'_>) -> Result<bool, Stop> {
    let recovery = recover(&hold.state, hold.obligation(), hold.commit_id());
    tracing::warn!(run.id = %hold.state.run_id, run.epoch = hold.state.epoch, run.stalls = hold.state.stalls, "recovering a run whose holder vanished");
    hold.degraded |= recovery.degraded;
    hold.commit(recovery.commit).await?;
    Ok(recovery.goes_on)
}

async fn released(hold: &mut Hold<'_>, spent: Spent) -> Result<Stepped, Stop> {
    let steps_max = hold.deps.settings.run_bounds.steps;
    let commit = hand_on(&hold.state, spent, steps_max, hold.commit_id());
    let ended = commit.status.is_terminal();
    hold.commit(commit).await?;
    if ended {
        return Ok(Stepped::Ended);
    }
    ring(hold.deps, hold.own_bell(), 0).await;
    Ok(Stepped::HandedOn)
}

/// Rings, or leaves it to the tick.
pub(crate) async fn ring(deps: &StepDeps, bell: Bell, delay_ms: u64) {
    if let Err(error) = deps.doorbell.ring(&bell, delay_ms).await {
        tracing::warn!(error.code = error.code, error = %error, "a doorbell did not ring; the tick will");
    }
}

impl Hold<'_> {
    fn commit_id(&self) -> CommitId {
        CommitId::new(self.deps.ids.uuid())
    }

    /// The obligation of a reply, leased by us if we send it ourselves.
    fn obligation(&self) -> Obligation {
        let leased_by = self
            .deps
            .settings
            .delivery_inline
            .then(|| LeaseToken::new(self.deps.ids.uuid()));
        Obligation {
            id: DeliveryId::new(self.deps.ids.uuid()),
            leased_by,
            lease_ms: self.deps.settings.delivery_lease_ms,
        }
    }
}
