//! The caller's side of one call: serves the script's requests until it answers.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::mpsc::Sender;

use futures_util::StreamExt as _;
use futures_util::future::{AbortHandle, abortable};
use futures_util::stream::FuturesUnordered;
use openeve_domain::run::settle_calls::Returned;
use openeve_runtime::ports::HttpClient;
use tokio::sync::mpsc::UnboundedReceiver;
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
        let mut aborts: HashMap<u32, AbortHandle> = HashMap::new();
        loop {
            tokio::select! {
                biased;
                message = self.from_script.recv() => match message {
                    Some(FromScript::Fetch { id, request }) => {
                        let http = Arc::clone(&self.http);
                        let (max, deadline) = (self.body_bytes_max, self.deadline);
                        let (one, abort) = abortable(one(http, id, request, deadline, max));
                        aborts.insert(id, abort);
                        fetches.push(one);
                    }
                    Some(FromScript::Abort { id }) => {
                        if let Some(abort) = aborts.remove(&id) {
                            abort.abort();
                        }
                    }
                    Some(FromScript::Done(result)) => return result,
                    None => return Err("the script engine ended without an answer".to_owned()),
                },
                Some(done) = fetches.next(), if !fetches.is_empty() => {
                    if let Ok(fetched) = done {
                        aborts.remove(&fetched.id);
                        // A thread that is gone needs no answer; the next turn sees that.
                        let _ = self.to_script.send(fetched);
                    }
                }
            }
        }
    }
}

async fn one(
    http: Arc<dyn HttpClient>,
    id: u32,
    request: ScriptRequest,
    deadline: Instant,
    body_bytes_max: usize,
) -> Fetched {
    let left = deadline.saturating_duration_since(Instant::now());
    let timeout_ms = u64::try_from(left.as_millis()).unwrap_or(u64::MAX).max(1);
    Fetched {
        id,
        result: fetch(&*http, request, timeout_ms, body_bytes_max).await,
    }
}
