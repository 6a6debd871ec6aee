//! Leasing and settling deliveries: one round trip each.

use openeve_domain::delivery::{LeasedDelivery, PartSent, Settlement};
use openeve_domain::ids::{DeliveryId, LeaseToken, RunId};
use tokio_postgres::Client;
use tokio_postgres::types::Type;
use uuid::Uuid;

use crate::failure::Failure;
use crate::pipeline::{Statement, single};
use crate::rows::{get, small};
use openeve_domain::storable as clean;

/// Leases one delivery that is due.
pub(crate) async fn lease(
    client: &Client,
    id: DeliveryId,
    token: LeaseToken,
    lease_ms: u64,
) -> Result<Option<LeasedDelivery>, Failure> {
    let statement = Statement::new(include_str!("sql/lease_delivery.sql"))
        .bind(id.uuid(), Type::UUID)
        .bind(token.uuid(), Type::UUID)
        .bind(i64::try_from(lease_ms).unwrap_or(0), Type::INT8);
    let answer = single(client, &statement).await?;
    let Some(row) = answer.rows.first() else {
        return Ok(None);
    };
    Ok(Some(LeasedDelivery {
        id,
        token,
        run_id: RunId::new(get::<Uuid>(row, "run_id")?),
        channel: get(row, "channel")?,
        conversation_key: get(row, "conversation_key")?,
        target: get(row, "target")?,
        text: get(row, "body")?,
        attempts: u64::from(small::<u32>(row, "attempt_count")?).saturating_sub(1),
        parts_sent: small(row, "parts_sent")?,
        interrupted: get(row, "interrupted")?,
    }))
}

/// Records a part that was sent; `false` if the lease is no longer ours.
pub(crate) async fn part(client: &Client, part: &PartSent, lease_ms: u64) -> Result<bool, Failure> {
    let statement = Statement::new(include_str!("sql/part_sent.sql"))
        .bind(part.id.uuid(), Type::UUID)
        .bind(part.token.uuid(), Type::UUID)
        .bind(
            i32::try_from(part.parts_sent).unwrap_or(i32::MAX),
            Type::INT4,
        )
        .bind(part.provider_id.as_deref().map(clean::text), Type::TEXT)
        .bind(i64::try_from(lease_ms).unwrap_or(0), Type::INT8);
    Ok(!single(client, &statement).await?.rows.is_empty())
}

/// Settles one attempt; `false` if the lease is no longer ours.
pub(crate) async fn settle(client: &Client, settlement: &Settlement) -> Result<bool, Failure> {
    let wait_ms = settlement
        .retry_after_ms
        .map(|ms| i64::try_from(ms).unwrap_or(i64::MAX));
    let statement = Statement::new(include_str!("sql/settle_delivery.sql"))
        .bind(settlement.id.uuid(), Type::UUID)
        .bind(settlement.token.uuid(), Type::UUID)
        .bind(settlement.status.as_str(), Type::TEXT)
        .bind(wait_ms, Type::INT8)
        .bind(settlement.error.as_deref().map(clean::text), Type::TEXT)
        .bind(settlement.event.kind.clone(), Type::TEXT)
        .bind(clean::json(&settlement.event.payload), Type::JSONB)
        .bind(settlement.reason, Type::TEXT)
        .bind(
            i32::try_from(settlement.parts_sent).unwrap_or(i32::MAX),
            Type::INT4,
        )
        .bind(
            settlement.provider_id.as_deref().map(clean::text),
            Type::TEXT,
        );
    match single(client, &statement).await {
        Ok(_) => Ok(true),
        Err(Failure::Superseded) => Ok(false),
        Err(other) => Err(other),
    }
}
