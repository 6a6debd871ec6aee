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

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use openeve_domain::bell::Bell;
use openeve_domain::budget::Spent;
use openeve_domain::event::{self, Event};
use openeve_domain::ids::{CommitId, DeliveryId, LeaseToken, RunId};
use openeve_domain::manifest::Manifest;
use openeve_domain::run::RunState;
use openeve_domain::run::finish::Obligation;
use openeve_domain::run::hand_on::{hand_on, may_iterate};
use openeve_domain::run::recover::recover;
use openeve_domain::status::ToolCallStatus;

use serde_json::json;

use crate::config::Settings;
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
    /// The run waits, for a provider or for a bell that comes later.
    Parked,
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
    let state = match deps
        .store
        .claim(run_id, token, deps.settings.run_lease_ms)
        .await?
    {
        Claim::Claimed(state) => *state,
        Claim::NotYet { wait_ms } => {
            ring(deps, Bell::run(run_id), wait_ms).await;
            return Ok(Stepped::Parked);
        }
        Claim::Busy | Claim::Behind | Claim::Settled | Claim::Unknown => {
            return Ok(Stepped::Nothing);
        }
    };
    let mut hold = Hold::new(deps, state, begun_ms, remaining_ms);
    note_revision(&mut hold);
    match work(&mut hold).await {
        Ok(stepped) => Ok(stepped),
        Err(Stop::Superseded) => {
            tracing::info!(run.id = %run_id, run.epoch = hold.state.epoch, "superseded; the step ends quietly");
            Ok(Stepped::Superseded)
        }
        Err(Stop::Ended) => Ok(Stepped::Ended),
        Err(Stop::Failed(error)) => Err(error),
    }
}

/// A run that had begun under another revision goes on with this one, visibly: its events say so.
fn note_revision(hold: &mut Hold<'_>) {
    let (from, to) = (&hold.state.agent_revision, &hold.deps.manifest.revision);
    if from == to || hold.state.checkpoint.is_none() {
        return;
    }
    tracing::warn!(run.id = %hold.state.run_id, run.revision = %from, host.revision = %to, "a run goes on with another revision of the agent");
    let payload = json!({"reason": "revision", "from": from, "to": to});
    hold.state
        .unsaved
        .events
        .push(Event::new(event::RESUME_DEGRADED, payload));
}

async fn work(hold: &mut Hold<'_>) -> Result<Stepped, Stop> {
    if hold.state.recovery && !recovered(hold).await? {
        return Ok(Stepped::Ended);
    }
    let mut done = 0;
    loop {
        if let Err(spent) = may_go_on(hold, done) {
            return released(hold, spent).await;
        }
        done += 1;
        if has_open_batch(&hold.state) {
            batch::run(hold).await?;
            continue;
        }
        if let Err(commit) = may_iterate(
            &hold.state,
            hold.deps.settings.run_iterations_max,
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

fn has_open_batch(state: &RunState) -> bool {
    state.calls.iter().any(|call| {
        matches!(
            call.status,
            ToolCallStatus::Started | ToolCallStatus::Requested
        )
    })
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
    let commit = hand_on(&hold.state, spent, hold.commit_id());
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
