//! Deliveries: what we owe to a channel, and how one attempt to send it is settled.
//!
//! Discharging is at-least-once: the channel may see a message twice, so every sender passes the
//! delivery's id as its dedupe key where the channel has one. The lease only avoids wasted work;
//! settling needs its token. This module does not know any provider.

use serde_json::{Value, json};

use crate::event::{self, Event};
use crate::ids::{DeliveryId, LeaseToken, RunId};
use crate::limits::DELIVERY_ATTEMPTS_MAX;
use crate::retry::backoff_ms;
use crate::status::DeliveryStatus;

/// A delivery leased by a sender.
#[derive(Debug, Clone, PartialEq)]
pub struct LeasedDelivery {
    /// Its id, and the dedupe key the channel is given.
    pub id: DeliveryId,
    /// Proof of the lease.
    pub token: LeaseToken,
    /// The run that owes it.
    pub run_id: RunId,
    /// The channel that sends it.
    pub channel: String,
    /// The channel's own conversation key.
    pub conversation_key: String,
    /// Where to.
    pub target: Value,
    /// The text.
    pub text: String,
    /// Attempts made before this one.
    pub attempts: u64,
}

/// What came of one attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SendOutcome {
    /// The channel took it; `via` names the sender, or why legitimately none ran [L.02].
    Sent {
        /// Such as `webhook`, `dev-no-sender`, `local-no-sender`.
        via: String,
    },
    /// Nothing reached anyone, and it may work later.
    Retry {
        /// The provider's wish.
        after_ms: Option<u64>,
        /// What happened.
        error: String,
    },
    /// It will not work.
    Refused {
        /// What happened.
        error: String,
    },
    /// The request left and no answer came, and the receiver has no dedupe key.
    Ambiguous {
        /// What happened.
        error: String,
    },
}

/// How an attempt changes the row, to be written under the lease token.
#[derive(Debug, Clone, PartialEq)]
pub struct Settlement {
    /// The delivery.
    pub id: DeliveryId,
    /// Proof of the lease.
    pub token: LeaseToken,
    /// The status afterwards.
    pub status: DeliveryStatus,
    /// When to try again, if `pending`.
    pub retry_after_ms: Option<u64>,
    /// The last error, if any.
    pub error: Option<String>,
    /// What happened, for the run's log.
    pub event: Event,
}

/// Decides what an attempt means. `jitter` is in `0.0..1.0`.
pub fn settle(delivery: &LeasedDelivery, outcome: SendOutcome, jitter: f64) -> Settlement {
    let attempt = delivery.attempts + 1;
    let base =
        |status, retry_after_ms, error: Option<String>, kind: &str, payload: Value| Settlement {
            id: delivery.id,
            token: delivery.token,
            status,
            retry_after_ms,
            error,
            event: Event::new(kind, payload),
        };
    let id = delivery.id.to_string();
    match outcome {
        SendOutcome::Sent { via } => base(
            DeliveryStatus::Sent,
            None,
            None,
            event::DELIVERY_SENT,
            json!({"delivery": id, "attempt": attempt, "via": via}),
        ),
        SendOutcome::Retry { after_ms, error } if attempt < DELIVERY_ATTEMPTS_MAX => {
            let wait = backoff_ms(attempt, jitter, after_ms);
            base(
                DeliveryStatus::Pending,
                Some(wait),
                Some(error.clone()),
                event::DELIVERY_DEFERRED,
                json!({"delivery": id, "attempt": attempt, "retry_after_ms": wait, "error": error}),
            )
        }
        SendOutcome::Retry { error, .. } => failed(&base, &id, attempt, "attempts_used_up", error),
        SendOutcome::Refused { error } => failed(&base, &id, attempt, "refused", error),
        SendOutcome::Ambiguous { error } => failed(&base, &id, attempt, "ambiguous", error),
    }
}

/// Makes a settlement of one delivery: status, wait, error, kind and payload of its event.
type Settle<'a> =
    &'a dyn Fn(DeliveryStatus, Option<u64>, Option<String>, &str, Value) -> Settlement;

fn failed(base: Settle<'_>, id: &str, attempt: u64, reason: &str, error: String) -> Settlement {
    let payload = json!({"delivery": id, "attempt": attempt, "reason": reason, "error": error});
    base(
        DeliveryStatus::Failed,
        None,
        Some(error),
        event::DELIVERY_FAILED,
        payload,
    )
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn leased(attempts: u64) -> LeasedDelivery {
        LeasedDelivery {
            id: DeliveryId::new(Uuid::from_u128(1)),
            token: LeaseToken::new(Uuid::from_u128(2)),
            run_id: RunId::new(Uuid::from_u128(3)),
            channel: "message".into(),
            conversation_key: "c".into(),
            target: Value::Null,
            text: "hi".into(),
            attempts,
        }
    }

    fn retry() -> SendOutcome {
        SendOutcome::Retry {
            after_ms: None,
            error: "HTTP 503".into(),
        }
    }

    #[test]
    fn a_passing_failure_defers_and_the_last_one_gives_up() {
        let first = settle(&leased(0), retry(), 1.0);
        assert_eq!(
            (first.status, first.retry_after_ms),
            (DeliveryStatus::Pending, Some(2_000))
        );
        let last = settle(&leased(DELIVERY_ATTEMPTS_MAX - 1), retry(), 1.0);
        assert_eq!(last.status, DeliveryStatus::Failed);
        assert_eq!(last.event.payload["reason"], "attempts_used_up");
    }

    #[test]
    fn a_refusal_and_an_ambiguous_send_are_terminal_at_once() {
        for (outcome, reason) in [
            (
                SendOutcome::Refused {
                    error: "HTTP 404".into(),
                },
                "refused",
            ),
            (
                SendOutcome::Ambiguous {
                    error: "connection lost".into(),
                },
                "ambiguous",
            ),
        ] {
            let settled = settle(&leased(0), outcome, 0.5);
            assert_eq!(settled.status, DeliveryStatus::Failed);
            assert_eq!(settled.event.payload["reason"], reason);
        }
    }

    #[test]
    fn the_receivers_wish_decides_when_to_try_again() {
        let outcome = SendOutcome::Retry {
            after_ms: Some(90_000),
            error: "HTTP 429".into(),
        };
        assert_eq!(
            settle(&leased(0), outcome, 0.0).retry_after_ms,
            Some(90_000)
        );
    }
}
