//! HTTP on loopback: every request goes to the ingress handler.

use std::sync::Arc;

use anyhow::Context as _;
use axum::extract::{Request, State};
use axum::response::Response;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::host::{Host, http};
use crate::output;

/// Ports tried behind the one that was asked for.
const PORTS_TRIED: u16 = 20;

/// A server that answers on loopback.
pub(super) struct Server {
    url: String,
    task: JoinHandle<()>,
}

impl Server {
    /// Binds and answers; the next free port is taken if this one is in use.
    pub(super) async fn start(host: &Arc<Host>, port: u16) -> anyhow::Result<Self> {
        let listener = bind(port).await?;
        let url = format!("http://{}", listener.local_addr()?);
        let app = axum::Router::new()
            .fallback(answer)
            .with_state(Arc::clone(host));
        let task = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, app).await {
                tracing::error!(error = %error, "the server ended");
            }
        });
        Ok(Self { url, task })
    }

    /// Where it answers.
    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// Takes no more requests.
    pub(super) fn stop(&self) {
        self.task.abort();
    }
}

async fn bind(port: u16) -> anyhow::Result<TcpListener> {
    for candidate in port..=port.saturating_add(PORTS_TRIED) {
        if let Ok(listener) = TcpListener::bind(("127.0.0.1", candidate)).await {
            if candidate != port {
                output::say(&format!("port {port} is in use; taking {candidate}"));
            }
            return Ok(listener);
        }
    }
    TcpListener::bind(("127.0.0.1", 0))
        .await
        .context("no port is free on loopback")
}

async fn answer(State(host): State<Arc<Host>>, request: Request) -> Response {
    if !is_local(request.headers()) {
        let why = "this development server answers only to 127.0.0.1 and localhost, and to no web page of another origin";
        return http::plain(403, "request_foreign", why);
    }
    http::answer(&host.ingress(), request).await
}

/// Whether the request names this machine: a web page that a browser shows could otherwise post to
/// the agent, or read its runs under a name of its own that resolves to loopback.
fn is_local(headers: &axum::http::HeaderMap) -> bool {
    let local = |text: &str| {
        let host = text.rsplit_once("://").map_or(text, |(_, host)| host);
        let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
        matches!(name, "127.0.0.1" | "localhost" | "[::1]")
    };
    ["host", "origin"].into_iter().all(|name| {
        headers
            .get(name)
            .is_none_or(|value| value.to_str().is_ok_and(local))
    })
}
