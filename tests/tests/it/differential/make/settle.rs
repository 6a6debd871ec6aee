//! Settlements of deliveries: by the domain's rule, under the right token or another, and some that
//! the schema refuses.

use openeve_domain::delivery::{SendOutcome, settle};
use openeve_domain::ids::LeaseToken;
use openeve_domain::status::DeliveryStatus;

use super::{MINUTE_MS, Make, Op};

impl Make {
    pub(super) fn settle(&mut self) -> Op {
        let Some(mut leased) = self.newest_leased() else {
            return self.lease();
        };
        if !self.chance.likely(8) {
            leased.token = LeaseToken::new(self.uuid());
        }
        let error = self.text("HTTP 503", "HTTP\0").to_owned();
        let outcome = match self.chance.below(6) {
            0 => SendOutcome::Sent {
                via: "webhook".into(),
                provider_id: Some(self.text("m1", "m\0").to_owned()),
            },
            1 => SendOutcome::Suppressed { reason: "sentinel" },
            2 => SendOutcome::Refused { error },
            3 => SendOutcome::Ambiguous { error },
            _ => SendOutcome::Retry {
                after_ms: Some(self.chance.of(&[1, 5, 30]) * MINUTE_MS),
                error,
            },
        };
        let parts = u32::try_from(self.chance.below(3)).unwrap();
        let mut settlement = settle(&leased, outcome, parts, self.chance.of(&[2, 8]), 0.5);
        match self.chance.below(30) {
            0 => settlement.status = DeliveryStatus::Sending,
            1 => {
                settlement.status = DeliveryStatus::Pending;
                settlement.retry_after_ms = None;
            }
            _ => {}
        }
        Op::Settle(settlement)
    }
}
