//! Deliveries: what we owe to a channel, and how one attempt to send it is settled.
//!
//! Discharging is at-least-once: the channel may see a message twice, so every sender passes the
//! delivery's id as its dedupe key where the channel has one. The lease only avoids wasted work;
//! settling needs its token. This module does not know any provider.

use serde_json::{Value, json};

use crate::event::{self, Event};
use crate::ids::{DeliveryId, LeaseToken, RunId};
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
    /// Parts that were sent before; this attempt goes on behind them.
    pub parts_sent: u32,
    /// Whether the sender before us vanished while it was sending: what it sent last is unknown.
    pub interrupted: bool,
}

/// What came of one attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SendOutcome {
    /// The channel took it; `via` names the sender, or why legitimately none ran [L.02].
    Sent {
        /// Such as `webhook`, `dev-no-sender`, `local-no-sender`.
        via: String,
        /// What the provider calls the message, if it says so.
        provider_id: Option<String>,
    },
    /// Nothing is to be sent; silence was intended [Z.10].
    Suppressed {
        /// `sentinel` or `silent_routine`.
        reason: &'static str,
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
    /// Why it was suppressed or given up.
    pub reason: Option<&'static str>,
    /// Parts that were sent so far, this attempt's included.
    pub parts_sent: u32,
    /// What the provider calls the last part, if it says so.
    pub provider_id: Option<String>,
    /// What happened, for the run's log.
    pub event: Event,
}

/// A part of a delivery that was sent, to be written under the lease token, which it extends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartSent {
    /// The delivery.
    pub id: DeliveryId,
    /// Proof of the lease.
    pub token: LeaseToken,
    /// Parts that were sent so far.
    pub parts_sent: u32,
    /// What the provider calls this part, if it says so.
    pub provider_id: Option<String>,
}

/// The token that stands for an intended silence, once or repeated with nothing else [Z.10].
pub const SENTINEL: &str = "NO_REPLY";

/// Whether an answer is nothing but the sentinel.
pub fn is_silence(text: &str) -> bool {
    let mut words = text.split_whitespace().peekable();
    words.peek().is_some() && words.all(|word| word == SENTINEL)
}

/// How often a delivery is tried, in all.
pub const fn gives_up(attempt: u64, attempts_max: u64) -> bool {
    attempt >= attempts_max
}

/// Decides what an attempt means. `jitter` is in `0.0..1.0`; `parts_sent` counts this attempt's.
pub fn settle(
    delivery: &LeasedDelivery,
    outcome: SendOutcome,
    parts_sent: u32,
    attempts_max: u64,
    jitter: f64,
) -> Settlement {
    let attempt = delivery.attempts + 1;
    let mut settled = Settlement {
        id: delivery.id,
        token: delivery.token,
        status: DeliveryStatus::Failed,
        retry_after_ms: None,
        error: None,
        reason: None,
        parts_sent,
        provider_id: None,
        event: Event::new(event::DELIVERY_FAILED, Value::Null),
    };
    let mut payload = json!({"delivery": delivery.id, "attempt": attempt});
    let (kind, detail) = match outcome {
        SendOutcome::Sent { via, provider_id } => {
            settled.status = DeliveryStatus::Sent;
            settled.provider_id = provider_id;
            (event::DELIVERY_SENT, json!({ "via": via }))
        }
        SendOutcome::Suppressed { reason } => {
            settled.status = DeliveryStatus::Suppressed;
            settled.reason = Some(reason);
            (event::DELIVERY_SUPPRESSED, json!({ "reason": reason }))
        }
        SendOutcome::Retry { after_ms, error } if !gives_up(attempt, attempts_max) => {
            let wait_ms = backoff_ms(attempt, jitter, after_ms);
            settled.status = DeliveryStatus::Pending;
            settled.retry_after_ms = Some(wait_ms);
            settled.error = Some(error.clone());
            let kind = if attempt == 1 {
                event::DELIVERY_DEFERRED
            } else {
                event::DELIVERY_RETRYING
            };
            (kind, json!({"retry_after_ms": wait_ms, "error": error}))
        }
        SendOutcome::Retry { error, .. } => failed(&mut settled, "attempts_used_up", error),
        SendOutcome::Refused { error } => failed(&mut settled, "refused", error),
        SendOutcome::Ambiguous { error } => failed(&mut settled, "ambiguous", error),
    };
    if let (Some(fields), Value::Object(detail)) = (payload.as_object_mut(), detail) {
        fields.extend(detail);
    }
    settled.event = Event::new(kind, payload);
    settled
}

fn failed(settled: &mut Settlement, reason: &'static str, error: String) -> (&'static str, Value) {
    let detail = json!({"reason": reason, "error": error});
    settled.reason = Some(reason);
    settled.error = Some(error);
    (event::DELIVERY_FAILED, detail)
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::limits::DELIVERY_ATTEMPTS_MAX;

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
            parts_sent: 0,
            interrupted: false,
        }
    }

    fn settle(delivery: &LeasedDelivery, outcome: SendOutcome, jitter: f64) -> Settlement {
        super::settle(delivery, outcome, 0, DELIVERY_ATTEMPTS_MAX, jitter)
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
    fn the_first_failure_defers_and_later_ones_retry() {
        let kinds = [0, 1].map(|attempts| settle(&leased(attempts), retry(), 0.0).event.kind);
        assert_eq!(kinds, [event::DELIVERY_DEFERRED, event::DELIVERY_RETRYING]);
    }

    #[test]
    fn only_the_bare_sentinel_means_silence() {
        for silent in ["NO_REPLY", " NO_REPLY\n", "NO_REPLY NO_REPLY"] {
            assert!(is_silence(silent), "{silent:?}");
        }
        for said in [
            "",
            "  ",
            "NO_REPLY.",
            "no_reply",
            "NO_REPLY, but",
            "`NO_REPLY`",
        ] {
            assert!(!is_silence(said), "{said:?}");
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
