//! The one HTTP client that opens sockets: the runtime's `HttpClient` port over reqwest.
//!
//! Models, reply webhooks and the scripts' `fetch` all go through it. TLS is rustls with ring and
//! the public authorities compiled in, so that a cold start opens no certificate file. It retries
//! nothing and follows redirects only when asked; whether a repeat is harmless is the caller's
//! knowledge. It logs nothing: a URL may hold a secret.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures_util::StreamExt as _;
use openeve_runtime::ports::{Body, HttpClient, HttpError, HttpRequest, HttpResponse};
use reqwest::redirect::Policy;

/// How long connecting may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Redirects followed in a row.
const REDIRECTS_MAX: usize = 5;

/// The client. Cloning shares its connections.
#[derive(Debug, Clone)]
pub struct Http {
    plain: reqwest::Client,
    following: reqwest::Client,
}

impl Http {
    /// A client; nothing connects yet.
    ///
    /// # Errors
    /// If the TLS configuration is refused, which only a broken build can cause.
    pub fn new() -> Result<Self, HttpError> {
        Ok(Self {
            plain: client(Policy::none())?,
            following: client(Policy::limited(REDIRECTS_MAX))?,
        })
    }
}

fn client(redirects: Policy) -> Result<reqwest::Client, HttpError> {
    let roots = rustls::RootCertStore {
        roots: webpki_roots::TLS_SERVER_ROOTS.to_vec(),
    };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| HttpError::Invalid(error.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    reqwest::Client::builder()
        .tls_backend_preconfigured(tls)
        .redirect(redirects)
        .connect_timeout(CONNECT_TIMEOUT)
        .user_agent(concat!("openeve/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|error| HttpError::Invalid(chain(&error)))
}

#[async_trait]
impl HttpClient for Http {
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let client = if request.follow_redirects {
            &self.following
        } else {
            &self.plain
        };
        let response = client
            .request(request.method, &request.url)
            .headers(request.headers)
            .body(request.body)
            .timeout(Duration::from_millis(request.timeout_ms.max(1)))
            .send()
            .await
            .map_err(|error| failure(&error.without_url()))?;
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let body: Body =
            Box::pin(response.bytes_stream().map(|chunk| {
                chunk.map_err(|error| HttpError::Broken(chain(&error.without_url())))
            }));
        Ok(HttpResponse {
            status,
            headers,
            body,
        })
    }
}

fn failure(error: &reqwest::Error) -> HttpError {
    let why = chain(error);
    if error.is_builder() {
        HttpError::Invalid(why)
    } else if error.is_connect() {
        HttpError::Connect(why)
    } else {
        HttpError::Broken(why)
    }
}

fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}
