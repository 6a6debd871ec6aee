//! What people do to a run over HTTP: see its pauses, decide them, cancel it [N.03].
//!
//! The operator's token decides anything, or vouches for whom `by` and `roles` name; the token of
//! the run's own channel always speaks for a person. Whether that person may decide, and who came
//! first, is the use case's to say.

use std::pin::pin;

use futures_util::future::{Either, select};
use openeve_domain::ids::RunId;
use openeve_domain::limits::ACCEPT_MS_MAX;
use openeve_domain::pause::Decision;

use super::caller::{Caller, operator_or_channel};
use super::wish::{self, Wish};
use super::{IngressDeps, IngressRequest, IngressResponse};
use crate::ports::{Pauses, PortError};
use crate::resume::{
    Decider, Outcome, ResumeDeps, Told, cancel, decide, pauses_json, told, told_cancelled, verdict,
};

/// One of the routes below `/runs/{id}/`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Pauses,
    Approve,
    Reject,
    Answer,
    Cancel,
}

impl Part {
    /// The part a path's end names.
    pub(super) fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "pauses" => Self::Pauses,
            "approve" => Self::Approve,
            "reject" => Self::Reject,
            "answer" => Self::Answer,
            "cancel" => Self::Cancel,
            _ => return None,
        })
    }

    /// The method it takes.
    pub(super) const fn method(self) -> http::Method {
        match self {
            Self::Pauses => http::Method::GET,
            Self::Approve | Self::Reject | Self::Answer | Self::Cancel => http::Method::POST,
        }
    }

    /// The fields its body may have.
    const fn fields(self) -> &'static [&'static str] {
        match self {
            Self::Pauses => &[],
            Self::Approve => &["call", "generation", "by", "roles"],
            Self::Reject => &["call", "generation", "reason", "by", "roles"],
            Self::Answer => &["call", "generation", "text", "by", "roles"],
            Self::Cancel => &["by", "roles"],
        }
    }

    /// What is decided, in the words of the body; `None` if words are missing or it decides nothing.
    fn decision(self, words: Option<String>) -> Option<Decision> {
        match self {
            Self::Pauses | Self::Cancel => None,
            Self::Approve => Some(Decision::Approve),
            Self::Reject => Some(Decision::Reject {
                reason: words.unwrap_or_default(),
            }),
            Self::Answer => words
                .filter(|text| !text.trim().is_empty())
                .map(|text| Decision::Answer { text }),
        }
    }
}

/// Answers one request about a run's pauses.
pub(super) async fn handle(
    deps: &IngressDeps,
    request: &IngressRequest,
    id: &str,
    part: Part,
) -> IngressResponse {
    let caller = match operator_or_channel(deps, request) {
        Ok(caller) => caller,
        Err(refused) => return *refused,
    };
    let run_id: RunId = match id.parse() {
        Ok(run_id) => run_id,
        Err(error) => return IngressResponse::error(400, "run_id_malformed", &error.to_string()),
    };
    if part == Part::Pauses {
        return match seen(deps, &caller, run_id).await {
            Ok(Some(pauses)) => IngressResponse::json(200, &pauses_json(run_id, &pauses)),
            Ok(None) => super::runs::unknown(run_id),
            Err(error) => IngressResponse::unreadable(&error),
        };
    }
    let wish = match wish::parse(&request.body, part.fields()) {
        Ok(wish) => wish,
        Err(unclear) => return unclear.into(),
    };
    // Whoever decides hears in time that it should be sent again, which does no harm.
    let patience = pin!(deps.clock.wait_ms(ACCEPT_MS_MAX));
    match select(pin!(wished(deps, &caller, run_id, part, wish)), patience).await {
        Either::Left((Ok(response), _)) => response,
        Either::Left((Err(error), _)) => IngressResponse::undecided(&error),
        Either::Right(_) => {
            let why = "the database took longer than a caller can wait";
            IngressResponse::undecided(&PortError::retry("database_unreachable", why))
        }
    }
}

async fn wished(
    deps: &IngressDeps,
    caller: &Caller,
    run_id: RunId,
    part: Part,
    wish: Wish,
) -> Result<IngressResponse, PortError> {
    let by = match (wish.by, caller) {
        (Some(person), _) => person,
        (None, Caller::Operator) => Decider::Operator,
        (None, Caller::Channels(_)) => Decider::Person {
            id: None,
            roles: Vec::new(),
        },
    };
    let Some(pauses) = seen(deps, caller, run_id).await? else {
        return Ok(super::runs::unknown(run_id));
    };
    let through = through(deps);
    if part == Part::Cancel {
        let cancelled = cancel(&through, run_id, &by.name()).await?;
        tracing::info!(run.id = %run_id, by = %by.name(), "asked to cancel: {cancelled:?}");
        return Ok(said(&told_cancelled(cancelled)));
    }
    let Some(decision) = part.decision(wish.words) else {
        let message = "\"text\" is missing or blank; send an object such as {\"text\": \"yes\"}";
        return Ok(IngressResponse::error(400, "request_malformed", message));
    };
    let outcome = decide(&through, run_id, &pauses, wish.which, decision.clone(), &by).await?;
    if let Outcome::Taken { call_id, .. } = &outcome {
        tracing::info!(run.id = %run_id, call.id = %call_id, by = %by.name(), "a pause was decided: {}", verdict(&decision));
    }
    Ok(said(&told(&outcome, &decision)))
}

/// A run's pauses, if there is such a run and the caller may know of it.
async fn seen(
    deps: &IngressDeps,
    caller: &Caller,
    run_id: RunId,
) -> Result<Option<Pauses>, PortError> {
    let pauses = deps.store.pauses(&deps.manifest.agent.id, run_id).await?;
    Ok(pauses.filter(|pauses| caller.may_see(pauses)))
}

fn said(told: &Told) -> IngressResponse {
    IngressResponse::json(told.status, &told.body)
}

fn through(deps: &IngressDeps) -> ResumeDeps {
    ResumeDeps {
        store: deps.store.clone(),
        doorbell: deps.doorbell.clone(),
        ids: deps.ids.clone(),
        observer: deps.observer.clone(),
        agent_id: deps.manifest.agent.id.clone(),
    }
}
