//! Accepting a turn: one statement, one round trip.

use openeve_domain::commit::Accept;
use openeve_domain::ids::{ConversationId, RunId};
use openeve_runtime::ports::Accepted;
use serde_json::Value;
use tokio_postgres::Client;
use tokio_postgres::types::Type;
use uuid::Uuid;

use crate::failure::Failure;
use crate::pipeline::{Statement, single};
use crate::rows::{corrupt, get};
use openeve_domain::storable as clean;

/// Accepts; a taken key costs a second round trip.
pub(crate) async fn accept(client: &Client, accept: &Accept) -> Result<Accepted, Failure> {
    let answer = single(client, &statement(accept)?).await?;
    if let Some(row) = answer.rows.first() {
        return Ok(Accepted {
            run_id: RunId::new(get::<Uuid>(row, "run_id")?),
            conversation_id: ConversationId::new(get::<Uuid>(row, "conversation_id")?),
            conversation_key: accept.turn.conversation_key.clone(),
            duplicate: false,
            answered: get(row, "answered")?,
            tenant: get(row, "tenant")?,
        });
    }
    let before = Statement::new(include_str!("sql/accepted_before.sql"))
        .bind(accept.idempotency.scope.clone(), Type::TEXT)
        .bind(clean::text(&accept.idempotency.key), Type::TEXT);
    let answer = single(client, &before).await?;
    let row = answer
        .rows
        .first()
        .ok_or_else(|| corrupt("an idempotency key without its run"))?;
    let run_id = RunId::new(get::<Uuid>(row, "run_id")?);
    Ok(Accepted {
        run_id,
        conversation_id: ConversationId::new(get::<Uuid>(row, "conversation_id")?),
        conversation_key: get(row, "conversation_key")?,
        // Our own id means that an earlier try was applied and its answer lost.
        duplicate: run_id != accept.run_id,
        answered: false,
        tenant: get(row, "tenant")?,
    })
}

fn statement(accept: &Accept) -> Result<Statement, Failure> {
    // The text is the transcript's first row; storing it twice would double the bytes of a turn.
    let mut turn = accept.turn.clone();
    let text = clean::text(&std::mem::take(&mut turn.text));
    let turn = clean::json(&serde_json::to_value(turn).map_err(corrupt)?);
    let kinds: Vec<String> = accept
        .events
        .iter()
        .map(|event| event.kind.clone())
        .collect();
    let payloads: Vec<Value> = accept
        .events
        .iter()
        .map(|event| clean::json(&event.payload))
        .collect();
    let ttl = i64::try_from(accept.idempotency_ttl_hours).unwrap_or(i64::from(i32::MAX));
    Ok(Statement::new(include_str!("sql/accept.sql"))
        .bind(accept.idempotency.scope.clone(), Type::TEXT)
        .bind(clean::text(&accept.idempotency.key), Type::TEXT)
        .bind(accept.run_id.uuid(), Type::UUID)
        .bind(ttl, Type::INT8)
        .bind(accept.conversation_id.uuid(), Type::UUID)
        .bind(accept.agent_id.clone(), Type::TEXT)
        .bind(accept.turn.channel.clone(), Type::TEXT)
        .bind(clean::text(&accept.turn.conversation_key), Type::TEXT)
        .bind(accept.agent_revision.clone(), Type::TEXT)
        .bind(accept.trigger, Type::TEXT)
        .bind(turn, Type::JSONB)
        .bind(accept.trace_parent.clone(), Type::TEXT)
        .bind(text, Type::TEXT)
        .bind(kinds, Type::TEXT_ARRAY)
        .bind(payloads, Type::JSONB_ARRAY)
        .bind(
            accept.occurrence.as_ref().map(|one| one.schedule.clone()),
            Type::TEXT,
        )
        .bind(
            accept.occurrence.as_ref().map(|one| one.at),
            Type::TIMESTAMPTZ,
        )
        .bind(accept.may_answer, Type::BOOL)
        .bind(accept.turn.sender.as_deref().map(clean::text), Type::TEXT)
        .bind(
            clean::text(accept.turn.tenant.as_deref().unwrap_or_default()),
            Type::TEXT,
        ))
}
