//! The sweep function: one pass over what retention no longer keeps. Wiring only.

use std::sync::Arc;

use openeve_aws::lambda::serve_clock;
use openeve_runtime::sweep::{SweepDeps, sweep};

fn main() -> anyhow::Result<()> {
    openeve_boot::run(|boot| {
        let deps = Arc::new(SweepDeps { store: boot.store });
        Ok(serve_clock(move || {
            let deps = Arc::clone(&deps);
            async move { sweep(&deps).await }
        }))
    })
}
