//! Leasing and settling deliveries.

use openeve_domain::delivery::{LeasedDelivery, PartSent, Settlement};
use openeve_domain::ids::{DeliveryId, LeaseToken};
use openeve_domain::status::DeliveryStatus;
use openeve_runtime::ports::PortError;

use crate::clean;
use crate::tables::{Held, Tables, later, refused};

/// What the last attempt met when its sender vanished.
const VANISHED: &str = "its sender vanished";

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
        // Our own token again, after a lost answer, must hear of it too.
        let interrupted = if own {
            delivery.last_error.as_deref() == Some(VANISHED)
        } else {
            delivery.status == DeliveryStatus::Sending
        };
        if interrupted {
            delivery.last_error = Some(VANISHED.to_owned());
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
            interrupted,
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
        if delivery.parts_sent < part.parts_sent {
            delivery.parts_sent = part.parts_sent;
            let named = part.provider_id.as_deref().map(clean::text);
            delivery.provider_ids.extend(named);
        }
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

#[cfg(test)]
mod tests {
    use openeve_domain::ids::{ConversationId, RunId};
    use serde_json::Value;
    use uuid::Uuid;

    use super::*;
    use crate::clauses::Clauses;
    use crate::tables::Delivery;

    /// A delivery whose sender vanished; leasing needs nothing of its run but that it is there.
    fn tables(id: DeliveryId) -> Tables {
        let mut tables = Tables::new(Clauses::default());
        let accept = openeve_domain::commit::Accept {
            run_id: RunId::new(Uuid::from_u128(1)),
            conversation_id: ConversationId::new(Uuid::from_u128(2)),
            agent_id: "a".into(),
            agent_revision: "r".into(),
            trigger: "message",
            turn: openeve_domain::channel::ChannelTurn {
                channel: "message".into(),
                conversation_key: "c".into(),
                text: "go".into(),
                tenant: None,
                sender: None,
                reply_target: Value::Null,
            },
            may_answer: false,
            idempotency: openeve_domain::channel::IdempotencyKey::channel("message", "k"),
            idempotency_ttl_hours: 1,
            events: Vec::new(),
            trace_parent: None,
            occurrence: None,
        };
        tables.accept(0, &accept).unwrap();
        let delivery = Delivery {
            key: "final".into(),
            run_id: accept.run_id,
            channel: "message".into(),
            target: Value::Null,
            text: "hi".into(),
            status: DeliveryStatus::Sending,
            reason: None,
            lease: Some(Held {
                token: LeaseToken::new(Uuid::from_u128(3)),
                until: 10,
            }),
            attempt_count: 1,
            next_attempt_at: None,
            parts_sent: 0,
            provider_ids: Vec::new(),
            last_error: None,
        };
        tables.deliveries.insert(id, delivery);
        tables
    }

    #[test]
    fn a_lease_repeated_after_a_lost_answer_still_says_that_the_sender_before_vanished() {
        let id = DeliveryId::new(Uuid::from_u128(4));
        let token = LeaseToken::new(Uuid::from_u128(5));
        let mut tables = tables(id);
        let lost = tables.lease_delivery(20, id, token, 1_000);
        let again = tables.lease_delivery(21, id, token, 1_000);
        assert!(lost.as_ref().is_some_and(|leased| leased.interrupted));
        assert_eq!(again, lost);
    }
}
