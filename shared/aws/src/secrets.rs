//! Secrets that are given as the ARN of an AWS Secrets Manager secret.

use aws_sdk_secretsmanager::config::{BehaviorVersion, Region};
use aws_sdk_secretsmanager::error::ProvideErrorMetadata as _;
use openeve_domain::secret::Secret;
use openeve_runtime::ports::PortError;

use crate::{Account, client};

/// Whether a knob's value names a secret instead of being one.
pub fn is_secret_arn(value: &str) -> bool {
    value.starts_with("arn:aws") && value.contains(":secretsmanager:")
}

/// Reads secrets of the account.
#[derive(Debug, Clone)]
pub struct Secrets {
    client: aws_sdk_secretsmanager::Client,
}

impl Secrets {
    /// A reader; nothing connects yet.
    pub fn new(account: &Account) -> Self {
        let mut config = aws_sdk_secretsmanager::Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::new(account.region.clone()))
            .credentials_provider(account.credentials.clone())
            .http_client(account.http.clone())
            .timeout_config(client::timeouts());
        if let Some(endpoint) = &account.endpoint {
            config = config.endpoint_url(endpoint);
        }
        Self {
            client: aws_sdk_secretsmanager::Client::from_conf(config.build()),
        }
    }

    /// Reads one secret's text. The error names the ARN and never a value.
    pub async fn read(&self, arn: &str) -> Result<Secret, PortError> {
        let answer = self.client.get_secret_value().secret_id(arn).send().await.map_err(|error| {
            let why = format!(
                "secret {arn} cannot be read: {}; check that it exists and that the function's role may read it",
                error.code().or(error.message()).unwrap_or("no answer")
            );
            PortError::retry("secret_unreadable", why)
        })?;
        let text = answer.secret_string().map(Secret::new);
        text.ok_or_else(|| {
            PortError::refused(
                "secret_binary",
                format!("secret {arn} holds bytes; store a text"),
            )
        })
    }
}
