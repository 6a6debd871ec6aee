//! Lists of runs, for people. Reads only, one round trip, no locks; nothing of the protocol is here.

use jiff::Timestamp;
use openeve_domain::ids::RunId;
use openeve_domain::status::RunStatus;
use openeve_domain::usage::Usage;
use openeve_runtime::ports::PortError;
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Row};
use uuid::Uuid;

use crate::PgStore;
use crate::failure::Failure;
use crate::pipeline::{Statement, repeated, single};
use crate::rows::{corrupt, count, get, usage};

/// A run as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedRun {
    /// Which run.
    pub run_id: RunId,
    /// The channel it came through.
    pub channel: String,
    /// What started it, such as `message` or `schedule`.
    pub trigger: String,
    /// Where it stands.
    pub status: RunStatus,
    /// The code of its failure, or of what blocks it.
    pub code: Option<String>,
    /// Whether it was set aside because no build here can read it.
    pub is_blocked: bool,
    /// Events so far.
    pub events: u64,
    /// Tokens and price so far.
    pub usage: Usage,
    /// When it was accepted.
    pub created_at: Timestamp,
    /// When it ended.
    pub finished_at: Option<Timestamp>,
}

/// Which runs to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListOptions {
    /// Of this status alone.
    pub status: Option<RunStatus>,
    /// At most so many, the newest.
    pub limit: u64,
    /// Also those that are created or running, at most as many again, whatever their age.
    pub in_flight: bool,
}

impl PgStore {
    /// The newest runs of an agent, newest first.
    pub async fn list_runs(
        &self,
        agent_id: &str,
        options: ListOptions,
    ) -> Result<Vec<ListedRun>, PortError> {
        repeated(self.pool(), |client| {
            let agent_id = agent_id.to_owned();
            Box::pin(async move { list(client, &agent_id, options).await })
        })
        .await
        .map_err(Failure::into_port)
    }
}

async fn list(
    client: &Client,
    agent_id: &str,
    options: ListOptions,
) -> Result<Vec<ListedRun>, Failure> {
    let status = options.status.map(|status| status.as_str().to_owned());
    let limit = i64::try_from(options.limit).unwrap_or(i64::MAX);
    let statement = Statement::new(include_str!("sql/list_runs.sql"))
        .bind(agent_id.to_owned(), Type::TEXT)
        .bind(status, Type::TEXT)
        .bind(limit, Type::INT8)
        .bind(options.in_flight, Type::BOOL);
    let answer = single(client, &statement).await?;
    answer.rows.iter().map(listed).collect()
}

fn listed(row: &Row) -> Result<ListedRun, Failure> {
    let failed: Option<String> = get(row, "failure_code")?;
    let blocked: Option<String> = get(row, "blocked_code")?;
    Ok(ListedRun {
        run_id: RunId::new(get::<Uuid>(row, "id")?),
        channel: get(row, "channel")?,
        trigger: get(row, "trigger")?,
        status: RunStatus::parse(get(row, "status")?).map_err(corrupt)?,
        is_blocked: blocked.is_some(),
        code: failed.or(blocked),
        events: count(row, "event_seq")?,
        usage: usage(row)?,
        created_at: get(row, "created_at")?,
        finished_at: get(row, "finished_at")?,
    })
}
