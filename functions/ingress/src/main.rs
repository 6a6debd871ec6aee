//! The ingress function: a request in, a persisted turn and a doorbell out. Wiring only.

use std::sync::Arc;

use openeve_aws::lambda::serve_http;
use openeve_runtime::ingress::{IngressDeps, handle};
use openeve_runtime::ports::NoObserver;

fn main() -> anyhow::Result<()> {
    openeve_boot::run(|boot| {
        let deps = Arc::new(IngressDeps {
            admin_token: boot.secret("OPENEVE_ADMIN_TOKEN"),
            scheduler_secret: boot.secret("OPENEVE_SCHEDULER_SECRET"),
            store: boot.store,
            doorbell: boot.doorbell,
            clock: boot.clock,
            ids: boot.ids,
            observer: Arc::new(NoObserver),
            manifest: boot.artifact.manifest,
            settings: boot.settings,
            env: boot.env,
        });
        Ok(serve_http(move |request| {
            let deps = Arc::clone(&deps);
            async move { handle(&deps, request).await }
        }))
    })
}
