//! One `fetch` of a script, carried out through the HTTP port.

use futures_util::StreamExt as _;
use openeve_domain::limits::MIB;
use openeve_runtime::ports::{HttpClient, HttpRequest};

use crate::wire::{ScriptRequest, ScriptResponse};

/// Sends a request and reads the whole body, up to `body_bytes_max`. The error is what the script
/// reads; it names the host, not the path, which may hold a key.
pub(crate) async fn fetch(
    client: &dyn HttpClient,
    request: ScriptRequest,
    timeout_ms: u64,
    body_bytes_max: usize,
) -> Result<ScriptResponse, String> {
    let origin = request.url.origin().ascii_serialization();
    let failed = |why: &dyn std::fmt::Display| format!("fetch of {origin} failed: {why}");
    let response = client
        .send(HttpRequest {
            method: request.method,
            url: request.url.into(),
            headers: request.headers,
            body: request.body,
            timeout_ms,
            follow_redirects: request.follow_redirects,
        })
        .await
        .map_err(|error| failed(&error))?;
    let mut chunks = response.body;
    let mut body = Vec::new();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|error| failed(&error))?;
        if body.len() + chunk.len() > body_bytes_max {
            let mib = body_bytes_max / MIB;
            return Err(failed(&format_args!(
                "the response is larger than {mib} MiB"
            )));
        }
        body.extend_from_slice(&chunk);
    }
    let mut headers = Vec::with_capacity(response.headers.len() * 2);
    for (name, value) in &response.headers {
        headers.push(name.as_str().to_owned());
        headers.push(String::from_utf8_lossy(value.as_bytes()).into_owned());
    }
    Ok(ScriptResponse {
        status: response.status,
        headers,
        body,
    })
}
