//! The doorbell: a queue message that says where to look. Ids only, never truth.
//!
//! Losing a bell, getting it twice, late or out of order changes latency, never outcome.

use serde::{Deserialize, Serialize};

use crate::ids::{DeliveryId, RunId};
use crate::limits::TENANT_BYTES_MAX;

/// A doorbell as it travels. New kinds and fields are added; none is ever reused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bell {
    /// Version of this form; 1.
    v: u32,
    /// Where to look.
    #[serde(flatten)]
    pub at: Place,
    /// Whose work it is, for fairness alone: a queue serves tenants in turn.
    #[serde(rename = "t", default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// W3C trace context of whoever rang.
    #[serde(rename = "tp", default, skip_serializing_if = "Option::is_none")]
    pub trace_parent: Option<String>,
}

/// The row a bell points at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "k")]
pub enum Place {
    /// A run that may be claimable.
    #[serde(rename = "run.step")]
    Run {
        /// The run.
        #[serde(rename = "run")]
        run_id: RunId,
    },
    /// A delivery that may be due.
    #[serde(rename = "delivery.send")]
    Delivery {
        /// The delivery.
        #[serde(rename = "delivery")]
        delivery_id: DeliveryId,
    },
}

/// A message that is no doorbell of ours. It can never succeed, so it goes to the dead letters.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BellError {
    /// Not JSON, or a form or kind this build does not know.
    #[error("the message is not a doorbell: {0}")]
    Unreadable(String),
    /// A later version than this build reads; left for a newer function.
    #[error("the doorbell has version {0}; this build reads version 1")]
    Version(u32),
}

impl Bell {
    /// A bell for one place.
    pub const fn new(at: Place, trace_parent: Option<String>) -> Self {
        Self {
            v: 1,
            at,
            tenant: None,
            trace_parent,
        }
    }

    /// The same bell on behalf of a tenant. A name too long for a message is left out.
    #[must_use]
    pub fn of_tenant(mut self, tenant: &str) -> Self {
        self.tenant =
            (!tenant.is_empty() && tenant.len() <= TENANT_BYTES_MAX).then(|| tenant.to_owned());
        self
    }

    /// A bell for a run.
    pub const fn run(run_id: RunId) -> Self {
        Self::new(Place::Run { run_id }, None)
    }

    /// A bell for a delivery.
    pub const fn delivery(delivery_id: DeliveryId) -> Self {
        Self::new(Place::Delivery { delivery_id }, None)
    }

    /// The message body.
    pub fn encode(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads a message body.
    pub fn decode(body: &str) -> Result<Self, BellError> {
        let bell: Self =
            serde_json::from_str(body).map_err(|error| BellError::Unreadable(error.to_string()))?;
        if bell.v == 1 {
            Ok(bell)
        } else {
            Err(BellError::Version(bell.v))
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::limits::DOORBELL_BYTES_MAX;

    /// Golden: the bytes of version 1 stay readable for ever.
    const GOLDEN_V1: [&str; 3] = [
        r#"{"v":1,"k":"run.step","run":"run_00000000000000000000000000000007"}"#,
        r#"{"v":1,"k":"delivery.send","delivery":"dlv_00000000000000000000000000000007","tp":"00-1-2-01"}"#,
        r#"{"v":1,"k":"run.step","run":"run_00000000000000000000000000000007","t":"acme"}"#,
    ];

    #[test]
    fn released_bells_stay_readable_and_are_written_the_same() {
        for golden in GOLDEN_V1 {
            assert_eq!(Bell::decode(golden).unwrap().encode(), golden);
        }
    }

    #[test]
    fn a_bell_is_a_few_bytes() {
        let bell = Bell::new(
            Place::Run {
                run_id: RunId::new(Uuid::max()),
            },
            Some("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01".into()),
        )
        .of_tenant(&"t".repeat(TENANT_BYTES_MAX));
        assert!(bell.encode().len() < DOORBELL_BYTES_MAX);
    }

    #[test]
    fn a_message_that_is_no_bell_says_why() {
        assert!(matches!(Bell::decode("{}"), Err(BellError::Unreadable(_))));
        assert!(matches!(
            Bell::decode("hello"),
            Err(BellError::Unreadable(_))
        ));
        let later = GOLDEN_V1[0].replace("\"v\":1", "\"v\":2");
        assert_eq!(Bell::decode(&later), Err(BellError::Version(2)));
    }
}
