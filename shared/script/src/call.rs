//! The caller's side of one call: serves the script's requests until it answers.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::mpsc::Sender;

use futures_util::StreamExt as _;
use futures_util::future::{AbortHandle, abortable};
use futures_util::stream::FuturesUnordered;
use openeve_domain::run::settle_calls::Returned;
use openeve_runtime::ports::HttpClient;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::Instant;

use crate::fetch::fetch;
use crate::wire::{Fetched, FromScript, ScriptRequest};

/// One call, seen from outside. Dropping it drops its requests and the thread's way to wait.
pub(crate) struct Call {
    pub(crate) http: Arc<dyn HttpClient>,
    pub(crate) deadline: Instant,
    pub(crate) body_bytes_max: usize,
    pub(crate) to_script: Sender<Fetched>,
    pub(crate) from_script: UnboundedReceiver<FromScript>,
}

impl Call {
    /// Serves the script to its answer.
    pub(crate) async fn serve(mut self) -> Result<Returned, String> {
        let mut fetches = FuturesUnordered::new();
        let mut under_way: HashMap<u32, Asking> = HashMap::new();
        loop {
            tokio::select! {
                biased;
                message = self.from_script.recv() => match message {
                    Some(FromScript::Fetch { id, request }) => {
                        let (more, asked) = unbounded_channel();
                        let (one, abort) = abortable(self.fetch(id, request, asked));
                        under_way.insert(id, Asking { more, abort });
                        fetches.push(one);
                    }
                    Some(FromScript::More { id }) => {
                        if let Some(asking) = under_way.get(&id) {
                            // One that has ended has said so.
                            let _ = asking.more.send(());
                        }
                    }
                    Some(FromScript::Abort { id }) => {
                        if let Some(asking) = under_way.remove(&id) {
                            asking.abort.abort();
                        }
                    }
                    Some(FromScript::Done(result)) => return result,
                    None => return Err("the script engine ended without an answer".to_owned()),
                },
                Some(done) = fetches.next(), if !fetches.is_empty() => {
                    if let Ok(id) = done {
                        under_way.remove(&id);
                    }
                }
            }
        }
    }

    /// Carries one request out, to its end.
    fn fetch(
        &self,
        id: u32,
        request: ScriptRequest,
        asked: UnboundedReceiver<()>,
    ) -> impl Future<Output = u32> + use<> {
        let (http, to_script) = (Arc::clone(&self.http), self.to_script.clone());
        let (max, deadline) = (self.body_bytes_max, self.deadline);
        async move {
            let left = deadline.saturating_duration_since(Instant::now());
            let timeout_ms = u64::try_from(left.as_millis()).unwrap_or(u64::MAX).max(1);
            // A thread that is gone needs no news; the next turn sees that.
            let tell = |news| drop(to_script.send(Fetched { id, news }));
            fetch(&*http, request, timeout_ms, max, asked, tell).await;
            id
        }
    }
}

/// A request that is not at its end.
struct Asking {
    more: UnboundedSender<()>,
    abort: AbortHandle,
}
