//! The sweep: what retention no longer keeps is removed, and dead letters are compared with their
//! rows, in bounded passes. It takes no input.

use std::collections::BTreeMap;
use std::sync::Arc;

use openeve_domain::limits::TICK_BATCH_MAX;

use crate::dead_letters::{LetterBoxes, Reconciled, reconcile_all};
use crate::ports::{PortError, Store, Swept};

/// Passes of one sweep; the next one goes on.
const PASSES_MAX: usize = 500;

/// Everything the sweep reaches the world through.
#[derive(Clone)]
pub struct SweepDeps {
    /// All truth.
    pub store: Arc<dyn Store>,
    /// The queues' dead letters; none where there are no queues.
    pub letters: Option<LetterBoxes>,
}

/// What one sweep did.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct SweepReport {
    /// What retention removed.
    #[serde(flatten)]
    pub removed: Swept,
    /// What became of the dead letters, by queue.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub dead_letters: BTreeMap<&'static str, Reconciled>,
}

/// Removes, then goes through the dead letters. Idempotent.
pub async fn sweep(deps: &SweepDeps) -> Result<SweepReport, PortError> {
    let removed = remove(deps).await?;
    let dead_letters = match &deps.letters {
        Some(boxes) => reconcile_all(boxes).await?,
        None => BTreeMap::new(),
    };
    Ok(SweepReport {
        removed,
        dead_letters,
    })
}

/// Removes in bounded passes until one finds little, or `PASSES_MAX` are made.
async fn remove(deps: &SweepDeps) -> Result<Swept, PortError> {
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
