//! EventBridge's minute: an event whose content does not matter.

use std::future::Future;
use std::sync::Arc;

use lambda_runtime::{LambdaEvent, service_fn};
use openeve_runtime::ports::PortError;
use serde::Serialize;

use super::Fatal;

/// Serves passes until the platform ends the process. The report is the invocation's answer.
pub async fn serve_clock<F, W, R>(pass: F) -> Result<(), Fatal>
where
    F: Fn() -> W + Send + Sync + 'static,
    W: Future<Output = Result<R, PortError>> + Send,
    R: Serialize + Send,
{
    let pass = Arc::new(pass);
    lambda_runtime::run(service_fn(move |_: LambdaEvent<serde_json::Value>| {
        let pass = Arc::clone(&pass);
        async move {
            pass().await.map_err(|error| {
                tracing::error!(error.code = error.code, error = %error, "a pass failed; the next minute tries again");
                Fatal::from(error.to_string())
            })
        }
    }))
    .await
}
