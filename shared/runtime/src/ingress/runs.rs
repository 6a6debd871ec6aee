//! Reading runs over HTTP, for the operator [Q.02].

use openeve_domain::commit::Failure;
use openeve_domain::ids::RunId;
use serde_json::{Value, json};

use super::caller::operator;
use super::people::{self, Part};
use super::{IngressDeps, IngressRequest, IngressResponse};
use crate::ports::{Pauses, PortError, RunView, StoredEvent};
use crate::resume::waiting_json;

/// Events of one page, and bytes of their payloads: a Lambda response holds 6 MB.
const EVENTS_PER_PAGE: u64 = 500;
const EVENTS_BYTES_MAX: usize = 3_000_000;

/// `GET /runs/{id}` and `GET /runs/{id}/events?after=N`, and what [`people`] answers.
pub(super) async fn handle(
    deps: &IngressDeps,
    request: &IngressRequest,
    rest: &str,
) -> IngressResponse {
    let (id, part) = rest.split_once('/').unwrap_or((rest, ""));
    let people = Part::parse(part);
    if people.is_none() && !matches!(part, "" | "events") {
        let message = "read /runs/{id}, /runs/{id}/events or /runs/{id}/pauses; post to /runs/{id}/approve, reject, answer or cancel";
        return IngressResponse::error(404, "route_unknown", message);
    }
    let method = people.map_or(http::Method::GET, Part::method);
    if request.method != method {
        let message = format!("/runs/{{id}}/{part} takes {method}");
        return IngressResponse::error(405, "method_not_allowed", &message)
            .with("allow", method.as_str());
    }
    if let Some(part) = people {
        return people::handle(deps, request, id, part).await;
    }
    if let Err(response) = operator(deps, request) {
        return *response;
    }
    let run_id: RunId = match id.parse() {
        Ok(run_id) => run_id,
        Err(error) => return IngressResponse::error(400, "run_id_malformed", &error.to_string()),
    };
    if part.is_empty() {
        one(deps, run_id).await
    } else {
        events(deps, run_id, request).await
    }
}

async fn one(deps: &IngressDeps, run_id: RunId) -> IngressResponse {
    match read(deps, run_id).await {
        Ok(Some(run)) => IngressResponse::json(200, &run),
        Ok(None) => unknown(run_id),
        Err(error) => IngressResponse::unreadable(&error),
    }
}

/// A run, with what it waits for if it waits: that costs a second round trip.
async fn read(deps: &IngressDeps, run_id: RunId) -> Result<Option<Value>, PortError> {
    let agent_id = &deps.manifest.agent.id;
    let Some(view) = deps.store.run_view(agent_id, run_id).await? else {
        return Ok(None);
    };
    let pauses = if view.status.is_waiting() {
        deps.store.pauses(agent_id, run_id).await?
    } else {
        None
    };
    Ok(Some(run_json(&view, pauses.as_ref())))
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

pub(super) fn unknown(run_id: RunId) -> IngressResponse {
    IngressResponse::error(
        404,
        "run_unknown",
        &format!("there is no run {run_id} in this database"),
    )
}

/// A run as JSON, with the pauses that wait if they were read.
pub fn run_json(view: &RunView, pauses: Option<&Pauses>) -> Value {
    let reason = |failure: &Option<Failure>| {
        failure
            .as_ref()
            .map(|failure| json!({"code": failure.code, "message": failure.message}))
    };
    let mut run = json!({
        "run_id": view.run_id,
        "conversation_id": view.conversation_id,
        "channel": view.channel,
        "status": view.status.as_str(),
        "failure": reason(&view.failure),
        "blocked": reason(&view.blocked),
        "reply": view.reply,
        "delivery": view.delivery.map(openeve_domain::status::DeliveryStatus::as_str),
        "steps": view.steps,
        "usage": view.usage,
        "created_at": view.created_at,
        "finished_at": view.finished_at,
    });
    if let (Some(pauses), Some(fields)) = (pauses, run.as_object_mut()) {
        fields.insert("pauses".to_owned(), waiting_json(pauses));
    }
    run
}

fn event_json(event: &StoredEvent) -> Value {
    json!({"seq": event.seq, "kind": event.kind, "payload": event.payload, "at": event.at})
}
