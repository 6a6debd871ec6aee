//! What people do to a run: decide its pauses, cancel it, begin it again. One round trip each, and a
//! second one to say why there was nothing to do.

use openeve_domain::commit::Failure as RunFailure;
use openeve_domain::event;
use openeve_domain::ids::{DeliveryId, LeaseToken, RunId};
use openeve_domain::pause::{Decide, Decided, PauseStatus};
use openeve_domain::status::{DeliveryStatus, RunStatus};
use openeve_runtime::ports::{Cancelled, PausedCall, Pauses, Redriven};
use serde_json::Value;
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Row};
use uuid::Uuid;

use crate::failure::Failure;
use crate::pipeline::{Statement, single};
use crate::rows::{corrupt, get, pause};
use openeve_domain::storable as clean;

/// Decides a pause, once.
pub(crate) async fn decide(client: &Client, decide: &Decide) -> Result<Decided, Failure> {
    let of_pause = |sql| {
        Statement::new(sql)
            .bind(decide.run_id.uuid(), Type::UUID)
            .bind(decide.call_id.uuid(), Type::UUID)
            .bind(
                i32::try_from(decide.generation).unwrap_or(i32::MAX),
                Type::INT4,
            )
    };
    let decision = decide.decision.as_ref().map(serde_json::to_value);
    let decision = decision.transpose().map_err(corrupt)?;
    let kind = match decide.decision {
        Some(_) => event::PAUSE_DECIDED,
        None => event::PAUSE_EXPIRED,
    };
    let statement = of_pause(include_str!("sql/decide.sql"))
        .bind(decide.status().as_str(), Type::TEXT)
        .bind(decision.as_ref().map(clean::json), Type::JSONB)
        .bind(clean::text(&decide.by), Type::TEXT)
        .bind(kind, Type::TEXT)
        .bind(clean::json(&decide.payload()), Type::JSONB);
    let answer = single(client, &statement).await?;
    if let Some(row) = answer.rows.first() {
        return Ok(Decided::Taken {
            resumes: get(row, "resumes")?,
        });
    }
    let answer = single(client, &of_pause(include_str!("sql/decided_before.sql"))).await?;
    let Some(row) = answer.rows.first() else {
        return Ok(Decided::Unknown);
    };
    let decision = get::<Option<Value>>(row, "decision")?;
    let status = PauseStatus::parse(get(row, "status")?).map_err(corrupt)?;
    Ok(Decided::Already {
        status,
        decision: decision
            .map(serde_json::from_value)
            .transpose()
            .map_err(corrupt)?,
        by: get(row, "decided_by")?,
    })
}

/// The pauses of a run.
pub(crate) async fn pauses(
    client: &Client,
    agent_id: &str,
    run_id: RunId,
) -> Result<Option<Pauses>, Failure> {
    let statement = of_agent(include_str!("sql/pauses.sql"), run_id.uuid(), agent_id);
    let answer = single(client, &statement).await?;
    let Some(first) = answer.rows.first() else {
        return Ok(None);
    };
    let mut pauses = Vec::new();
    for row in &answer.rows {
        if get::<Option<Uuid>>(row, "tool_call_id")?.is_none() {
            continue;
        }
        pauses.push(PausedCall {
            pause: pause(run_id, row)?,
            tool: get(row, "name")?,
            arguments: get(row, "arguments")?,
            expires_at: get(row, "expires_at")?,
        });
    }
    Ok(Some(Pauses {
        status: RunStatus::parse(get(first, "run_status")?).map_err(corrupt)?,
        channel: get(first, "channel")?,
        requester: get(first, "requester")?,
        tenant: get(first, "tenant")?,
        pauses,
    }))
}

/// Asks for a run to end.
pub(crate) async fn cancel(
    client: &Client,
    agent_id: &str,
    run_id: RunId,
    by: &str,
) -> Result<Cancelled, Failure> {
    let statement = of_agent(include_str!("sql/cancel.sql"), run_id.uuid(), agent_id)
        .bind(clean::text(by), Type::TEXT);
    let answer = single(client, &statement).await?;
    if let Some(row) = answer.rows.first() {
        if !get::<bool>(row, "unbegun")? {
            return Ok(Cancelled::Requested);
        }
        let next_run = get::<Option<Uuid>>(row, "next_run")?.map(RunId::new);
        return Ok(Cancelled::Ended { next_run });
    }
    let status = of_agent(include_str!("sql/run_status.sql"), run_id.uuid(), agent_id);
    let answer = single(client, &status).await?;
    match answer.rows.first() {
        None => Ok(Cancelled::Unknown),
        Some(row) => {
            let status = RunStatus::parse(get(row, "status")?).map_err(corrupt)?;
            Ok(Cancelled::Already(status))
        }
    }
}

/// Sets a run aside; `false` if the lease is no longer ours.
pub(crate) async fn set_aside(
    client: &Client,
    run_id: RunId,
    token: LeaseToken,
    why: &RunFailure,
    wait_ms: u64,
) -> Result<bool, Failure> {
    let statement = Statement::new(include_str!("sql/set_aside.sql"))
        .bind(run_id.uuid(), Type::UUID)
        .bind(token.uuid(), Type::UUID)
        .bind(why.code.clone(), Type::TEXT)
        .bind(clean::text(&why.message), Type::TEXT)
        .bind(i64::try_from(wait_ms).unwrap_or(i64::MAX), Type::INT8);
    Ok(!single(client, &statement).await?.rows.is_empty())
}

/// Begins a failed run again, or frees one that was set aside.
pub(crate) async fn redrive_run(
    client: &Client,
    agent_id: &str,
    run_id: RunId,
    fresh: RunId,
) -> Result<Redriven, Failure> {
    let statement = of_agent(include_str!("sql/redrive_run.sql"), run_id.uuid(), agent_id)
        .bind(fresh.uuid(), Type::UUID);
    let Some(row) = redriven(client, &statement).await? else {
        return Ok(Redriven::Unknown);
    };
    if get::<bool>(&row, "freed")? {
        return Ok(Redriven::Freed);
    }
    let status = RunStatus::parse(get(&row, "status")?).map_err(corrupt)?;
    let again = get::<Option<Uuid>>(&row, "again")?.map(RunId::new);
    Ok(match again {
        Some(run_id) => Redriven::Again {
            run_id,
            before: run_id != fresh,
        },
        None => Redriven::Nothing {
            status: status.as_str().to_owned(),
        },
    })
}

/// Owes a delivery that was given up once more.
pub(crate) async fn redrive_delivery(
    client: &Client,
    agent_id: &str,
    id: DeliveryId,
    fresh: DeliveryId,
) -> Result<Redriven, Failure> {
    let statement = of_agent(
        include_str!("sql/redrive_delivery.sql"),
        id.uuid(),
        agent_id,
    )
    .bind(fresh.uuid(), Type::UUID);
    let Some(row) = redriven(client, &statement).await? else {
        return Ok(Redriven::Unknown);
    };
    let status = DeliveryStatus::parse(get(&row, "status")?).map_err(corrupt)?;
    let again = get::<Option<Uuid>>(&row, "again")?.map(DeliveryId::new);
    Ok(match again {
        Some(delivery_id) => Redriven::Owed {
            delivery_id,
            before: delivery_id != fresh,
        },
        None => Redriven::Nothing {
            status: status.as_str().to_owned(),
        },
    })
}

/// The row of a redrive. One that waited for another redrive of the same row cannot see what that
/// one made, so it looks once more.
async fn redriven(client: &Client, statement: &Statement) -> Result<Option<Row>, Failure> {
    let mut row = single(client, statement).await?.rows.pop();
    if let Some(found) = &row
        && get::<&str>(found, "status")? == "failed"
        && get::<Option<Uuid>>(found, "again")?.is_none()
    {
        row = single(client, statement).await?.rows.pop();
    }
    Ok(row)
}

fn of_agent(sql: &'static str, id: Uuid, agent_id: &str) -> Statement {
    Statement::new(sql)
        .bind(id, Type::UUID)
        .bind(agent_id.to_owned(), Type::TEXT)
}
