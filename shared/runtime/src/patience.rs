//! Waiting out a database that is away for a moment: restarting, or failing over.
//!
//! A bell that fails stays hidden for half an hour and a tick comes once a minute, so giving up at
//! the first refusal would turn seconds of an outage into minutes of latency. Only what is
//! idempotent is repeated.

use std::future::Future;

use openeve_domain::retry::Class;

use crate::ports::{Clock, PortError};

/// Waits between tries, in milliseconds: about ten seconds in all.
const WAITS_MS: [u64; 4] = [200, 1_000, 3_000, 6_000];

/// Tries something until it succeeds, fails for good, or patience ends.
pub(crate) async fn patiently<T, F>(
    clock: &dyn Clock,
    mut attempt: impl FnMut() -> F,
) -> Result<T, PortError>
where
    F: Future<Output = Result<T, PortError>>,
{
    let mut waits = WAITS_MS.into_iter();
    loop {
        let error = match attempt().await {
            Ok(done) => return Ok(done),
            Err(error) => error,
        };
        match (error.class, waits.next()) {
            (Class::Retry { .. }, Some(wait_ms)) => clock.wait_ms(wait_ms).await,
            _ => return Err(error),
        }
    }
}
