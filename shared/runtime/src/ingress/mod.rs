//! HTTP in: a request is verified on its bytes, becomes a turn, is persisted, and only then
//! acknowledged. The one 5xx is "could not persist": the caller should send it again.
//!
//! Routes: `/health`, `/healthz` and `/readyz`, open to all; `/runs/{id}` and `/runs/{id}/events`,
//! for the operator; `/runs/{id}/pauses`, `approve`, `reject`, `answer` and `cancel`, for the operator
//! and for the run's own channel; `/openeve/scheduler/tick`, for an outside clock; and what the agent's
//! channels declare. A route without a secret
//! is open in development, on loopback, and closed everywhere else.

mod caller;
mod message;
mod people;
mod reply;
mod runs;
mod scheduler;
mod wish;

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, Method};
use openeve_domain::manifest::{ChannelSpec, Manifest};
use openeve_domain::secret::Secret;
use serde_json::json;

use crate::config::{Mode, Settings};
use crate::ports::{Clock, Doorbell, Ids, Observer, Store};

pub use reply::IngressResponse;
pub use runs::run_json;

/// A request, whatever envelope it came in.
#[derive(Debug, Clone)]
pub struct IngressRequest {
    /// Method.
    pub method: Method,
    /// Path, without the query.
    pub path: String,
    /// Query, without the question mark.
    pub query: String,
    /// Headers.
    pub headers: HeaderMap,
    /// Body, as the caller sent it.
    pub body: Bytes,
}

/// Everything the ingress reaches the world through.
#[derive(Clone)]
pub struct IngressDeps {
    /// All truth.
    pub store: Arc<dyn Store>,
    /// Rings.
    pub doorbell: Arc<dyn Doorbell>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Identity.
    pub ids: Arc<dyn Ids>,
    /// Whoever watches.
    pub observer: Arc<dyn Observer>,
    /// The agent.
    pub manifest: Arc<Manifest>,
    /// The knobs.
    pub settings: Settings,
    /// The variables the agent's folder names.
    pub env: Arc<BTreeMap<String, Secret>>,
    /// The operator's token.
    pub admin_token: Option<Secret>,
    /// What an outside clock sends.
    pub scheduler_secret: Option<Secret>,
}

/// Answers one request. Never fails otherwise: every failure is a response.
pub async fn handle(deps: &IngressDeps, request: IngressRequest) -> IngressResponse {
    let path = match request.path.trim_end_matches('/') {
        "" => "/",
        path => path,
    };
    match path {
        "/health" | "/healthz" => {
            IngressResponse::json(200, &json!({"ok": true, "agent": deps.manifest.agent.id}))
        }
        "/readyz" => ready(deps).await,
        scheduler::PATH => scheduler::handle(deps, &request).await,
        _ => match path.strip_prefix("/runs/") {
            Some(rest) => runs::handle(deps, &request, rest).await,
            None => channel_route(deps, &request, path).await,
        },
    }
}

async fn ready(deps: &IngressDeps) -> IngressResponse {
    match deps.store.ready().await {
        Ok(()) => IngressResponse::json(
            200,
            &json!({"ok": true, "agent": deps.manifest.agent.id, "revision": deps.manifest.revision}),
        ),
        Err(error) => IngressResponse::unreadable(&error),
    }
}

async fn channel_route(
    deps: &IngressDeps,
    request: &IngressRequest,
    path: &str,
) -> IngressResponse {
    let on_path: Vec<&ChannelSpec> = deps
        .manifest
        .channels
        .iter()
        .filter(|channel| channel.route == path)
        .collect();
    let takes = |channel: &&ChannelSpec| {
        channel
            .methods
            .iter()
            .any(|method| *method == request.method.as_str())
    };
    if let Some(channel) = on_path.iter().copied().find(takes) {
        return message::handle(deps, request, channel).await;
    }
    if on_path.is_empty() {
        let help = if deps.settings.mode == Mode::Development {
            let routes = deps.manifest.routes();
            let routes: Vec<String> = routes
                .iter()
                .map(|route| format!("{} {}", route.methods.join("|"), route.path))
                .collect();
            format!("the agent's routes are: {}", routes.join(", "))
        } else {
            "see route-table.json in the agent's artifact".to_owned()
        };
        let message = format!("there is no route {} {path}; {help}", request.method);
        return IngressResponse::error(404, "route_unknown", &message);
    }
    let allowed: Vec<String> = on_path
        .iter()
        .flat_map(|channel| channel.methods.clone())
        .collect();
    let message = format!(
        "{path} does not take {}; send {}",
        request.method,
        allowed.join(" or ")
    );
    IngressResponse::error(405, "method_not_allowed", &message).with("allow", &allowed.join(", "))
}
