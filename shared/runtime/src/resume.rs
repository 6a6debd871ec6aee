//! Deciding pauses and ending runs on a person's behalf [N.01–N.06].
//!
//! Every surface comes through here: the ingress's endpoints, the command line, a channel's buttons
//! and an author's own host. Whoever decides is judged against the pause's approvers; the decision
//! itself is the store's one compare-and-set, so that of a hundred callers one decides and all are
//! told how it ended.

use std::sync::Arc;

use openeve_domain::bell::Bell;
use openeve_domain::ids::{DeliveryId, RunId, ToolCallId};
use openeve_domain::pause::{
    Decide, Decided, Decision, OPERATOR, PauseKind, PauseStatus, may_decide,
};
use openeve_domain::status::RunStatus;

use crate::ports::{Cancelled, Doorbell, Ids, PausedCall, Pauses, PortError, Redriven, Store};

/// Everything these use cases reach the world through.
#[derive(Clone)]
pub struct ResumeDeps {
    /// All truth.
    pub store: Arc<dyn Store>,
    /// Rings.
    pub doorbell: Arc<dyn Doorbell>,
    /// Identity.
    pub ids: Arc<dyn Ids>,
    /// The agent's stable identity.
    pub agent_id: String,
}

/// Who decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decider {
    /// Whoever holds the admin token or the database; may always decide.
    Operator,
    /// Somebody in a channel.
    Person {
        /// As the channel names them; `None` if it does not tell people apart.
        id: Option<String>,
        /// What the channel says they are.
        roles: Vec<String>,
    },
}

/// Which pause of a run is meant.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Which {
    /// The call; `None` if only one waits.
    pub call_id: Option<ToolCallId>,
    /// Its generation; `None` for the newest.
    pub generation: Option<u32>,
}

/// What became of it. Everything but `Failed` is an answer for the person who decided.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// This decision counts.
    Taken {
        /// The call that was decided.
        call_id: ToolCallId,
        /// Whether the run goes on; else it waits for other decisions.
        resumes: bool,
    },
    /// The pause had ended before; `same` if with this very decision.
    Already {
        /// How it ended.
        status: PauseStatus,
        /// What was decided then.
        decision: Option<Decision>,
        /// By whom.
        by: Option<String>,
        /// Whether it is what was decided now.
        same: bool,
    },
    /// Not this person's to decide; the pause stays.
    NotAllowed {
        /// Who may.
        approvers: Vec<String>,
    },
    /// The pause waits for something else.
    Unfit {
        /// What it waits for.
        kind: PauseKind,
        /// What would be accepted.
        options: Vec<String>,
    },
    /// More than one call waits; say which.
    Ambiguous {
        /// The calls that wait.
        waiting: Vec<PausedCall>,
    },
    /// Nothing of this kind waits.
    NothingWaits {
        /// Where the run stands.
        status: RunStatus,
    },
    /// There is no such run.
    Unknown,
}

/// Approves or rejects a gated call. Idempotent: the same decision again is told so.
pub async fn resume_approval(
    deps: &ResumeDeps,
    run_id: RunId,
    which: Which,
    decision: Decision,
    by: &Decider,
) -> Result<Outcome, PortError> {
    decide(deps, run_id, which, decision, by).await
}

/// Answers a question. Idempotent as [`resume_approval`].
pub async fn resume_input(
    deps: &ResumeDeps,
    run_id: RunId,
    which: Which,
    answer: &str,
    by: &Decider,
) -> Result<Outcome, PortError> {
    let text = answer.to_owned();
    decide(deps, run_id, which, Decision::Answer { text }, by).await
}

/// Records that a connection was authorized. Idempotent as [`resume_approval`].
pub async fn resume_authorization(
    deps: &ResumeDeps,
    run_id: RunId,
    which: Which,
    by: &Decider,
) -> Result<Outcome, PortError> {
    decide(deps, run_id, which, Decision::Authorize, by).await
}

/// Asks for a run to end, whatever it is doing, and rings whoever goes on from there.
pub async fn cancel(deps: &ResumeDeps, run_id: RunId, by: &str) -> Result<Cancelled, PortError> {
    let cancelled = deps.store.cancel(&deps.agent_id, run_id, by).await?;
    let next = match cancelled {
        Cancelled::Requested => Some(run_id),
        Cancelled::Ended { next_run } => next_run,
        Cancelled::Already(_) | Cancelled::Unknown => None,
    };
    if let Some(next) = next {
        ring(deps, Bell::run(next)).await;
    }
    Ok(cancelled)
}

/// Begins a failed run again as a new one, or frees one that was set aside.
pub async fn redrive_run(deps: &ResumeDeps, run_id: RunId) -> Result<Redriven, PortError> {
    let fresh = RunId::new(deps.ids.uuid());
    let redriven = deps
        .store
        .redrive_run(&deps.agent_id, run_id, fresh)
        .await?;
    match redriven {
        Redriven::Freed => ring(deps, Bell::run(run_id)).await,
        Redriven::Again { run_id, .. } => ring(deps, Bell::run(run_id)).await,
        Redriven::Owed { .. } | Redriven::Nothing { .. } | Redriven::Unknown => {}
    }
    Ok(redriven)
}

/// Owes a delivery that was given up once more.
pub async fn redrive_delivery(deps: &ResumeDeps, id: DeliveryId) -> Result<Redriven, PortError> {
    let fresh = DeliveryId::new(deps.ids.uuid());
    let redriven = deps
        .store
        .redrive_delivery(&deps.agent_id, id, fresh)
        .await?;
    if let Redriven::Owed { delivery_id, .. } = redriven {
        ring(deps, Bell::delivery(delivery_id)).await;
    }
    Ok(redriven)
}

async fn decide(
    deps: &ResumeDeps,
    run_id: RunId,
    which: Which,
    decision: Decision,
    by: &Decider,
) -> Result<Outcome, PortError> {
    let Some(pauses) = deps.store.pauses(&deps.agent_id, run_id).await? else {
        return Ok(Outcome::Unknown);
    };
    let paused = match meant(&pauses, which, &decision) {
        Ok(paused) => paused,
        Err(outcome) => return Ok(*outcome),
    };
    let request = &paused.pause.request;
    if !allowed(&pauses, &request.approvers, by) {
        let approvers = request.approvers.clone();
        return Ok(Outcome::NotAllowed { approvers });
    }
    let offered = |text: &String| request.options.is_empty() || request.options.contains(text);
    let fits = decision.fits(request.kind)
        && !matches!(&decision, Decision::Answer { text } if text.trim().is_empty() || !offered(text));
    if !fits {
        let options = request.options.clone();
        let kind = request.kind;
        return Ok(Outcome::Unfit { kind, options });
    }
    let call_id = paused.pause.call_id;
    let wanted = Decide {
        run_id,
        call_id,
        generation: paused.pause.generation,
        decision: Some(decision.clone()),
        by: name(by),
    };
    match deps.store.decide(&wanted).await? {
        Decided::Taken { resumes } => {
            if resumes {
                ring(deps, Bell::run(run_id).of_tenant(&pauses.tenant)).await;
            }
            Ok(Outcome::Taken { call_id, resumes })
        }
        Decided::Already {
            status,
            decision: before,
            by,
        } => Ok(Outcome::Already {
            status,
            same: before.as_ref() == Some(&decision),
            decision: before,
            by,
        }),
        Decided::Unknown => Ok(Outcome::Unknown),
    }
}

/// The pause that is meant: the one named, or the only one that waits and that the decision fits.
fn meant<'a>(
    pauses: &'a Pauses,
    which: Which,
    decision: &Decision,
) -> Result<&'a PausedCall, Box<Outcome>> {
    let named = |paused: &&PausedCall| {
        which
            .call_id
            .is_none_or(|call_id| paused.pause.call_id == call_id)
            && which
                .generation
                .is_none_or(|generation| paused.pause.generation == generation)
    };
    let nothing = || {
        Box::new(Outcome::NothingWaits {
            status: pauses.status,
        })
    };
    if which.call_id.is_some() {
        let newest = pauses
            .pauses
            .iter()
            .filter(named)
            .max_by_key(|paused| paused.pause.generation);
        return newest.ok_or_else(nothing);
    }
    let fitting: Vec<&PausedCall> = pauses
        .pauses
        .iter()
        .filter(named)
        .filter(|paused| decision.fits(paused.pause.request.kind))
        .collect();
    let waiting: Vec<&PausedCall> = fitting
        .iter()
        .copied()
        .filter(|paused| paused.pause.status == PauseStatus::Pending)
        .collect();
    match waiting.as_slice() {
        [one] => Ok(one),
        // Nothing waits any longer: whoever clicks twice is told how the newest ended.
        [] => fitting.last().copied().ok_or_else(nothing),
        many => Err(Box::new(Outcome::Ambiguous {
            waiting: many.iter().map(|paused| (*paused).clone()).collect(),
        })),
    }
}

fn allowed(pauses: &Pauses, approvers: &[String], by: &Decider) -> bool {
    match by {
        Decider::Operator => true,
        Decider::Person { id, roles } => {
            may_decide(approvers, id.as_deref(), roles, pauses.requester.as_deref())
        }
    }
}

fn name(by: &Decider) -> String {
    match by {
        Decider::Operator => OPERATOR.to_owned(),
        Decider::Person { id, .. } => id.clone().unwrap_or_default(),
    }
}

/// Rings, or leaves it to the tick.
async fn ring(deps: &ResumeDeps, bell: Bell) {
    if let Err(error) = deps.doorbell.ring(&bell, 0).await {
        tracing::warn!(error.code = error.code, error = %error, "a doorbell did not ring; the tick will");
    }
}
