//! The one HTTP client.

use std::pin::Pin;

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::Stream;

/// A request to send.
#[derive(Debug, Clone)]
pub struct HttpRequest {
    /// Method, upper case.
    pub method: http::Method,
    /// Absolute URL, `http` or `https`.
    pub url: String,
    /// Headers; a secret value is marked sensitive so that no log prints it.
    pub headers: http::HeaderMap,
    /// Body.
    pub body: Bytes,
    /// From first byte out to last byte in, in milliseconds.
    pub timeout_ms: u64,
    /// Whether redirects are followed. Credentials are dropped when one leaves the host; a request
    /// that must reach exactly this host does not follow them.
    pub follow_redirects: bool,
}

/// A response whose body still streams.
pub struct HttpResponse {
    /// Status code.
    pub status: u16,
    /// Headers.
    pub headers: http::HeaderMap,
    /// Body, chunk by chunk, as received and decompressed.
    pub body: Body,
}

/// A streaming body.
pub type Body = Pin<Box<dyn Stream<Item = Result<Bytes, HttpError>> + Send>>;

/// Why there is no whole response. The variants differ by what may have happened at the far end.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HttpError {
    /// The request was never sent: bad URL or header. It will fail again.
    #[error("the request cannot be sent: {0}")]
    Invalid(String),
    /// No connection was made; the far end saw nothing.
    #[error("no connection: {0}")]
    Connect(String),
    /// The connection broke or the time ran out after the request left: what happened is unknown.
    #[error("the connection broke after the request left: {0}")]
    Broken(String),
}

/// Sends requests. Retries nothing: whether a repeat is harmless is the caller's knowledge.
#[async_trait]
pub trait HttpClient: Send + Sync {
    /// Sends one request and returns once the response's head is in.
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpError>;
}
