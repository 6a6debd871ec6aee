//! The `Store` port over the tables.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use openeve_domain::bell::Place;
use openeve_domain::commit::{Accept, Commit, Failure};
use openeve_domain::delivery::{LeasedDelivery, PartSent, Settlement};
use openeve_domain::ids::{DeliveryId, LeaseToken, RunId};
use openeve_domain::manifest::Manifest;
use openeve_domain::pause::{Decide, Decided};
use openeve_runtime::ports::{
    Accepted, Cancelled, Claim, CommitAnswer, Due, Heartbeat, Need, Needs, Pauses, PortError,
    Redriven, RunView, Store, StoredEvent, Swept,
};

use crate::clauses::Clauses;
use crate::snapshot::Snapshot;
use crate::tables::Tables;

/// The store's clock: milliseconds since the epoch.
type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// The store in memory. Every operation is done when it is asked for; none waits.
pub struct MemoryStore {
    tables: Mutex<Tables>,
    clock: Clock,
}

impl MemoryStore {
    /// An empty store that judges leases by this clock.
    pub fn new(clock: Clock) -> Self {
        Self::with_clauses(clock, Clauses::default())
    }

    /// The same without some of its safety clauses.
    pub fn with_clauses(clock: Clock, clauses: Clauses) -> Self {
        Self {
            tables: Mutex::new(Tables::new(clauses)),
            clock,
        }
    }

    /// Every row.
    pub fn snapshot(&self) -> Snapshot {
        self.tables().snapshot()
    }

    fn tables(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> i64 {
        (self.clock)()
    }
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryStore").finish_non_exhaustive()
    }
}

#[async_trait]
impl Store for MemoryStore {
    async fn accept(&self, accept: &Accept) -> Result<Accepted, PortError> {
        let now = self.now();
        self.tables().accept(now, accept)
    }

    async fn claim(
        &self,
        run_id: RunId,
        token: LeaseToken,
        lease_ms: u64,
    ) -> Result<Claim, PortError> {
        let now = self.now();
        self.tables().claim(now, run_id, token, lease_ms)
    }

    async fn commit(&self, commit: &Commit, lease_ms: u64) -> Result<CommitAnswer, PortError> {
        let now = self.now();
        self.tables().commit(now, commit, lease_ms)
    }

    async fn decide(&self, decide: &Decide) -> Result<Decided, PortError> {
        let now = self.now();
        self.tables().decide(now, decide)
    }

    async fn cancel(
        &self,
        agent_id: &str,
        run_id: RunId,
        by: &str,
    ) -> Result<Cancelled, PortError> {
        let now = self.now();
        Ok(self.tables().cancel(now, agent_id, run_id, by))
    }

    async fn set_aside(
        &self,
        run_id: RunId,
        token: LeaseToken,
        why: &Failure,
        wait_ms: u64,
    ) -> Result<bool, PortError> {
        let now = self.now();
        Ok(self.tables().set_aside(now, run_id, token, why, wait_ms))
    }

    async fn redrive_run(
        &self,
        agent_id: &str,
        run_id: RunId,
        fresh: RunId,
    ) -> Result<Redriven, PortError> {
        let now = self.now();
        self.tables().redrive_run(now, agent_id, run_id, fresh)
    }

    async fn redrive_delivery(
        &self,
        agent_id: &str,
        id: DeliveryId,
        fresh: DeliveryId,
    ) -> Result<Redriven, PortError> {
        let now = self.now();
        self.tables().redrive_delivery(now, agent_id, id, fresh)
    }

    async fn heartbeat(
        &self,
        run_id: RunId,
        epoch: i64,
        lease_ms: u64,
    ) -> Result<Heartbeat, PortError> {
        let now = self.now();
        Ok(self.tables().heartbeat(now, run_id, epoch, lease_ms))
    }

    async fn lease_delivery(
        &self,
        id: DeliveryId,
        token: LeaseToken,
        lease_ms: u64,
    ) -> Result<Option<LeasedDelivery>, PortError> {
        let now = self.now();
        Ok(self.tables().lease_delivery(now, id, token, lease_ms))
    }

    async fn part_sent(&self, part: &PartSent, lease_ms: u64) -> Result<bool, PortError> {
        let now = self.now();
        Ok(self.tables().part_sent(now, part, lease_ms))
    }

    async fn settle_delivery(&self, settlement: &Settlement) -> Result<bool, PortError> {
        let now = self.now();
        self.tables().settle_delivery(now, settlement)
    }

    async fn register(&self, _: &Manifest) -> Result<(), PortError> {
        Ok(())
    }

    async fn due(
        &self,
        agent_id: &str,
        limit: u64,
        grace_ms: u64,
        horizon_ms: u64,
    ) -> Result<Due, PortError> {
        let now = self.now();
        Ok(self
            .tables()
            .due(now, agent_id, limit, grace_ms, horizon_ms))
    }

    async fn sweep(&self, limit: u64) -> Result<Swept, PortError> {
        let now = self.now();
        Ok(self.tables().sweep(now, limit))
    }

    async fn run_view(&self, agent_id: &str, run_id: RunId) -> Result<Option<RunView>, PortError> {
        Ok(self.tables().run_view(agent_id, run_id))
    }

    async fn pauses(&self, agent_id: &str, run_id: RunId) -> Result<Option<Pauses>, PortError> {
        Ok(self.tables().pauses(agent_id, run_id))
    }

    async fn run_events(
        &self,
        agent_id: &str,
        run_id: RunId,
        after: i64,
        limit: u64,
    ) -> Result<Vec<StoredEvent>, PortError> {
        Ok(self.tables().run_events(agent_id, run_id, after, limit))
    }

    async fn ready(&self) -> Result<(), PortError> {
        Ok(())
    }
}

#[async_trait]
impl Needs for MemoryStore {
    async fn need(&self, agent_id: &str, at: Place) -> Result<Need, PortError> {
        let now = self.now();
        Ok(self.tables().need(now, agent_id, at))
    }
}
