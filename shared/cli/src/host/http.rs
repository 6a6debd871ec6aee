//! A request of the HTTP server, handed to the ingress handler.

use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::response::Response;
use openeve_runtime::ingress::{IngressDeps, IngressRequest, handle};

/// Bytes read of one body; the ingress refuses what is over its own, lower bound.
const BODY_BYTES_READ: usize = 8 * 1024 * 1024;
/// How long a caller may take to send its body.
const BODY_PATIENCE: Duration = Duration::from_secs(30);

/// Answers one request.
pub(crate) async fn answer(deps: &IngressDeps, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = match tokio::time::timeout(BODY_PATIENCE, to_bytes(body, BODY_BYTES_READ)).await {
        Ok(Ok(body)) => body,
        Ok(Err(_)) => {
            let why = "the body is larger than 8 MiB, or broke off";
            return plain(413, "request_too_large", why);
        }
        Err(_) => {
            let why = "the body was not sent within 30 seconds";
            return plain(408, "request_timeout", why);
        }
    };
    let inbound = IngressRequest {
        method: parts.method,
        path: parts.uri.path().to_owned(),
        query: parts.uri.query().unwrap_or_default().to_owned(),
        headers: parts.headers,
        body,
    };
    let answered = handle(deps, inbound).await;
    let mut response = Response::new(Body::from(answered.body));
    *response.headers_mut() = answered.headers;
    *response.status_mut() = http::StatusCode::from_u16(answered.status).unwrap_or_default();
    response
}

/// A refusal that the ingress has no part in.
pub(crate) fn plain(status: u16, code: &str, message: &str) -> Response {
    let body = serde_json::json!({"error": {"code": code, "message": message}});
    let mut response = Response::new(Body::from(body.to_string()));
    *response.status_mut() = http::StatusCode::from_u16(status).unwrap_or_default();
    response
}
