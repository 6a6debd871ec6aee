//! `GET` or `POST /openeve/scheduler/tick`: an outside clock lets one pass be made [G2.03, G2.04].
//!
//! The pass is the tick's own, so calling it twice, late or beside another clock does no harm. Who
//! calls proves it with the scheduler's secret; nothing of the request's body is read.

use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderValue, Method};
use openeve_domain::secret::Secret;
use openeve_integrations::channels::http::check_bearer;
use serde_json::json;

use super::{IngressDeps, IngressRequest, IngressResponse};
use crate::config::Mode;
use crate::tick::{TickDeps, tick};

/// The route.
pub(super) const PATH: &str = "/openeve/scheduler/tick";
/// The header that may hold the secret instead of `Authorization`.
const HEADER: &str = "x-openeve-scheduler-secret";

/// Makes one pass, and says what it did.
pub(super) async fn handle(deps: &IngressDeps, request: &IngressRequest) -> IngressResponse {
    if request.method != Method::GET && request.method != Method::POST {
        let message = format!("{PATH} does not take {}; send GET or POST", request.method);
        return IngressResponse::error(405, "method_not_allowed", &message)
            .with("allow", "GET, POST");
    }
    match (&deps.scheduler_secret, deps.settings.mode) {
        (Some(secret), _) if presents(&request.headers, secret) => {}
        (Some(_), _) => {
            let message =
                format!("send OPENEVE_SCHEDULER_SECRET as `Authorization: Bearer`, or in {HEADER}");
            return IngressResponse::error(401, "request_unauthorized", &message)
                .with("www-authenticate", "Bearer");
        }
        (None, Mode::Development) => {}
        (None, Mode::Production) => {
            let message = "the scheduler cannot be rung here until the operator sets OPENEVE_SCHEDULER_SECRET";
            return IngressResponse::error(401, "route_closed", message);
        }
    }
    let pass = TickDeps {
        store: deps.store.clone(),
        doorbell: deps.doorbell.clone(),
        clock: deps.clock.clone(),
        ids: deps.ids.clone(),
        observer: deps.observer.clone(),
        manifest: deps.manifest.clone(),
        settings: deps.settings.clone(),
        registered: std::sync::Arc::default(),
    };
    match tick(&pass).await {
        Ok(ticked) => IngressResponse::json(200, &json!(ticked)),
        Err(error) => IngressResponse::unreadable(&error).with("retry-after", "5"),
    }
}

/// Whether a request holds the secret in one of its two places.
fn presents(headers: &HeaderMap, secret: &Secret) -> bool {
    let Some(given) = headers.get(HEADER) else {
        return check_bearer(headers, secret).is_ok();
    };
    let mut bearer = b"Bearer ".to_vec();
    bearer.extend_from_slice(given.as_bytes());
    let Ok(bearer) = HeaderValue::from_bytes(&bearer) else {
        return false;
    };
    let as_bearer: HeaderMap = [(AUTHORIZATION, bearer)].into_iter().collect();
    check_bearer(&as_bearer, secret).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_secret_is_taken_from_either_header_and_nothing_else_is() {
        let secret = Secret::new("tick-4711");
        for (name, value, taken) in [
            ("authorization", "Bearer tick-4711", true),
            ("x-openeve-scheduler-secret", "tick-4711", true),
            ("authorization", "Bearer tick-4712", false),
            ("x-openeve-scheduler-secret", "", false),
            ("x-openeve-scheduler-secret", "Bearer tick-4711", false),
            ("x-secret", "tick-4711", false),
        ] {
            let headers: HeaderMap = [(
                http::HeaderName::from_static(name),
                HeaderValue::from_static(value),
            )]
            .into_iter()
            .collect();
            assert_eq!(presents(&headers, &secret), taken, "{name}: {value}");
        }
    }
}
