//! The `Store` port over Postgres.

use async_trait::async_trait;
use openeve_domain::commit::{Accept, Commit, Failure as RunFailure};
use openeve_domain::delivery::{LeasedDelivery, PartSent, Settlement};
use openeve_domain::ids::{DeliveryId, LeaseToken, RunId};
use openeve_domain::manifest::Manifest;
use openeve_domain::pause::{Decide, Decided};
use openeve_runtime::ports::{
    Accepted, Cancelled, Claim, CommitAnswer, Due, Heartbeat, Pauses, PortError, Redriven, RunView,
    Store, StoredEvent, Swept,
};
use tokio_postgres::types::Type;

use crate::failure::Failure;
use crate::pipeline::{Statement, repeated, single};
use crate::pool::Pool;
use crate::rows::get;
use crate::{accept, claim, commit, delivery, migrate, person, view};

/// The store over a pool of connections.
#[derive(Debug)]
pub struct PgStore {
    pool: Pool,
}

impl PgStore {
    /// A store over a pool. Nothing connects yet.
    pub const fn new(pool: Pool) -> Self {
        Self { pool }
    }

    /// What it connects through.
    pub(crate) const fn pool(&self) -> &Pool {
        &self.pool
    }

    /// Applies migrations; see [`migrate::migrate`].
    pub async fn migrate(&self) -> Result<Vec<migrate::Planned>, migrate::MigrateError> {
        migrate::migrate(&self.pool).await
    }

    /// What [`PgStore::migrate`] would do; changes nothing.
    pub async fn plan_migrations(&self) -> Result<Vec<migrate::Planned>, migrate::MigrateError> {
        migrate::plan(&self.pool).await
    }
}

#[async_trait]
impl Store for PgStore {
    async fn register(&self, manifest: &Manifest) -> Result<(), PortError> {
        let (agent, revision) = (manifest.agent.id.clone(), manifest.revision.clone());
        let surface = manifest.surface_hash();
        repeated(&self.pool, move |client| {
            let statement = Statement::new(include_str!("sql/register_agent.sql"))
                .bind(agent.clone(), Type::TEXT)
                .bind(revision.clone(), Type::TEXT)
                .bind(surface.clone(), Type::TEXT);
            Box::pin(async move { single(client, &statement).await.map(|_| ()) })
        })
        .await
        .map_err(Failure::into_port)
    }

    async fn accept(&self, turn: &Accept) -> Result<Accepted, PortError> {
        repeated(&self.pool, |client| {
            let turn = turn.clone();
            Box::pin(async move { accept::accept(client, &turn).await })
        })
        .await
        .map_err(Failure::into_port)
    }

    async fn claim(
        &self,
        run_id: RunId,
        token: LeaseToken,
        lease_ms: u64,
    ) -> Result<Claim, PortError> {
        repeated(&self.pool, |client| {
            Box::pin(claim::claim(client, run_id, token, lease_ms))
        })
        .await
        .map_err(Failure::into_port)
    }

    async fn commit(&self, change: &Commit, lease_ms: u64) -> Result<CommitAnswer, PortError> {
        repeated(&self.pool, |client| {
            let change = change.clone();
            Box::pin(async move { commit::commit(client, &change, lease_ms).await })
        })
        .await
        .map_err(Failure::into_port)
    }

    async fn heartbeat(
        &self,
        run_id: RunId,
        epoch: i64,
        lease_ms: u64,
    ) -> Result<Heartbeat, PortError> {
        let answer = repeated(&self.pool, |client| {
            let statement = Statement::new(include_str!("sql/heartbeat.sql"))
                .bind(run_id.uuid(), Type::UUID)
                .bind(epoch, Type::INT8)
                .bind(i64::try_from(lease_ms).unwrap_or(0), Type::INT8);
            Box::pin(async move { single(client, &statement).await })
        })
        .await
        .map_err(Failure::into_port)?;
        Ok(match answer.rows.first() {
            None => Heartbeat::Superseded,
            Some(row) => {
                let cancelled = get::<bool>(row, "cancel_requested").map_err(Failure::into_port)?;
                if cancelled {
                    Heartbeat::Cancelled
                } else {
                    Heartbeat::Alive
                }
            }
        })
    }

    async fn decide(&self, decide: &Decide) -> Result<Decided, PortError> {
        repeated(&self.pool, |client| {
            let decide = decide.clone();
            Box::pin(async move { person::decide(client, &decide).await })
        })
        .await
        .map_err(Failure::into_port)
    }

    async fn cancel(
        &self,
        agent_id: &str,
        run_id: RunId,
        by: &str,
    ) -> Result<Cancelled, PortError> {
        repeated(&self.pool, |client| {
            let (agent_id, by) = (agent_id.to_owned(), by.to_owned());
            Box::pin(async move { person::cancel(client, &agent_id, run_id, &by).await })
        })
        .await
        .map_err(Failure::into_port)
    }

    async fn set_aside(
        &self,
        run_id: RunId,
        token: LeaseToken,
        why: &RunFailure,
        wait_ms: u64,
    ) -> Result<bool, PortError> {
        repeated(&self.pool, |client| {
            let why = why.clone();
            Box::pin(async move { person::set_aside(client, run_id, token, &why, wait_ms).await })
        })
        .await
        .map_err(Failure::into_port)
    }

    async fn redrive_run(
        &self,
        agent_id: &str,
        run_id: RunId,
        fresh: RunId,
    ) -> Result<Redriven, PortError> {
        repeated(&self.pool, |client| {
            let agent_id = agent_id.to_owned();
            Box::pin(async move { person::redrive_run(client, &agent_id, run_id, fresh).await })
        })
        .await
        .map_err(Failure::into_port)
    }

    async fn redrive_delivery(
        &self,
        agent_id: &str,
        id: DeliveryId,
        fresh: DeliveryId,
    ) -> Result<Redriven, PortError> {
        repeated(&self.pool, |client| {
            let agent_id = agent_id.to_owned();
            Box::pin(async move { person::redrive_delivery(client, &agent_id, id, fresh).await })
        })
        .await
        .map_err(Failure::into_port)
    }

    async fn lease_delivery(
        &self,
        id: DeliveryId,
        token: LeaseToken,
        lease_ms: u64,
    ) -> Result<Option<LeasedDelivery>, PortError> {
        repeated(&self.pool, |client| {
            Box::pin(delivery::lease(client, id, token, lease_ms))
        })
        .await
        .map_err(Failure::into_port)
    }

    async fn part_sent(&self, part: &PartSent, lease_ms: u64) -> Result<bool, PortError> {
        repeated(&self.pool, |client| {
            let part = part.clone();
            Box::pin(async move { delivery::part(client, &part, lease_ms).await })
        })
        .await
        .map_err(Failure::into_port)
    }

    async fn settle_delivery(&self, settlement: &Settlement) -> Result<bool, PortError> {
        repeated(&self.pool, |client| {
            let settlement = settlement.clone();
            Box::pin(async move { delivery::settle(client, &settlement).await })
        })
        .await
        .map_err(Failure::into_port)
    }

    async fn due(
        &self,
        agent_id: &str,
        limit: u64,
        grace_ms: u64,
        horizon_ms: u64,
    ) -> Result<Due, PortError> {
        repeated(&self.pool, |client| {
            let agent_id = agent_id.to_owned();
            Box::pin(async move { view::due(client, &agent_id, limit, grace_ms, horizon_ms).await })
        })
        .await
        .map_err(Failure::into_port)
    }

    async fn sweep(&self, limit: u64) -> Result<Swept, PortError> {
        repeated(&self.pool, |client| Box::pin(view::sweep(client, limit)))
            .await
            .map_err(Failure::into_port)
    }

    async fn run_view(&self, agent_id: &str, run_id: RunId) -> Result<Option<RunView>, PortError> {
        repeated(&self.pool, |client| {
            let agent_id = agent_id.to_owned();
            Box::pin(async move { view::run(client, &agent_id, run_id).await })
        })
        .await
        .map_err(Failure::into_port)
    }

    async fn pauses(&self, agent_id: &str, run_id: RunId) -> Result<Option<Pauses>, PortError> {
        repeated(&self.pool, |client| {
            let agent_id = agent_id.to_owned();
            Box::pin(async move { person::pauses(client, &agent_id, run_id).await })
        })
        .await
        .map_err(Failure::into_port)
    }

    async fn run_events(
        &self,
        agent_id: &str,
        run_id: RunId,
        after: i64,
        limit: u64,
    ) -> Result<Vec<StoredEvent>, PortError> {
        repeated(&self.pool, |client| {
            let agent_id = agent_id.to_owned();
            Box::pin(async move { view::events(client, &agent_id, run_id, after, limit).await })
        })
        .await
        .map_err(Failure::into_port)
    }

    async fn ready(&self) -> Result<(), PortError> {
        migrate::ready(&self.pool).await
    }
}
