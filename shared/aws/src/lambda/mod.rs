//! Lambda events in, domain words out.

mod clock;
mod http;
mod queue;

pub use clock::serve_clock;
pub use http::serve_http;
pub use queue::serve_queue;

/// What the Lambda runtime reports when it cannot go on; the platform starts a fresh environment.
pub type Fatal = lambda_runtime::Error;

/// Milliseconds until the platform ends the invocation.
fn remaining_ms(context: &lambda_runtime::Context) -> u64 {
    let now_ms = jiff::Timestamp::now().as_millisecond();
    context
        .deadline
        .saturating_sub(u64::try_from(now_ms).unwrap_or(0))
}
