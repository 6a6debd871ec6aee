//! Discharging one delivery: lease, send, settle.
//!
//! At-least-once: a sender that vanishes after sending leaves the row leased until it expires, and
//! another sends again with the same delivery id as dedupe key.

use std::sync::Arc;

use openeve_domain::delivery::{LeasedDelivery, SendOutcome, settle};
use openeve_domain::event::Event;
use openeve_domain::ids::{DeliveryId, LeaseToken};
use openeve_domain::limits::{DELIVERY_ATTEMPTS_MAX, INLINE_WAIT_MS_MAX};
use openeve_domain::manifest::Manifest;
use openeve_domain::retry::backoff_ms;
use openeve_domain::status::DeliveryStatus;

use openeve_domain::bell::Bell;

use crate::config::Settings;
use crate::ports::{Clock, Doorbell, Ids, Observer, PortError, Sender, Store};

/// Everything the delivery function reaches the world through.
#[derive(Clone)]
pub struct DeliveryDeps {
    /// All truth.
    pub store: Arc<dyn Store>,
    /// Sends.
    pub sender: Arc<dyn Sender>,
    /// Rings.
    pub doorbell: Arc<dyn Doorbell>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Identity.
    pub ids: Arc<dyn Ids>,
    /// Whoever watches.
    pub observer: Arc<dyn Observer>,
    /// The agent.
    pub manifest: Arc<Manifest>,
    /// The knobs.
    pub settings: Settings,
}

/// Discharges one delivery if it is due. Idempotent in effect: a second bell finds it leased or
/// settled. An error means that the bell should ring again later.
pub async fn deliver(deps: &DeliveryDeps, id: DeliveryId) -> Result<(), PortError> {
    let token = LeaseToken::new(deps.ids.uuid());
    let Some(leased) = deps
        .store
        .lease_delivery(id, token, deps.settings.delivery_lease_ms)
        .await?
    else {
        return Ok(());
    };
    let run_id = leased.run_id;
    let settled = discharge(
        deps.store.as_ref(),
        deps.sender.as_ref(),
        deps.clock.as_ref(),
        deps.ids.as_ref(),
        &deps.manifest,
        &deps.settings,
        leased,
    )
    .await?;
    let Some(event) = settled else { return Ok(()) };
    if let Some(wait_ms) = event
        .payload
        .get("retry_after_ms")
        .and_then(serde_json::Value::as_u64)
        && let Err(error) = deps.doorbell.ring(&Bell::delivery(id), wait_ms).await
    {
        tracing::warn!(delivery.id = %id, error = %error, "a doorbell did not ring; the tick will");
    }
    deps.observer.event(run_id, &event);
    Ok(())
}

/// Sends a delivery we hold, retrying in place for a moment, and settles what came of it. Returns
/// the event that was recorded, or `None` if the lease was lost meanwhile.
#[expect(
    clippy::too_many_arguments,
    reason = "two callers with different sets of dependencies share it"
)]
pub(crate) async fn discharge(
    store: &dyn Store,
    sender: &dyn Sender,
    clock: &dyn Clock,
    ids: &dyn Ids,
    manifest: &Manifest,
    settings: &Settings,
    leased: LeasedDelivery,
) -> Result<Option<Event>, PortError> {
    let mut tries = 1;
    let outcome = loop {
        // Whoever sent it last vanished that often; sending once more would go on for ever.
        if leased.attempts >= DELIVERY_ATTEMPTS_MAX {
            let error = format!("its sender vanished {} times", leased.attempts);
            break SendOutcome::Refused { error };
        }
        let outcome = sender.send(manifest, &leased).await;
        let SendOutcome::Retry { after_ms, .. } = &outcome else {
            break outcome;
        };
        let wait_ms = backoff_ms(tries, ids.fraction(), *after_ms);
        if tries >= settings.delivery_attempts_inline || wait_ms > INLINE_WAIT_MS_MAX {
            break outcome;
        }
        clock.wait_ms(wait_ms).await;
        tries += 1;
    };
    let settlement = settle(&leased, outcome, ids.fraction());
    if settlement.status == DeliveryStatus::Failed {
        tracing::error!(run.id = %leased.run_id, delivery.id = %leased.id, error = settlement.error.as_deref().unwrap_or_default(), "a reply was given up");
    }
    let ours = store.settle_delivery(&settlement).await?;
    Ok(ours.then_some(settlement.event))
}
