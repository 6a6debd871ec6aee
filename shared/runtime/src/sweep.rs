//! The sweep: what retention no longer keeps is removed, in bounded passes. It takes no input.

use std::sync::Arc;

use openeve_domain::limits::TICK_BATCH_MAX;

use crate::ports::{PortError, Store, Swept};

/// Passes of one sweep; the next one goes on.
const PASSES_MAX: usize = 500;

/// Everything the sweep reaches the world through.
#[derive(Clone)]
pub struct SweepDeps {
    /// All truth.
    pub store: Arc<dyn Store>,
}

/// Removes in bounded passes until one finds little, or `PASSES_MAX` are made. Idempotent.
pub async fn sweep(deps: &SweepDeps) -> Result<Swept, PortError> {
    let mut all = Swept::default();
    for _ in 0..PASSES_MAX {
        let swept = deps.store.sweep(TICK_BATCH_MAX).await?;
        all.idempotency_keys += swept.idempotency_keys;
        all.checkpoints += swept.checkpoints;
        if swept.idempotency_keys.max(swept.checkpoints) < TICK_BATCH_MAX {
            break;
        }
    }
    if all != Swept::default() {
        tracing::info!(
            keys = all.idempotency_keys,
            checkpoints = all.checkpoints,
            "swept"
        );
    }
    Ok(all)
}
