//! Holding a run: its state, its clock, the one way to write, and the heartbeat beside long work.

use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::future::{Either, select};
use openeve_domain::bell::{Bell, Place};
use openeve_domain::budget::TimeBudget;
use openeve_domain::commit::Commit;
use openeve_domain::delivery::LeasedDelivery;
use openeve_domain::ids::CommitId;
use openeve_domain::retry::Class;
use openeve_domain::run::{RunState, give_up};
use openeve_domain::status::RunStatus;

use super::{StepDeps, ring};
use crate::delivery::{Through, discharge};
use crate::patience::patiently;
use crate::ports::{CommitAnswer, Heartbeat, PortError};

/// Why a step stops without having ended its run.
#[derive(Debug)]
pub(super) enum Stop {
    /// Another epoch has begun.
    Superseded,
    /// The run was ended, because the store refused a commit for good.
    Ended,
    /// Somebody asked for the run to end.
    Cancelled,
    /// The store failed; the lease will expire and recovery goes on from the last commit.
    Failed(PortError),
}

/// A moment that can be set through a shared reference.
#[derive(Debug, Default)]
pub(super) struct AtomicMs(AtomicU64);

impl AtomicMs {
    fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn set(&self, ms: u64) {
        self.0.store(ms, Ordering::Relaxed);
    }
}

/// A claimed run in the hands of this step.
pub(super) struct Hold<'a> {
    pub(super) deps: &'a StepDeps,
    pub(super) state: RunState,
    pub(super) budget: TimeBudget,
    /// Whether the checkpoint is left aside.
    pub(super) degraded: bool,
    begun_ms: u64,
    /// When the lease was last extended, in milliseconds since the step began.
    extended_ms: AtomicMs,
    /// Unsaved events that whoever watches has seen; they lead the next commit's.
    shown: usize,
}

impl<'a> Hold<'a> {
    pub(super) fn new(
        deps: &'a StepDeps,
        mut state: RunState,
        begun_ms: u64,
        remaining_ms: u64,
    ) -> Self {
        state.pause_ttl_ms = deps.settings.pause_ttl_ms;
        Self {
            deps,
            state,
            budget: deps.settings.budget(remaining_ms),
            degraded: false,
            begun_ms,
            extended_ms: AtomicMs::default(),
            shown: 0,
        }
    }

    /// Milliseconds since the step began.
    pub(super) fn elapsed_ms(&self) -> u64 {
        self.deps.clock.monotonic_ms().saturating_sub(self.begun_ms)
    }

    /// How long a piece of work may take from now.
    pub(super) fn work_ms(&self, wanted_ms: u64) -> u64 {
        self.budget.work_ms(self.elapsed_ms(), wanted_ms)
    }

    /// The run's own bell, with the trace it came with.
    pub(super) fn own_bell(&self) -> Bell {
        let place = Place::Run {
            run_id: self.state.run_id,
        };
        Bell::new(place, self.state.trace_parent.clone()).of_tenant(&self.state.tenant)
    }

    /// Who decides in the run's channel, unless a tool says otherwise.
    pub(super) fn channel_approvers(&self) -> &'a [String] {
        self.deps
            .manifest
            .channel(&self.state.turn.channel)
            .map_or(&[], |channel| channel.approvers.as_slice())
    }

    /// Whether a piece of work as long as the reserve still fits.
    pub(super) fn has_time(&self) -> bool {
        let left_ms = self.budget.deadline_ms.saturating_sub(self.elapsed_ms());
        left_ms > self.budget.reserve_ms
    }

    /// Writes, tells whoever watches, and discharges what the commit owes. A commit that the store
    /// refuses for good ends the run with the refusal.
    pub(super) async fn commit(&mut self, commit: Commit) -> Result<(), Stop> {
        let error = match self.write(commit).await {
            Err(Stop::Failed(error)) if !matches!(error.class, Class::Retry { .. }) => error,
            other => return other,
        };
        let commit_id = CommitId::new(self.deps.ids.uuid());
        self.shown = 0;
        let ending = give_up(&mut self.state, commit_id, error.code, error.message);
        self.write(ending).await?;
        Err(Stop::Ended)
    }

    async fn write(&mut self, commit: Commit) -> Result<(), Stop> {
        let asked_ms = self.elapsed_ms();
        let lease_ms = self.deps.settings.run_lease_ms;
        let store = &self.deps.store;
        let answer = patiently(self.deps.clock.as_ref(), || store.commit(&commit, lease_ms)).await;
        let committed = match answer.map_err(Stop::Failed)? {
            CommitAnswer::Applied(committed) => committed,
            CommitAnswer::Superseded => return Err(Stop::Superseded),
            CommitAnswer::Cancelled => return Err(Stop::Cancelled),
        };
        self.extended_ms.set(asked_ms);
        // What was unsaved has been shown already, when it happened.
        let shown = self.shown;
        self.shown = 0;
        self.state.apply(&commit);
        self.state.status = committed.status;
        self.state.cancel_requested = committed.cancel_requested;
        for event in commit.events.iter().skip(shown) {
            self.deps.observer.event(self.state.run_id, event);
        }
        if let Some(failure) = &commit.failure {
            tracing::error!(run.id = %commit.run_id, error.code = %failure.code, error = %failure.message, "a run failed");
        }
        if let Some(next) = committed.next_run {
            ring(self.deps, Bell::run(next).of_tenant(&self.state.tenant), 0).await;
        }
        if commit.status.is_waiting()
            && (committed.status == RunStatus::Running || committed.cancel_requested)
        {
            // Decided or cancelled while the last call still ran: there is nothing to wait for.
            ring(self.deps, self.own_bell(), 0).await;
        }
        if let Some(owed) = commit.delivery {
            match owed.leased_by {
                None => {
                    let place = Place::Delivery {
                        delivery_id: owed.id,
                    };
                    let bell = Bell::new(place, self.state.trace_parent.clone())
                        .of_tenant(&self.state.tenant);
                    ring(self.deps, bell, 0).await;
                }
                Some(token) => {
                    let leased = LeasedDelivery {
                        id: owed.id,
                        token,
                        run_id: self.state.run_id,
                        channel: owed.channel,
                        conversation_key: self.state.turn.conversation_key.clone(),
                        target: owed.target,
                        text: owed.text,
                        attempts: 0,
                        parts_sent: 0,
                        interrupted: false,
                    };
                    self.send_inline(leased).await;
                }
            }
        }
        Ok(())
    }

    /// Shows what is unsaved to whoever watches.
    pub(super) fn show_unsaved(&mut self) {
        for event in self.state.unsaved.events.iter().skip(self.shown) {
            self.deps.observer.event(self.state.run_id, event);
        }
        self.shown = self.state.unsaved.events.len();
    }

    /// A reply that cannot be sent or settled now is found by the tick when its lease expires.
    async fn send_inline(&self, leased: LeasedDelivery) {
        let through = Through {
            store: self.deps.store.as_ref(),
            sender: self.deps.sender.as_ref(),
            clock: self.deps.clock.as_ref(),
            ids: self.deps.ids.as_ref(),
            manifest: &self.deps.manifest,
            settings: &self.deps.settings,
        };
        match discharge(&through, leased).await {
            Ok(Some(event)) => self.deps.observer.event(self.state.run_id, &event),
            Ok(None) => {}
            Err(error) => {
                tracing::warn!(run.id = %self.state.run_id, error = %error, "a reply could not be settled; the tick will find it");
            }
        }
    }

    /// Works while heartbeats extend the lease; the work is dropped when another epoch begins.
    ///
    /// The pace is counted from whatever extended the lease last, so that many short works in a
    /// row beat as one long one does. A heartbeat is sent beside the work, never instead of it.
    pub(super) async fn beating<T>(&self, work: impl Future<Output = T>) -> Result<T, Stop> {
        let mut work = pin!(work);
        loop {
            let pause = pin!(self.deps.clock.wait_ms(self.until_heartbeat_ms()));
            match select(work.as_mut(), pause).await {
                Either::Left((done, _)) => return Ok(done),
                Either::Right(((), _)) => {}
            }
            let beat = pin!(self.heartbeat());
            match select(work.as_mut(), beat).await {
                Either::Left((done, _)) => return Ok(done),
                Either::Right((beat, _)) => beat?,
            }
        }
    }

    fn until_heartbeat_ms(&self) -> u64 {
        let quiet_ms = self.elapsed_ms().saturating_sub(self.extended_ms.get());
        // At least a moment: a clock that stands still must not spin.
        self.deps
            .settings
            .run_heartbeat_ms
            .saturating_sub(quiet_ms)
            .max(1)
    }

    async fn heartbeat(&self) -> Result<(), Stop> {
        self.extended_ms.set(self.elapsed_ms());
        let lease_ms = self.deps.settings.run_lease_ms;
        match self
            .deps
            .store
            .heartbeat(self.state.run_id, self.state.epoch, lease_ms)
            .await
        {
            Ok(Heartbeat::Alive) => Ok(()),
            Ok(Heartbeat::Cancelled) => Err(Stop::Cancelled),
            Ok(Heartbeat::Superseded) => Err(Stop::Superseded),
            Err(error) => {
                tracing::warn!(run.id = %self.state.run_id, error = %error, "a heartbeat was lost");
                Ok(())
            }
        }
    }
}
