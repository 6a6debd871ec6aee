//! The sweep: what retention no longer keeps is removed, in bounded passes. It takes no input.

use std::sync::Arc;

use openeve_domain::limits::TICK_BATCH_MAX;

use crate::ports::{PortError, Store, Swept};

/// Everything the sweep reaches the world through.
#[derive(Clone)]
pub struct SweepDeps {
    /// All truth.
    pub store: Arc<dyn Store>,
}

/// Makes one pass. Idempotent.
pub async fn sweep(deps: &SweepDeps) -> Result<Swept, PortError> {
    let swept = deps.store.sweep(TICK_BATCH_MAX).await?;
    if swept != Swept::default() {
        tracing::info!(
            keys = swept.idempotency_keys,
            checkpoints = swept.checkpoints,
            "swept"
        );
    }
    Ok(swept)
}
