//! An HTTP server on 127.0.0.1 with one handler, for every server in this crate.

use std::net::SocketAddr;

use axum::Router;
use axum::extract::Request;
use axum::response::Response;
use axum::serve::ListenerExt;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// A task that ends with its owner.
#[derive(Debug)]
pub(crate) struct Task(JoinHandle<()>);

impl Task {
    pub(crate) fn spawn(future: impl Future<Output = ()> + Send + 'static) -> Self {
        Self(tokio::spawn(future))
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Serves every request with one handler, on any free port, until the task is dropped.
pub(crate) async fn serve<H, F>(handler: H) -> (SocketAddr, Task)
where
    H: Fn(Request) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Response> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0")
        .await
        .expect("loopback has a free port");
    let address = listener
        .local_addr()
        .expect("a bound socket has an address");
    let listener = listener.tap_io(|stream| {
        // Without this, an answer in two writes waits for the peer's delayed acknowledgement.
        stream.set_nodelay(true).ok();
    });
    let router = Router::new().fallback(handler);
    let task = Task::spawn(async move {
        axum::serve(listener, router).await.ok();
    });
    (address, task)
}
