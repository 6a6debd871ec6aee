//! Ringing over SQS.
//!
//! The queues are standard ones. A bell's tenant becomes its message group, which makes them fair
//! queues: SQS serves the tenants that wait little before one that has sent very much. It orders
//! nothing and holds nothing back.

use std::borrow::Cow;
use std::sync::Arc;

use async_trait::async_trait;
use aws_sdk_sqs::config::{BehaviorVersion, Region};
use aws_sdk_sqs::error::{DisplayErrorContext, SdkError};
use openeve_domain::bell::{Bell, Place};
use openeve_domain::canonical::sha256_hex;
use openeve_domain::limits::DOORBELL_DELAY_MS_MAX;
use openeve_runtime::ports::{Clock, Doorbell, PortError};

use crate::watch::SqsWatch;
use crate::{Account, client};

/// What SQS takes as a message group's name at most, in characters.
const GROUP_CHARACTERS_MAX: usize = 128;
/// Digits of a hash that stands for a tenant: 128 bits.
const GROUP_HASH_DIGITS: usize = 32;

/// The two queues.
#[derive(Debug, Clone)]
pub struct SqsDoorbell {
    client: aws_sdk_sqs::Client,
    step_queue_url: String,
    delivery_queue_url: String,
}

impl SqsDoorbell {
    /// A doorbell over the two queues of a deployment.
    pub fn new(account: &Account, step_queue_url: String, delivery_queue_url: String) -> Self {
        let mut config = aws_sdk_sqs::Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::new(account.region.clone()))
            .credentials_provider(account.credentials.clone())
            .http_client(account.http.clone())
            .timeout_config(client::timeouts());
        if let Some(endpoint) = &account.endpoint {
            config = config.endpoint_url(endpoint);
        }
        let client = aws_sdk_sqs::Client::from_conf(config.build());
        Self {
            client,
            step_queue_url,
            delivery_queue_url,
        }
    }

    /// Watches over the bells of the step queue, whose handlers hold a run for `lease_ms`.
    pub fn watch_steps(&self, clock: Arc<dyn Clock>, lease_ms: u64) -> SqsWatch {
        self.watch(&self.step_queue_url, clock, lease_ms)
    }

    /// The same for deliveries.
    pub fn watch_deliveries(&self, clock: Arc<dyn Clock>, lease_ms: u64) -> SqsWatch {
        self.watch(&self.delivery_queue_url, clock, lease_ms)
    }

    fn watch(&self, queue_url: &str, clock: Arc<dyn Clock>, lease_ms: u64) -> SqsWatch {
        SqsWatch {
            client: self.client.clone(),
            queue_url: queue_url.to_owned(),
            clock,
            lease_ms,
        }
    }
}

#[async_trait]
impl Doorbell for SqsDoorbell {
    async fn ring(&self, bell: &Bell, delay_ms: u64) -> Result<(), PortError> {
        if delay_ms > DOORBELL_DELAY_MS_MAX {
            return Ok(());
        }
        let queue_url = match bell.at {
            Place::Run { .. } => &self.step_queue_url,
            Place::Delivery { .. } => &self.delivery_queue_url,
        };
        if queue_url.is_empty() {
            let why = "no queue URL is configured for this doorbell; set OPENEVE_STEP_QUEUE_URL and OPENEVE_DELIVERY_QUEUE_URL";
            return Err(PortError::refused("queue_not_configured", why));
        }
        // Rounded up: a bell that comes early finds the row not due and would have to ring again.
        let seconds = i32::try_from(delay_ms.div_ceil(1_000)).unwrap_or(900);
        let request = self
            .client
            .send_message()
            .queue_url(queue_url)
            .set_message_group_id(
                bell.tenant
                    .as_deref()
                    .map(|tenant| group(tenant).into_owned()),
            )
            .message_body(bell.encode());
        match request.delay_seconds(seconds).send().await {
            Ok(_) => Ok(()),
            Err(error) => Err(failure(&error)),
        }
    }
}

/// A tenant as SQS takes it: itself, or a hash of a name that SQS would refuse.
fn group(tenant: &str) -> Cow<'_, str> {
    let fits = (1..=GROUP_CHARACTERS_MAX).contains(&tenant.len());
    if fits && tenant.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Cow::Borrowed(tenant);
    }
    let mut hash = sha256_hex(tenant.as_bytes());
    hash.truncate(GROUP_HASH_DIGITS);
    Cow::Owned(hash)
}

fn failure<E>(error: &SdkError<E>) -> PortError
where
    E: std::error::Error + 'static,
{
    let message = format!(
        "SQS did not take the doorbell: {}",
        DisplayErrorContext(error)
    );
    if matches!(error, SdkError::ConstructionFailure(_)) {
        return PortError::refused("queue_refused", message);
    }
    PortError::retry("queue_unreachable", message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tenant_that_sqs_takes_is_its_own_group() {
        let longest = "t".repeat(GROUP_CHARACTERS_MAX);
        for tenant in [
            "acme",
            "org:7/team-a",
            "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
            &longest,
        ] {
            assert_eq!(group(tenant), tenant);
        }
    }

    #[test]
    fn a_tenant_that_sqs_refuses_is_sent_as_a_hash_of_its_own() {
        let too_long = "t".repeat(GROUP_CHARACTERS_MAX + 1);
        let refused = ["", "two words", "Café Müller", "a\tb", "a\u{7f}", &too_long];
        let groups: std::collections::BTreeSet<String> = refused
            .iter()
            .map(|tenant| group(tenant).into_owned())
            .collect();
        assert_eq!(groups.len(), refused.len());
        for group in groups {
            assert_eq!(group.len(), GROUP_HASH_DIGITS);
            assert!(group.bytes().all(|byte| byte.is_ascii_hexdigit()));
        }
        assert_eq!(
            group("Café Müller"),
            &sha256_hex("Café Müller".as_bytes())[..GROUP_HASH_DIGITS]
        );
    }
}
