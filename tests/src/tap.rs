//! A store that is tapped: before and after each operation somebody may look on, wait or interfere.

use std::sync::Arc;

use async_trait::async_trait;
use openeve_domain::commit::{Accept, Commit, Failure};
use openeve_domain::delivery::{LeasedDelivery, PartSent, Settlement};
use openeve_domain::ids::{DeliveryId, LeaseToken, RunId};
use openeve_domain::manifest::Manifest;
use openeve_domain::pause::{Decide, Decided};
use openeve_runtime::ports::{
    Accepted, Cancelled, Claim, CommitAnswer, Due, Heartbeat, Pauses, PortError, Redriven, RunView,
    Store, StoredEvent, Swept,
};

/// Whoever looks on.
#[async_trait]
pub trait Tap: Send + Sync {
    /// An operation is about to reach the store. An error keeps it from doing so.
    async fn before(&self, operation: &'static str) -> Result<(), PortError>;

    /// The store has answered. An error hides the answer.
    async fn after(&self, operation: &'static str) -> Result<(), PortError>;

    /// What the store said to a commit, at the moment it did.
    fn committed(&self, _: &Commit, _: &Result<CommitAnswer, PortError>) {}

    /// What the store said to a claim, at the moment it did.
    fn claimed(&self, _: &Result<Claim, PortError>) {}
}

/// A store behind a tap.
pub struct TappedStore<T> {
    /// The store.
    pub store: Arc<dyn Store>,
    /// Whoever looks on.
    pub tap: T,
}

macro_rules! tapped {
    ($self:ident, $name:literal, $call:expr) => {{
        $self.tap.before($name).await?;
        let answer = $call.await;
        $self.tap.after($name).await?;
        answer
    }};
}

#[async_trait]
impl<T: Tap> Store for TappedStore<T> {
    async fn accept(&self, accept: &Accept) -> Result<Accepted, PortError> {
        tapped!(self, "accept", self.store.accept(accept))
    }

    async fn claim(
        &self,
        run: RunId,
        token: LeaseToken,
        lease_ms: u64,
    ) -> Result<Claim, PortError> {
        self.tap.before("claim").await?;
        let answer = self.store.claim(run, token, lease_ms).await;
        self.tap.claimed(&answer);
        self.tap.after("claim").await?;
        answer
    }

    async fn commit(&self, commit: &Commit, lease_ms: u64) -> Result<CommitAnswer, PortError> {
        self.tap.before("commit").await?;
        let answer = self.store.commit(commit, lease_ms).await;
        self.tap.committed(commit, &answer);
        self.tap.after("commit").await?;
        answer
    }

    async fn decide(&self, decide: &Decide) -> Result<Decided, PortError> {
        tapped!(self, "decide", self.store.decide(decide))
    }

    async fn cancel(&self, agent: &str, run: RunId, by: &str) -> Result<Cancelled, PortError> {
        tapped!(self, "cancel", self.store.cancel(agent, run, by))
    }

    async fn set_aside(
        &self,
        run: RunId,
        token: LeaseToken,
        why: &Failure,
        wait_ms: u64,
    ) -> Result<bool, PortError> {
        let aside = self.store.set_aside(run, token, why, wait_ms);
        tapped!(self, "set_aside", aside)
    }

    async fn redrive_run(
        &self,
        agent: &str,
        run: RunId,
        fresh: RunId,
    ) -> Result<Redriven, PortError> {
        let redriven = self.store.redrive_run(agent, run, fresh);
        tapped!(self, "redrive_run", redriven)
    }

    async fn redrive_delivery(
        &self,
        agent: &str,
        id: DeliveryId,
        fresh: DeliveryId,
    ) -> Result<Redriven, PortError> {
        let redriven = self.store.redrive_delivery(agent, id, fresh);
        tapped!(self, "redrive_delivery", redriven)
    }

    async fn heartbeat(
        &self,
        run: RunId,
        epoch: i64,
        lease_ms: u64,
    ) -> Result<Heartbeat, PortError> {
        tapped!(
            self,
            "heartbeat",
            self.store.heartbeat(run, epoch, lease_ms)
        )
    }

    async fn lease_delivery(
        &self,
        id: DeliveryId,
        token: LeaseToken,
        lease_ms: u64,
    ) -> Result<Option<LeasedDelivery>, PortError> {
        let leased = self.store.lease_delivery(id, token, lease_ms);
        tapped!(self, "lease_delivery", leased)
    }

    async fn part_sent(&self, part: &PartSent, lease_ms: u64) -> Result<bool, PortError> {
        tapped!(self, "part_sent", self.store.part_sent(part, lease_ms))
    }

    async fn settle_delivery(&self, settlement: &Settlement) -> Result<bool, PortError> {
        let settled = self.store.settle_delivery(settlement);
        tapped!(self, "settle_delivery", settled)
    }

    async fn register(&self, manifest: &Manifest) -> Result<(), PortError> {
        tapped!(self, "register", self.store.register(manifest))
    }

    async fn due(
        &self,
        agent: &str,
        limit: u64,
        grace_ms: u64,
        horizon_ms: u64,
    ) -> Result<Due, PortError> {
        let due = self.store.due(agent, limit, grace_ms, horizon_ms);
        tapped!(self, "due", due)
    }

    async fn sweep(&self, limit: u64) -> Result<Swept, PortError> {
        tapped!(self, "sweep", self.store.sweep(limit))
    }

    async fn run_view(&self, agent: &str, run: RunId) -> Result<Option<RunView>, PortError> {
        tapped!(self, "run_view", self.store.run_view(agent, run))
    }

    async fn pauses(&self, agent: &str, run: RunId) -> Result<Option<Pauses>, PortError> {
        tapped!(self, "pauses", self.store.pauses(agent, run))
    }

    async fn run_events(
        &self,
        agent: &str,
        run: RunId,
        after: i64,
        limit: u64,
    ) -> Result<Vec<StoredEvent>, PortError> {
        let events = self.store.run_events(agent, run, after, limit);
        tapped!(self, "run_events", events)
    }

    async fn ready(&self) -> Result<(), PortError> {
        tapped!(self, "ready", self.store.ready())
    }
}
