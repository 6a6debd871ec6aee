//! Discharging one delivery: lease, send, settle.
//!
//! At-least-once: a sender that vanishes after sending leaves the row leased until it expires, and
//! another sends again with the same delivery id as dedupe key.

use std::sync::Arc;

use openeve_domain::delivery::{LeasedDelivery, PartSent, SendOutcome, is_silence, settle};
use openeve_domain::event::Event;
use openeve_domain::ids::{DeliveryId, LeaseToken};
use openeve_domain::limits::{INLINE_WAIT_MS_MAX, LEASE_SLACK_MS};
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
    let through = Through {
        store: deps.store.as_ref(),
        sender: deps.sender.as_ref(),
        clock: deps.clock.as_ref(),
        ids: deps.ids.as_ref(),
        manifest: &deps.manifest,
        settings: &deps.settings,
    };
    let event = match discharge(&through, leased).await {
        Ok(Some(event)) => event,
        Ok(None) => return Ok(()),
        Err(error) => {
            // Nobody can go on before the lease has ended; its bell is rung for then.
            ring(deps, id, deps.settings.delivery_lease_ms + LEASE_SLACK_MS).await;
            return Err(error);
        }
    };
    let wait_ms = event.payload.get("retry_after_ms");
    if let Some(wait_ms) = wait_ms.and_then(serde_json::Value::as_u64) {
        ring(deps, id, wait_ms).await;
    }
    deps.observer.event(run_id, &event);
    Ok(())
}

async fn ring(deps: &DeliveryDeps, id: DeliveryId, delay_ms: u64) {
    if let Err(error) = deps.doorbell.ring(&Bell::delivery(id), delay_ms).await {
        tracing::warn!(delivery.id = %id, error = %error, "a doorbell did not ring; the tick will");
    }
}

/// What a delivery is discharged through.
pub(crate) struct Through<'a> {
    pub(crate) store: &'a dyn Store,
    pub(crate) sender: &'a dyn Sender,
    pub(crate) clock: &'a dyn Clock,
    pub(crate) ids: &'a dyn Ids,
    pub(crate) manifest: &'a Manifest,
    pub(crate) settings: &'a Settings,
}

/// Sends a delivery we hold, part after part, retrying in place for a moment, and settles what came
/// of it. Returns the event that was recorded, or `None` if the lease was lost meanwhile.
pub(crate) async fn discharge(
    through: &Through<'_>,
    leased: LeasedDelivery,
) -> Result<Option<Event>, PortError> {
    let Some((outcome, parts_sent)) = attempt(through, &leased).await? else {
        return Ok(None);
    };
    let settlement = settle(
        &leased,
        outcome,
        parts_sent,
        through.settings.delivery_attempts,
        through.ids.fraction(),
    );
    if settlement.status == DeliveryStatus::Failed {
        tracing::error!(run.id = %leased.run_id, delivery.id = %leased.id, reason = settlement.reason, error = settlement.error.as_deref().unwrap_or_default(), "a reply was given up");
    }
    let ours = through.store.settle_delivery(&settlement).await?;
    Ok(ours.then_some(settlement.event))
}

/// One attempt at what is left of a delivery, and how many parts are sent afterwards; `None` if the
/// lease was lost on the way.
async fn attempt(
    through: &Through<'_>,
    leased: &LeasedDelivery,
) -> Result<Option<(SendOutcome, u32)>, PortError> {
    let parts_sent = leased.parts_sent;
    if let Some(reason) = silence(through.manifest, leased) {
        return Ok(Some((SendOutcome::Suppressed { reason }, parts_sent)));
    }
    // Whoever sent it last vanished that often; sending once more would go on for ever.
    if leased.attempts >= through.settings.delivery_attempts {
        let error = format!("its sender vanished {} times", leased.attempts);
        return Ok(Some((SendOutcome::Refused { error }, parts_sent)));
    }
    let plan = through.sender.plan(through.manifest, leased);
    if leased.interrupted && !plan.dedupes && !through.settings.delivery_ambiguous_retry {
        let error =
            "its sender vanished while it was sending, and the receiver cannot tell a repetition"
                .to_owned();
        return Ok(Some((SendOutcome::Ambiguous { error }, parts_sent)));
    }
    for part in parts_sent..plan.parts.max(1) {
        let outcome = patiently(through, leased, part).await;
        let last = part + 1 >= plan.parts;
        match outcome {
            SendOutcome::Sent { .. } if last => return Ok(Some((outcome, part + 1))),
            SendOutcome::Sent { provider_id, .. } => {
                let sent = PartSent {
                    id: leased.id,
                    token: leased.token,
                    parts_sent: part + 1,
                    provider_id,
                };
                let lease_ms = through.settings.delivery_lease_ms;
                if !through.store.part_sent(&sent, lease_ms).await? {
                    return Ok(None);
                }
            }
            SendOutcome::Ambiguous { error } if through.settings.delivery_ambiguous_retry => {
                let retry = SendOutcome::Retry {
                    after_ms: None,
                    error,
                };
                return Ok(Some((retry, part)));
            }
            SendOutcome::Suppressed { .. }
            | SendOutcome::Retry { .. }
            | SendOutcome::Refused { .. }
            | SendOutcome::Ambiguous { .. } => return Ok(Some((outcome, part))),
        }
    }
    // Every part was sent before; only settling was missing.
    let via = "resumed".to_owned();
    let sent = SendOutcome::Sent {
        via,
        provider_id: None,
    };
    Ok(Some((sent, parts_sent)))
}

/// Sends one part, again after short waits.
async fn patiently(through: &Through<'_>, leased: &LeasedDelivery, part: u32) -> SendOutcome {
    let mut tries = 1;
    loop {
        let outcome = through.sender.send(through.manifest, leased, part).await;
        let SendOutcome::Retry { after_ms, .. } = &outcome else {
            return outcome;
        };
        let wait_ms = backoff_ms(tries, through.ids.fraction(), *after_ms);
        if tries >= through.settings.delivery_attempts_inline || wait_ms > INLINE_WAIT_MS_MAX {
            return outcome;
        }
        through.clock.wait_ms(wait_ms).await;
        tries += 1;
    }
}

/// Why nothing is to be said, if so: the one guard at the last egress function [Z.10].
fn silence(manifest: &Manifest, leased: &LeasedDelivery) -> Option<&'static str> {
    let judged = manifest
        .channel(&leased.channel)
        .is_some_and(|channel| channel.judged_replies);
    (judged && is_silence(&leased.text)).then_some("sentinel")
}
