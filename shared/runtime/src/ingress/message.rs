//! A message on a channel's route: who may, what was said, persisted, rung, acknowledged.

use std::pin::pin;

use futures_util::future::{Either, select};
use openeve_domain::bell::{Bell, Place};
use openeve_domain::channel::IdempotencyKey;
use openeve_domain::commit::Accept;
use openeve_domain::event::{Event, PAUSE_DECIDED};
use openeve_domain::ids::{ConversationId, RunId};
use openeve_domain::limits::ACCEPT_MS_MAX;
use openeve_domain::manifest::ChannelSpec;
use openeve_domain::run::accept::{AcceptError, Arrival, accept};
use openeve_integrations::channels::http::{InboundError, check_bearer, parse};
use serde_json::json;

use super::{IngressDeps, IngressRequest, IngressResponse};
use crate::config::Mode;
use crate::ports::{Accepted, PortError};

/// Accepts one message. Idempotent by the caller's key, if it gave one.
pub(super) async fn handle(
    deps: &IngressDeps,
    request: &IngressRequest,
    channel: &ChannelSpec,
) -> IngressResponse {
    if let Err(response) = authorized(deps, request, channel) {
        return *response;
    }
    let run_id = RunId::new(deps.ids.uuid());
    let fresh = ConversationId::new(deps.ids.uuid());
    let inbound = match parse(
        &channel.name,
        &request.headers,
        &request.body,
        &fresh.to_string(),
    ) {
        Ok(inbound) => inbound,
        Err(error) => return refused(&error),
    };
    let arrival = Arrival {
        turn: inbound.turn,
        idempotency: inbound
            .key
            .unwrap_or_else(|| IdempotencyKey::channel(&channel.name, &run_id.to_string())),
        idempotency_ttl_hours: deps.settings.idempotency_ttl_hours,
        trigger: "message",
        trace_parent: header(request, "traceparent"),
        occurrence: None,
    };
    let turn = match accept(&deps.manifest, arrival, run_id, fresh) {
        Ok(turn) => turn,
        Err(error @ AcceptError::Empty) => {
            return IngressResponse::error(400, "request_malformed", &error.to_string());
        }
        Err(error @ AcceptError::TooLarge { .. }) => {
            return IngressResponse::error(413, "request_too_large", &error.to_string());
        }
    };
    // The caller hears in time that it should send again, whatever the database does.
    let patience = pin!(deps.clock.wait_ms(ACCEPT_MS_MAX));
    let accepted = match select(deps.store.accept(&turn), patience).await {
        Either::Left((Ok(accepted), _)) => accepted,
        Either::Left((Err(error), _)) => return IngressResponse::unavailable(&error),
        Either::Right(_) => {
            let why = "the database took longer than a caller can wait";
            return IngressResponse::unavailable(&PortError::retry("database_unreachable", why));
        }
    };
    if !accepted.duplicate {
        tell(deps, &turn, &accepted).await;
    }
    IngressResponse::json(
        202,
        &json!({
            "run_id": accepted.run_id,
            "conversation": accepted.conversation_key,
            "duplicate": accepted.duplicate,
            "answered": accepted.answered,
            "run_url": format!("/runs/{}", accepted.run_id),
        }),
    )
}

/// Tells whoever watches, and rings the run that was created or answered.
async fn tell(deps: &IngressDeps, turn: &Accept, accepted: &Accepted) {
    let run_id = accepted.run_id;
    if accepted.answered {
        let by = turn.turn.sender.as_deref().unwrap_or_default();
        let answered = Event::new(PAUSE_DECIDED, json!({"verdict": "answer", "by": by}));
        deps.observer.event(run_id, &answered);
    } else {
        for event in &turn.events {
            deps.observer.event(run_id, event);
        }
    }
    let place = Place::Run { run_id };
    let bell = Bell::new(place, turn.trace_parent.clone()).of_tenant(&accepted.tenant);
    // The row is committed: a bell that does not ring costs a minute, not the message.
    if let Err(error) = deps.doorbell.ring(&bell, 0).await {
        tracing::warn!(run.id = %run_id, error = %error, "a doorbell did not ring; the tick will");
    }
}

/// Whether the caller may use the channel. No secret configured means the route is closed, except
/// in development.
fn authorized(
    deps: &IngressDeps,
    request: &IngressRequest,
    channel: &ChannelSpec,
) -> Result<(), Box<IngressResponse>> {
    let variable = channel.auth.as_ref().map(|auth| auth.bearer.name.as_str());
    let token = variable.and_then(|name| deps.env.get(name));
    match (token, deps.settings.mode) {
        (Some(token), _) => {
            check_bearer(&request.headers, token).map_err(|error| Box::new(refused(&error)))
        }
        (None, Mode::Development) => Ok(()),
        (None, Mode::Production) => {
            let why = variable.map_or_else(
                || format!("channel {} declares no `auth`", channel.name),
                |name| format!("{name} is not set"),
            );
            tracing::error!(channel = %channel.name, "the route {} is closed: {why}", channel.route);
            let message = "this route is closed until its operator configures a token";
            Err(Box::new(IngressResponse::error(
                401,
                "route_closed",
                message,
            )))
        }
    }
}

fn refused(error: &InboundError) -> IngressResponse {
    let response = IngressResponse::error(error.status(), error.code(), &error.to_string());
    if matches!(error, InboundError::Unauthorized(_)) {
        return response.with("www-authenticate", "Bearer");
    }
    response
}

fn header(request: &IngressRequest, name: &str) -> Option<String> {
    let value = request.headers.get(name)?.to_str().ok()?;
    (value.len() <= 128).then(|| value.to_owned())
}
