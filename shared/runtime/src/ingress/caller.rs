//! Who asks about a run: the operator, or a channel on behalf of its people.

use openeve_domain::manifest::ChannelSpec;
use openeve_integrations::channels::http::check_bearer;

use super::{IngressDeps, IngressRequest, IngressResponse};
use crate::config::Mode;
use crate::ports::Pauses;

/// Who asks, as far as a token tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Caller {
    /// Whoever holds the admin token; in development without one, anybody on this machine.
    Operator,
    /// Whoever holds the token of these channels.
    Channels(Vec<String>),
}

impl Caller {
    /// Whether this caller may know of a run. A channel knows of its own.
    pub(super) fn may_see(&self, pauses: &Pauses) -> bool {
        match self {
            Self::Operator => true,
            Self::Channels(names) => names.contains(&pauses.channel),
        }
    }
}

/// Lets the operator in.
pub(super) fn operator(
    deps: &IngressDeps,
    request: &IngressRequest,
) -> Result<(), Box<IngressResponse>> {
    match (&deps.admin_token, deps.settings.mode) {
        (Some(token), _) => check_bearer(&request.headers, token).map_err(|error| {
            let refused = IngressResponse::error(error.status(), error.code(), &error.to_string());
            Box::new(refused.with("www-authenticate", "Bearer"))
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

/// Lets the operator and the agent's channels in.
pub(super) fn operator_or_channel(
    deps: &IngressDeps,
    request: &IngressRequest,
) -> Result<Caller, Box<IngressResponse>> {
    let operator = operator(deps, request);
    if operator.is_ok() && deps.admin_token.is_some() {
        return Ok(Caller::Operator);
    }
    let token = |channel: &ChannelSpec| {
        let auth = channel.auth.as_ref()?;
        deps.env.get(&auth.bearer.name)
    };
    let of_caller = |channel: &&ChannelSpec| {
        token(channel).is_some_and(|token| check_bearer(&request.headers, token).is_ok())
    };
    let channels = deps.manifest.channels.iter();
    let names: Vec<String> = channels
        .clone()
        .filter(of_caller)
        .map(|channel| channel.name.clone())
        .collect();
    if !names.is_empty() {
        return Ok(Caller::Channels(names));
    }
    match operator {
        Ok(()) => Ok(Caller::Operator),
        Err(_) if channels.clone().any(|channel| token(channel).is_some()) => {
            let message = "send `Authorization: Bearer` with the admin token, or with the token of the run's own channel";
            let refused = IngressResponse::error(401, "request_unauthorized", message);
            Err(Box::new(refused.with("www-authenticate", "Bearer")))
        }
        Err(refused) => Err(refused),
    }
}
