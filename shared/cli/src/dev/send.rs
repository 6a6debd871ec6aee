//! `--message`: the first message, sent the way any other is, and its reply awaited.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method};
use openeve_domain::ids::RunId;
use openeve_domain::manifest::Manifest;
use openeve_host::environment;
use openeve_runtime::ingress::{IngressRequest, handle};
use openeve_runtime::ports::RunView;
use serde_json::{Value, json};

use crate::host::Host;

/// How often the run is looked at.
const LOOK: Duration = Duration::from_millis(200);

/// Sends and waits until the run has ended and its reply is settled, or, if asked, until it waits
/// for a person. Returns how the run stands then.
pub(super) async fn message(
    host: &Arc<Host>,
    manifest: &Manifest,
    text: &str,
    until_waiting: bool,
) -> anyhow::Result<RunView> {
    let channel = manifest
        .channels
        .first()
        .context("the agent has no channel; add one under channels/")?;
    let mut headers = HeaderMap::new();
    headers.insert("content-type", HeaderValue::from_static("application/json"));
    if let Some(token) = channel
        .auth
        .as_ref()
        .and_then(|auth| environment::variable(&auth.bearer.name))
    {
        headers.insert(
            "authorization",
            HeaderValue::from_str(&format!("Bearer {token}"))?,
        );
    }
    let request = IngressRequest {
        method: Method::POST,
        path: channel.route.clone(),
        query: String::new(),
        headers,
        body: Bytes::from(json!({"message": text}).to_string()),
    };
    let response = handle(&host.ingress(), request).await;
    let body: Value = serde_json::from_slice(&response.body)?;
    if response.status != 202 {
        bail!("the message was not accepted: {body}");
    }
    let run_id: RunId = body
        .get("run_id")
        .and_then(Value::as_str)
        .unwrap_or_default()
        .parse()?;
    loop {
        let view = host
            .ingress()
            .store
            .run_view(&manifest.agent.id, run_id)
            .await?
            .context("the run vanished")?;
        let settled = view
            .delivery
            .is_none_or(openeve_domain::status::DeliveryStatus::is_terminal);
        let ended = view.status.is_terminal() && settled;
        if ended || until_waiting && view.status.is_waiting() {
            return Ok(view);
        }
        pause().await;
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a command line waits for its answer"
)]
async fn pause() {
    tokio::time::sleep(LOOK).await;
}
