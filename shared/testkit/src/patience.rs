//! Waiting with an end: every wait of a test has a deadline and says what it waited for.

use std::time::Duration;

/// How long a test waits for anything: far longer than it takes, so that a slow machine passes.
pub const PATIENCE: Duration = Duration::from_secs(30);
/// How often a state that announces nothing is looked at.
const POLL: Duration = Duration::from_millis(10);

/// Awaits something that must happen; panics with its name after [`PATIENCE`].
pub async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future)
        .await
        .unwrap_or_else(|_| panic!("waited {PATIENCE:?} for {what}"))
}

/// Looks again and again until `look` finds something. Only for states of other processes.
#[expect(clippy::disallowed_methods, reason = "the one place where tests poll")]
pub async fn eventually<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    within(what, async {
        loop {
            if let Some(found) = look().await {
                return found;
            }
            tokio::time::sleep(POLL).await;
        }
    })
    .await
}

/// Waits a moment before a server that refused is asked again.
#[expect(clippy::disallowed_methods, reason = "the one place where tests poll")]
pub(crate) async fn moment() {
    tokio::time::sleep(POLL).await;
}
