//! Leasing and settling deliveries.

use openeve_domain::delivery::{LeasedDelivery, PartSent, Settlement};
use openeve_domain::ids::{DeliveryId, LeaseToken};
use openeve_domain::status::DeliveryStatus;
use openeve_runtime::ports::PortError;

use crate::clean;
use crate::tables::{Held, Tables, later, refused};

impl Tables {
    /// Leases a delivery that is due, or whose sender vanished.
    pub fn lease_delivery(
        &mut self,
        now: i64,
        id: DeliveryId,
        token: LeaseToken,
        lease_ms: u64,
    ) -> Option<LeasedDelivery> {
        let guarded = self.clauses.delivery_lease;
        let delivery = self.deliveries.get_mut(&id)?;
        let own = delivery.lease.is_some_and(|held| held.token == token);
        let sending = delivery.status == DeliveryStatus::Sending;
        let due = match delivery.status {
            DeliveryStatus::Pending => {
                !guarded || delivery.next_attempt_at.is_some_and(|at| at <= now)
            }
            DeliveryStatus::Sending => {
                !guarded || own || delivery.lease.is_some_and(|held| held.until < now)
            }
            DeliveryStatus::Sent | DeliveryStatus::Suppressed | DeliveryStatus::Failed => false,
        };
        if !due {
            return None;
        }
        delivery.status = DeliveryStatus::Sending;
        delivery.lease = Some(Held {
            token,
            until: later(now, lease_ms),
        });
        delivery.next_attempt_at = None;
        delivery.attempt_count += u64::from(!own);
        let delivery = self.deliveries.get(&id)?;
        let run = self.runs.get(&delivery.run_id)?;
        let conversation = self.conversations.get(&run.conversation_id)?;
        Some(LeasedDelivery {
            id,
            token,
            run_id: delivery.run_id,
            channel: delivery.channel.clone(),
            conversation_key: conversation.key.clone(),
            target: delivery.target.clone(),
            text: delivery.text.clone(),
            attempts: delivery.attempt_count.saturating_sub(1),
            parts_sent: delivery.parts_sent,
            interrupted: sending && !own,
        })
    }

    /// Records a part, under the lease's token.
    pub fn part_sent(&mut self, now: i64, part: &PartSent, lease_ms: u64) -> bool {
        let guarded = self.clauses.part_token;
        let Some(delivery) = self.deliveries.get_mut(&part.id) else {
            return false;
        };
        let own = delivery.lease.is_some_and(|held| held.token == part.token);
        if (guarded && !own) || delivery.status != DeliveryStatus::Sending {
            return false;
        }
        delivery.parts_sent = delivery.parts_sent.max(part.parts_sent);
        let named = part.provider_id.as_deref().map(clean::text);
        delivery.provider_ids.extend(named);
        if let Some(held) = &mut delivery.lease {
            held.until = later(now, lease_ms);
        }
        true
    }

    /// Settles an attempt, under the lease's token.
    pub fn settle_delivery(
        &mut self,
        now: i64,
        settlement: &Settlement,
    ) -> Result<bool, PortError> {
        let guarded = self.clauses.delivery_token;
        let is_final = self.clauses.terminal_final;
        let Some(delivery) = self.deliveries.get_mut(&settlement.id) else {
            return Ok(false);
        };
        let own = delivery
            .lease
            .is_some_and(|held| held.token == settlement.token);
        if guarded && !own {
            return Ok(false);
        }
        let ended = delivery.status.is_terminal();
        if is_final && ended && settlement.status != delivery.status {
            return Err(refused("deliveries_terminal_is_final"));
        }
        delivery.next_attempt_at = match (settlement.status, settlement.retry_after_ms) {
            (DeliveryStatus::Pending, Some(wait_ms)) => Some(later(now, wait_ms)),
            (DeliveryStatus::Pending, None) => return Err(refused("deliveries_pending_is_due")),
            (DeliveryStatus::Sending, _) => return Err(refused("deliveries_sending_is_leased")),
            (DeliveryStatus::Sent | DeliveryStatus::Suppressed | DeliveryStatus::Failed, _) => None,
        };
        delivery.status = settlement.status;
        delivery.lease = None;
        delivery.last_error = settlement.error.as_deref().map(clean::text);
        delivery.reason = settlement.reason;
        delivery.parts_sent = delivery.parts_sent.max(settlement.parts_sent);
        let named = settlement.provider_id.as_deref().map(clean::text);
        delivery.provider_ids.extend(named);
        let run_id = delivery.run_id;
        if let Some(run) = self.runs.get_mut(&run_id) {
            run.log(clean::event(&settlement.event), now);
        }
        Ok(true)
    }
}
