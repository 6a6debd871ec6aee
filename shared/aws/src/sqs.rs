//! Ringing over SQS.

use async_trait::async_trait;
use aws_sdk_sqs::config::{BehaviorVersion, Region};
use aws_sdk_sqs::error::{DisplayErrorContext, SdkError};
use openeve_domain::bell::{Bell, Place};
use openeve_domain::limits::DOORBELL_DELAY_MS_MAX;
use openeve_runtime::ports::{Doorbell, PortError};

use crate::{Account, client};

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
            .message_body(bell.encode());
        match request.delay_seconds(seconds).send().await {
            Ok(_) => Ok(()),
            Err(error) => Err(failure(&error)),
        }
    }
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
