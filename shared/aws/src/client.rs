//! The account the process runs in: region, credentials, endpoint, and one HTTPS connector.

use std::time::Duration;

use aws_credential_types::Credentials;
use aws_smithy_http_client::Builder;
use aws_smithy_http_client::tls::rustls_provider::CryptoMode;
use aws_smithy_http_client::tls::{Provider, TlsContext, TrustStore};
use aws_smithy_runtime_api::client::http::SharedHttpClient;
use aws_smithy_types::timeout::TimeoutConfig;

/// One try of a request.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(3);
/// A request with its retries.
const OPERATION_TIMEOUT: Duration = Duration::from_secs(6);

/// What keeps the AWS clients from being built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AccountError {
    /// A variable is missing.
    #[error("{name} is not set; Lambda sets it, elsewhere set it yourself")]
    Missing {
        /// The variable.
        name: &'static str,
    },
    /// The compiled-in authorities are refused, which only a broken build can cause.
    #[error("the HTTPS client cannot be built: {0}")]
    Tls(String),
}

/// The account, from the variables that Lambda sets.
#[derive(Clone)]
pub struct Account {
    pub(crate) region: String,
    pub(crate) credentials: Credentials,
    pub(crate) endpoint: Option<String>,
    pub(crate) http: SharedHttpClient,
}

impl std::fmt::Debug for Account {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Account")
            .field("region", &self.region)
            .finish_non_exhaustive()
    }
}

impl Account {
    /// Reads the account through `variable`. `endpoint` stands in for AWS in tests.
    pub fn read(
        variable: impl Fn(&str) -> Option<String>,
        endpoint: Option<String>,
    ) -> Result<Self, AccountError> {
        let need = |name: &'static str| variable(name).ok_or(AccountError::Missing { name });
        let region = variable("AWS_REGION").or_else(|| variable("AWS_DEFAULT_REGION"));
        Ok(Self {
            region: region.ok_or(AccountError::Missing { name: "AWS_REGION" })?,
            credentials: Credentials::new(
                need("AWS_ACCESS_KEY_ID")?,
                need("AWS_SECRET_ACCESS_KEY")?,
                variable("AWS_SESSION_TOKEN").filter(|token| !token.is_empty()),
                None,
                "environment",
            ),
            endpoint,
            http: connector()?,
        })
    }
}

/// Every request ends in time: the ingress must answer its caller whatever AWS does.
pub(crate) fn timeouts() -> TimeoutConfig {
    TimeoutConfig::builder()
        .operation_attempt_timeout(ATTEMPT_TIMEOUT)
        .operation_timeout(OPERATION_TIMEOUT)
        .build()
}

/// HTTPS with the compiled-in authorities; plain HTTP to an endpoint that stands in for AWS.
fn connector() -> Result<SharedHttpClient, AccountError> {
    let pem = include_bytes!("amazon_roots.pem");
    let trust = TrustStore::empty().with_pem_certificate(pem.as_slice());
    let context = TlsContext::builder()
        .with_trust_store(trust)
        .build()
        .map_err(|error| AccountError::Tls(error.to_string()))?;
    Ok(Builder::new()
        .tls_provider(Provider::Rustls(CryptoMode::Ring))
        .tls_context(context)
        .build_https())
}
