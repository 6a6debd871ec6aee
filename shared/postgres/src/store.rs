//! The `Store` port over Postgres.

use async_trait::async_trait;
use openeve_domain::commit::{Accept, Commit};
use openeve_domain::delivery::{LeasedDelivery, Settlement};
use openeve_domain::ids::{DeliveryId, LeaseToken, RunId};
use openeve_domain::manifest::Manifest;
use openeve_runtime::ports::{
    Accepted, Claim, CommitAnswer, Due, Heartbeat, PortError, RunView, Store, StoredEvent, Swept,
};
use tokio_postgres::types::Type;

use crate::failure::Failure;
use crate::pipeline::{Statement, repeated, single};
use crate::pool::Pool;
use crate::{accept, claim, commit, delivery, migrate, view};

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
        Ok(if answer.rows.is_empty() {
            Heartbeat::Superseded
        } else {
            Heartbeat::Alive
        })
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

    async fn settle_delivery(&self, settlement: &Settlement) -> Result<bool, PortError> {
        repeated(&self.pool, |client| {
            let settlement = settlement.clone();
            Box::pin(async move { delivery::settle(client, &settlement).await })
        })
        .await
        .map_err(Failure::into_port)
    }

    async fn due(&self, agent_id: &str, limit: u64, grace_ms: u64) -> Result<Due, PortError> {
        repeated(&self.pool, |client| {
            let agent_id = agent_id.to_owned();
            Box::pin(async move { view::due(client, &agent_id, limit, grace_ms).await })
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
