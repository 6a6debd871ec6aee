//! The tick function: one pass a minute over what is due. Wiring only.

use std::sync::Arc;

use openeve_aws::lambda::serve_clock;
use openeve_runtime::ports::NoObserver;
use openeve_runtime::tick::{TickDeps, tick};

fn main() -> anyhow::Result<()> {
    openeve_boot::run(|boot| {
        let deps = Arc::new(TickDeps {
            store: boot.store,
            doorbell: boot.doorbell,
            clock: boot.clock,
            ids: boot.ids,
            observer: Arc::new(NoObserver),
            manifest: boot.artifact.manifest,
            settings: boot.settings,
            registered: Arc::default(),
        });
        Ok(serve_clock(move || {
            let deps = Arc::clone(&deps);
            async move { tick(&deps).await }
        }))
    })
}
