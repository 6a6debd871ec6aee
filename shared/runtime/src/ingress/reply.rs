//! Responses: JSON, with one form for errors.

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};

use crate::ports::PortError;

/// A response, whatever envelope it leaves in.
#[derive(Debug, Clone)]
pub struct IngressResponse {
    /// Status.
    pub status: u16,
    /// Headers.
    pub headers: HeaderMap,
    /// Body.
    pub body: Bytes,
}

impl IngressResponse {
    /// A JSON body.
    pub fn json(status: u16, body: &Value) -> Self {
        let mut text = body.to_string();
        text.push('\n');
        Self {
            status,
            headers: HeaderMap::new(),
            body: Bytes::from(text),
        }
        .with("content-type", "application/json; charset=utf-8")
        .with("cache-control", "no-store")
    }

    /// An error, with a stable code and a message that says what to do.
    pub fn error(status: u16, code: &str, message: &str) -> Self {
        Self::json(
            status,
            &json!({"error": {"code": code, "message": message}}),
        )
    }

    /// The store could not take it; the caller should send it again. Logged, since a person must
    /// look when it lasts.
    pub(super) fn unavailable(error: &PortError) -> Self {
        tracing::error!(error.code = error.code, error = %error, "a request could not be persisted");
        let message =
            "the message could not be stored and was not accepted; send it again in a moment";
        Self::error(503, error.code, message).with("retry-after", "5")
    }

    /// The store could not take a decision, or not say that it did; sending it again does no harm.
    pub(super) fn undecided(error: &PortError) -> Self {
        tracing::error!(error.code = error.code, error = %error, "a decision could not be stored");
        let message = "the database could not take it now; send it again in a moment, it is decided once however often it is sent";
        Self::error(503, error.code, message).with("retry-after", "5")
    }

    /// The store could not be read.
    pub(super) fn unreadable(error: &PortError) -> Self {
        tracing::error!(error.code = error.code, error = %error, "a request could not be answered");
        Self::error(
            503,
            error.code,
            "the database cannot be read now; the function's log says why",
        )
    }

    /// Adds a header; one that is no header is left out.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: &str) -> Self {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.headers.insert(HeaderName::from_static(name), value);
        }
        self
    }
}
