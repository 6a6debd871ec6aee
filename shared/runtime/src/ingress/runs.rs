//! Reading runs over HTTP, for the operator [Q.02].

use openeve_domain::ids::RunId;
use openeve_integrations::channels::http::check_bearer;
use serde_json::{Value, json};

use super::{IngressDeps, IngressRequest, IngressResponse};
use crate::config::Mode;
use crate::ports::{RunView, StoredEvent};

/// Events of one page, and bytes of their payloads: a Lambda response holds 6 MB.
const EVENTS_PER_PAGE: u64 = 500;
const EVENTS_BYTES_MAX: usize = 3_000_000;

/// `GET /runs/{id}` and `GET /runs/{id}/events?after=N`.
pub(super) async fn handle(
    deps: &IngressDeps,
    request: &IngressRequest,
    rest: &str,
) -> IngressResponse {
    if request.method != http::Method::GET {
        return IngressResponse::error(405, "method_not_allowed", "runs are read with GET")
            .with("allow", "GET");
    }
    if let Err(response) = authorized(deps, request) {
        return *response;
    }
    let (id, part) = rest.split_once('/').unwrap_or((rest, ""));
    let run_id: RunId = match id.parse() {
        Ok(run_id) => run_id,
        Err(error) => return IngressResponse::error(400, "run_id_malformed", &error.to_string()),
    };
    match part {
        "" => one(deps, run_id).await,
        "events" => events(deps, run_id, request).await,
        _ => IngressResponse::error(404, "route_unknown", "read /runs/{id} or /runs/{id}/events"),
    }
}

fn authorized(deps: &IngressDeps, request: &IngressRequest) -> Result<(), Box<IngressResponse>> {
    match (&deps.admin_token, deps.settings.mode) {
        (Some(token), _) => check_bearer(&request.headers, token).map_err(|error| {
            Box::new(IngressResponse::error(
                error.status(),
                error.code(),
                &error.to_string(),
            ))
        }),
        (None, Mode::Development) => Ok(()),
        (None, Mode::Production) => {
            let message = "runs are not readable here until the operator sets OPENEVE_ADMIN_TOKEN";
            Err(Box::new(IngressResponse::error(
                401,
                "route_closed",
                message,
            )))
        }
    }
}

async fn one(deps: &IngressDeps, run_id: RunId) -> IngressResponse {
    match deps.store.run_view(&deps.manifest.agent.id, run_id).await {
        Ok(Some(view)) => IngressResponse::json(200, &run_json(&view)),
        Ok(None) => unknown(run_id),
        Err(error) => IngressResponse::unreadable(&error),
    }
}

async fn events(deps: &IngressDeps, run_id: RunId, request: &IngressRequest) -> IngressResponse {
    let after = request
        .query
        .split('&')
        .find_map(|pair| pair.strip_prefix("after="));
    let Ok(after) = after.unwrap_or("0").parse::<i64>() else {
        return IngressResponse::error(
            400,
            "query_malformed",
            "`after` is the number of the last event you have",
        );
    };
    match deps
        .store
        .run_events(&deps.manifest.agent.id, run_id, after, EVENTS_PER_PAGE)
        .await
    {
        Ok(events) if events.is_empty() && after == 0 => unknown(run_id),
        Ok(events) => {
            let page = page(&events);
            let more = page.len() < events.len() || events.len() as u64 == EVENTS_PER_PAGE;
            let next = page
                .last()
                .filter(|_| more)
                .and_then(|event| event.get("seq").cloned());
            IngressResponse::json(200, &json!({"events": page, "next_after": next}))
        }
        Err(error) => IngressResponse::unreadable(&error),
    }
}

/// As many events as a response holds, at least one.
fn page(events: &[StoredEvent]) -> Vec<Value> {
    let mut bytes = 0;
    let mut page = Vec::new();
    for event in events {
        let event = event_json(event);
        bytes += event.to_string().len();
        if bytes > EVENTS_BYTES_MAX && !page.is_empty() {
            break;
        }
        page.push(event);
    }
    page
}

fn unknown(run_id: RunId) -> IngressResponse {
    IngressResponse::error(
        404,
        "run_unknown",
        &format!("there is no run {run_id} in this database"),
    )
}

/// A run as JSON, the same over HTTP and on the command line.
pub fn run_json(view: &RunView) -> Value {
    json!({
        "run_id": view.run_id,
        "conversation_id": view.conversation_id,
        "channel": view.channel,
        "status": view.status.as_str(),
        "failure": view.failure.as_ref().map(|failure| json!({"code": failure.code, "message": failure.message})),
        "reply": view.reply,
        "delivery": view.delivery.map(openeve_domain::status::DeliveryStatus::as_str),
        "steps": view.steps,
        "usage": view.usage,
        "created_at": view.created_at,
        "finished_at": view.finished_at,
    })
}

fn event_json(event: &StoredEvent) -> Value {
    json!({"seq": event.seq, "kind": event.kind, "payload": event.payload, "at": event.at})
}
