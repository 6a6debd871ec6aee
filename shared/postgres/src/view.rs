//! Reading: what is due, what is kept, and what people see.

use openeve_domain::commit::Failure as RunFailure;
use openeve_domain::ids::{ConversationId, DeliveryId, RunId, ToolCallId};
use openeve_domain::pause::Decide;
use openeve_domain::run::finish::final_key;
use openeve_domain::status::{DeliveryStatus, RunStatus};
use openeve_runtime::ports::{Due, RunView, StoredEvent, Swept};
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Row};
use uuid::Uuid;

use crate::failure::Failure;
use crate::pipeline::{Statement, single};
use crate::rows::{corrupt, count, get, small, usage};

/// Rows whose bell should be rung.
pub(crate) async fn due(
    client: &Client,
    agent_id: &str,
    limit: u64,
    grace_ms: u64,
    horizon_ms: u64,
) -> Result<Due, Failure> {
    let statement = limited(include_str!("sql/due.sql"), limit)
        .bind(i64::try_from(grace_ms).unwrap_or(0), Type::INT8)
        .bind(agent_id.to_owned(), Type::TEXT)
        .bind(i64::try_from(horizon_ms).unwrap_or(0), Type::INT8);
    let mut due = Due::default();
    for row in single(client, &statement).await?.rows {
        let id = get::<Uuid>(&row, "id")?;
        let tenant = get(&row, "tenant")?;
        match get::<&str>(&row, "kind")? {
            "run" => due.runs.push((RunId::new(id), tenant)),
            "expiring" => {
                let wait_ms = count(&row, "wait_ms")?;
                due.expiring.push((RunId::new(id), tenant, wait_ms));
            }
            "delivery" => due.deliveries.push((DeliveryId::new(id), tenant)),
            _ => due.expired.push(Decide {
                run_id: RunId::new(id),
                call_id: ToolCallId::new(get::<Uuid>(&row, "tool_call_id")?),
                generation: small(&row, "generation")?,
                decision: None,
                by: String::new(),
            }),
        }
    }
    Ok(due)
}

/// Removes what retention no longer keeps.
pub(crate) async fn sweep(client: &Client, limit: u64) -> Result<Swept, Failure> {
    let keys = single(client, &limited(include_str!("sql/sweep_keys.sql"), limit)).await?;
    let checkpoints = single(
        client,
        &limited(include_str!("sql/sweep_checkpoints.sql"), limit),
    )
    .await?;
    Ok(Swept {
        idempotency_keys: keys.touched,
        checkpoints: checkpoints.touched,
    })
}

/// A run as people read it.
pub(crate) async fn run(
    client: &Client,
    agent_id: &str,
    run_id: RunId,
) -> Result<Option<RunView>, Failure> {
    let statement = Statement::new(include_str!("sql/run_view.sql"))
        .bind(run_id.uuid(), Type::UUID)
        .bind(final_key(run_id), Type::TEXT)
        .bind(agent_id.to_owned(), Type::TEXT);
    let answer = single(client, &statement).await?;
    let Some(row) = answer.rows.first() else {
        return Ok(None);
    };
    let delivery = get::<Option<&str>>(row, "delivery")?
        .map(DeliveryStatus::parse)
        .transpose();
    Ok(Some(RunView {
        run_id,
        conversation_id: ConversationId::new(get::<Uuid>(row, "conversation_id")?),
        channel: get(row, "channel")?,
        status: RunStatus::parse(get(row, "status")?).map_err(corrupt)?,
        failure: reason(row, "failure_code", "failure_message")?,
        blocked: reason(row, "blocked_code", "blocked_message")?,
        reply: get(row, "reply")?,
        delivery: delivery.map_err(corrupt)?,
        steps: small::<u32>(row, "step_count")?.into(),
        usage: usage(row)?,
        created_at: get(row, "created_at")?,
        finished_at: get(row, "finished_at")?,
    }))
}

fn reason(row: &Row, code: &str, message: &str) -> Result<Option<RunFailure>, Failure> {
    let Some(code) = get::<Option<String>>(row, code)? else {
        return Ok(None);
    };
    let message = get::<Option<String>>(row, message)?.unwrap_or_default();
    Ok(Some(RunFailure { code, message }))
}

/// Events of a run after a position.
pub(crate) async fn events(
    client: &Client,
    agent_id: &str,
    run_id: RunId,
    after: i64,
    limit: u64,
) -> Result<Vec<StoredEvent>, Failure> {
    let statement = Statement::new(include_str!("sql/run_events.sql"))
        .bind(run_id.uuid(), Type::UUID)
        .bind(after, Type::INT8)
        .bind(i64::try_from(limit).unwrap_or(i64::MAX), Type::INT8)
        .bind(agent_id.to_owned(), Type::TEXT);
    let event = |row: &tokio_postgres::Row| {
        Ok(StoredEvent {
            seq: get(row, "seq")?,
            kind: get(row, "kind")?,
            payload: get(row, "payload")?,
            at: get(row, "created_at")?,
        })
    };
    single(client, &statement)
        .await?
        .rows
        .iter()
        .map(event)
        .collect()
}

fn limited(sql: &'static str, limit: u64) -> Statement {
    Statement::new(sql).bind(i64::try_from(limit).unwrap_or(i64::MAX), Type::INT8)
}
