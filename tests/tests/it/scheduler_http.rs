//! The tick over HTTP: who may ring it, and that it is the tick.

use bytes::Bytes;
use http::{HeaderMap, Method};
use openeve_domain::secret::Secret;
use openeve_runtime::config::Mode;
use openeve_runtime::ingress::{IngressDeps, IngressRequest, handle};
use serde_json::{Value, json};

use crate::support::{echo, world};

async fn ring(deps: &IngressDeps, method: Method, secret: Option<&str>) -> (u16, Value) {
    let mut headers = HeaderMap::new();
    if let Some(secret) = secret {
        headers.insert("x-openeve-scheduler-secret", secret.parse().unwrap());
    }
    let request = IngressRequest {
        method,
        path: "/openeve/scheduler/tick".to_owned(),
        query: String::new(),
        headers,
        body: Bytes::new(),
    };
    let response = handle(deps, request).await;
    let body = serde_json::from_slice(&response.body).unwrap();
    (response.status, body)
}

#[tokio::test]
async fn the_route_is_open_on_loopback_in_development_and_closed_without_a_secret_elsewhere() {
    let world = world(echo()).await;
    let mut deps = world.ingress_deps();
    let (status, body) = ring(&deps, Method::GET, None).await;
    assert_eq!((status, &body["fired"]), (200, &json!(0)), "{body}");
    deps.settings.mode = Mode::Production;
    let (status, body) = ring(&deps, Method::POST, Some("guess")).await;
    assert_eq!(
        (status, &body["error"]["code"]),
        (401, &json!("route_closed"))
    );
    deps.scheduler_secret = Some(Secret::new("clock-1"));
    let (status, body) = ring(&deps, Method::POST, Some("guess")).await;
    assert_eq!(
        (status, &body["error"]["code"]),
        (401, &json!("request_unauthorized"))
    );
    let (status, _) = ring(&deps, Method::DELETE, Some("clock-1")).await;
    assert_eq!(status, 405);
    let (status, body) = ring(&deps, Method::POST, Some("clock-1")).await;
    assert_eq!((status, &body["runs_rung"]), (200, &json!(0)), "{body}");
}
