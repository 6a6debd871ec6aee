//! Dead letters in SQS: taken for a while, deleted one by one.
//!
//! A letter that is taken is hidden from everybody else for five minutes, which is longer than a
//! pass: so no pass meets a letter twice, and one that is left alone comes again for the next.

use async_trait::async_trait;
use aws_sdk_sqs::config::{BehaviorVersion, Region};
use aws_sdk_sqs::error::{DisplayErrorContext, SdkError};
use aws_sdk_sqs::types::DeleteMessageBatchRequestEntry;
use openeve_runtime::ports::{DeadLetters, Letter, PortError};

use crate::{Account, client};

/// How long a letter that was taken is nobody else's, in seconds.
const HIDDEN_SECONDS: i32 = 300;
/// What SQS gives at once at most.
const RECEIVED_MAX: u64 = 10;
/// Waiting at all makes SQS ask every one of its servers, so that a letter is not overlooked.
const WAIT_SECONDS: i32 = 1;

/// One queue of dead letters.
#[derive(Debug, Clone)]
pub struct SqsDeadLetters {
    client: aws_sdk_sqs::Client,
    queue_url: String,
}

impl SqsDeadLetters {
    /// The dead letters of one queue. Nothing connects yet.
    pub fn new(account: &Account, queue_url: String) -> Self {
        let mut config = aws_sdk_sqs::Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::new(account.region.clone()))
            .credentials_provider(account.credentials.clone())
            .http_client(account.http.clone())
            .timeout_config(client::timeouts());
        if let Some(endpoint) = &account.endpoint {
            config = config.endpoint_url(endpoint);
        }
        Self {
            client: aws_sdk_sqs::Client::from_conf(config.build()),
            queue_url,
        }
    }
}

#[async_trait]
impl DeadLetters for SqsDeadLetters {
    async fn receive(&self, max: u64) -> Result<Vec<Letter>, PortError> {
        let count = i32::try_from(max.clamp(1, RECEIVED_MAX)).unwrap_or(1);
        let request = self
            .client
            .receive_message()
            .queue_url(&self.queue_url)
            .max_number_of_messages(count)
            .visibility_timeout(HIDDEN_SECONDS)
            .wait_time_seconds(WAIT_SECONDS);
        let received = request
            .send()
            .await
            .map_err(|error| failure("give its dead letters", &error))?;
        let letters = received.messages.unwrap_or_default().into_iter();
        Ok(letters
            .filter_map(|message| {
                Some(Letter {
                    body: message.body.unwrap_or_default(),
                    receipt: message.receipt_handle?,
                })
            })
            .collect())
    }

    async fn delete(&self, receipt: &str) -> Result<(), PortError> {
        let entry = DeleteMessageBatchRequestEntry::builder()
            .id("0")
            .receipt_handle(receipt)
            .build()
            .map_err(|error| PortError::refused("queue_refused", error.to_string()))?;
        let request = self
            .client
            .delete_message_batch()
            .queue_url(&self.queue_url)
            .entries(entry);
        let deleted = request
            .send()
            .await
            .map_err(|error| failure("delete a dead letter", &error))?;
        match deleted.failed.first() {
            None => Ok(()),
            Some(failed) => {
                let why = failed.message.as_deref().unwrap_or(&failed.code);
                let message = format!("SQS did not delete a dead letter: {why}");
                Err(PortError::retry("queue_unreachable", message))
            }
        }
    }
}

fn failure<E>(what: &str, error: &SdkError<E>) -> PortError
where
    E: std::error::Error + 'static,
{
    let message = format!("SQS did not {what}: {}", DisplayErrorContext(error));
    if matches!(error, SdkError::ConstructionFailure(_)) {
        return PortError::refused("queue_refused", message);
    }
    PortError::retry("queue_unreachable", message)
}
