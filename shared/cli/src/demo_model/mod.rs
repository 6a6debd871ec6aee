//! A demo model for the first minutes without a key: offline, in this process, and labelled.
//!
//! It speaks the same wire protocol as a real provider, so that all of the runtime is exercised:
//! `POST /v1/chat/completions`, streamed or not. It refuses what the real API refuses, so that a
//! request that works here works there. What it says comes from [`brain`], which matches words;
//! every answer begins with "[demo model]". It is no product and nothing deployed contains it.
//!
//! [`check`] refuses, [`wire`] renders. The clock is passed in; nothing is stored between requests.

mod brain;
mod check;
mod wire;

use std::convert::Infallible;

use axum::Router;
use axum::body::Body;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use bytes::Bytes;
use jiff::Timestamp;
use openeve_domain::limits::MIB;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use self::check::Refusal;

/// The model's name behind the provider's, for `agent.ts` and messages.
pub(crate) const MODEL: &str = "demo";

/// A transcript is far smaller; the bound only keeps the process safe.
const REQUEST_BYTES_MAX: usize = 16 * MIB;

/// Where the present time comes from.
pub(crate) type Now = fn() -> Timestamp;

/// Answers requests on this listener until the future is dropped. The base URL for a client is
/// `http://{listener.local_addr()}/v1`, with any key.
pub(crate) async fn serve(listener: TcpListener, now: Now) -> std::io::Result<()> {
    axum::serve(listener, router(now)).await
}

/// The routes, for a server or a test.
pub(crate) fn router(now: Now) -> Router {
    Router::new()
        .route("/v1/chat/completions", post(complete))
        .route("/v1/models", get(models))
        .fallback(unknown)
        .layer(DefaultBodyLimit::max(REQUEST_BYTES_MAX))
        .with_state(now)
}

async fn complete(State(now): State<Now>, headers: HeaderMap, body: Bytes) -> Response {
    let request = match check::key(&headers).and_then(|()| check::request(&body)) {
        Ok(request) => request,
        Err(refusal) => return refused(&refusal),
    };
    let decision = brain::decide(request.messages(), request.tools(), now());
    let answer = wire::Answer::new(&request, &body, decision);
    if !request.wants_stream() {
        return json_response(StatusCode::OK, &answer.whole());
    }
    let events = answer
        .events()
        .into_iter()
        .map(|event| Ok::<_, Infallible>(Bytes::from(event)));
    let body = Body::from_stream(futures_util::stream::iter(events));
    (
        [
            (header::CONTENT_TYPE, "text/event-stream"),
            (header::CACHE_CONTROL, "no-cache"),
        ],
        body,
    )
        .into_response()
}

async fn models() -> Response {
    let model = json!({"id": MODEL, "object": "model", "created": 0, "owned_by": "openeve"});
    json_response(StatusCode::OK, &json!({"object": "list", "data": [model]}))
}

async fn unknown() -> Response {
    refused(&Refusal::new(
        404,
        "Unknown request URL. The demo model answers POST /v1/chat/completions.",
    ))
}

fn refused(refusal: &Refusal) -> Response {
    json_response(
        StatusCode::from_u16(refusal.status).unwrap_or(StatusCode::BAD_REQUEST),
        &refusal.body(),
    )
}

fn json_response(status: StatusCode, body: &Value) -> Response {
    (
        status,
        [(header::CONTENT_TYPE, "application/json")],
        body.to_string(),
    )
        .into_response()
}

#[cfg(test)]
mod tests;
