//! Function URL, API Gateway and load balancer requests to the ingress's request.

use std::future::Future;
use std::sync::Arc;

use bytes::Bytes;
use lambda_http::{Body, Request, RequestExt as _, Response, service_fn};
use openeve_runtime::ingress::{IngressRequest, IngressResponse};

use super::Fatal;

/// Serves requests until the platform ends the process. The body is handed on as the bytes the
/// caller sent; signatures are checked over those.
pub async fn serve_http<F, W>(handle: F) -> Result<(), Fatal>
where
    F: Fn(IngressRequest) -> W + Send + Sync + 'static,
    W: Future<Output = IngressResponse> + Send,
{
    let handle = Arc::new(handle);
    lambda_http::run(service_fn(move |request: Request| {
        let handle = Arc::clone(&handle);
        async move {
            let response = handle(inbound(request)).await;
            let mut builder = Response::builder().status(response.status);
            for (name, value) in &response.headers {
                builder = builder.header(name, value);
            }
            // A text body needs no base64 on its way through the platform.
            let body = match String::from_utf8(response.body.to_vec()) {
                Ok(text) => Body::Text(text),
                Err(bytes) => Body::Binary(bytes.into_bytes()),
            };
            Ok::<_, Fatal>(builder.body(body)?)
        }
    }))
    .await
}

fn inbound(request: Request) -> IngressRequest {
    let path = request.raw_http_path().to_owned();
    let (parts, body) = request.into_parts();
    let body = match body {
        Body::Text(text) => Bytes::from(text),
        Body::Binary(bytes) => Bytes::from(bytes),
        // The enum is open to later forms.
        Body::Empty | _ => Bytes::new(),
    };
    IngressRequest {
        method: parts.method,
        path,
        query: parts.uri.query().unwrap_or_default().to_owned(),
        headers: parts.headers,
        body,
    }
}
