//! HTTP of a served agent: every request goes to the ingress handler.

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::Context as _;
use axum::extract::{Request, State};
use axum::response::Response;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::host::{Host, http};

/// A server that answers.
pub(super) struct Listening {
    address: SocketAddr,
    close: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

/// Takes the address, and answers nobody yet.
pub(super) async fn bind(address: SocketAddr) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address).await.with_context(|| {
        format!("cannot listen on {address}; give another --port or --host, or set PORT")
    })
}

impl Listening {
    /// Begins to answer.
    pub(super) fn start(listener: TcpListener, host: &Arc<Host>) -> anyhow::Result<Self> {
        let address = listener.local_addr()?;
        let app = axum::Router::new()
            .fallback(answer)
            .with_state(Arc::clone(host));
        let (close, closed) = oneshot::channel::<()>();
        let task = tokio::spawn(async move {
            let closed = async { drop(closed.await) };
            let served = axum::serve(listener, app).with_graceful_shutdown(closed);
            if let Err(error) = served.await {
                tracing::error!(error = %error, "the server ended");
            }
        });
        Ok(Self {
            address,
            close,
            task,
        })
    }

    /// Where it answers.
    pub(super) const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Comes to its end when the server does.
    pub(super) async fn ended(&mut self) {
        drop((&mut self.task).await);
    }

    /// Takes no more connections and waits until what has begun is answered.
    pub(super) async fn close(self) {
        let _gone = self.close.send(());
        drop(self.task.await);
    }
}

async fn answer(State(host): State<Arc<Host>>, request: Request) -> Response {
    http::answer(&host.ingress(), request).await
}
