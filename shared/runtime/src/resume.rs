//! Deciding pauses and ending runs on a person's behalf [N.01–N.06].
//!
//! Every surface comes through here: the ingress's endpoints, the command line, a channel's buttons
//! and an author's own host. Whoever decides is judged against the pause's approvers; the decision
//! itself is the store's one compare-and-set, so that of a hundred callers one decides and all are
//! told how it ended. [`told()`] says so in the same words to all of them.

mod told;

use std::sync::Arc;

use openeve_domain::bell::Bell;
use openeve_domain::event::{self, Event};
use openeve_domain::ids::{DeliveryId, RunId, ToolCallId};
use openeve_domain::pause::{
    Decide, Decided, Decision, OPERATOR, PauseKind, PauseStatus, may_decide, stands_for_others,
};
use openeve_domain::status::RunStatus;
use serde_json::json;

use crate::ports::{
    Cancelled, Doorbell, Ids, Observer, PausedCall, Pauses, PortError, Redriven, Store,
};

pub use told::{Told, pauses_json, told, told_cancelled, verdict, waiting_json, who_may};

/// The longest name of a person or a role, in bytes.
pub const NAME_BYTES_MAX: usize = 255;
/// Roles of one person at most.
pub const ROLES_MAX: usize = 64;

/// Everything these use cases reach the world through.
#[derive(Clone)]
pub struct ResumeDeps {
    /// All truth.
    pub store: Arc<dyn Store>,
    /// Rings.
    pub doorbell: Arc<dyn Doorbell>,
    /// Identity.
    pub ids: Arc<dyn Ids>,
    /// Whoever watches.
    pub observer: Arc<dyn Observer>,
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

impl Decider {
    /// A person as a caller names them, or what is wrong with the names. A name that approvers are
    /// written with is refused: whoever bears it would be taken for all whom it stands for.
    pub fn person(id: Option<String>, roles: Vec<String>) -> Result<Self, String> {
        if let Some(id) = &id {
            check_name("\"by\"", id)?;
            if stands_for_others(id) {
                return Err(format!(
                    "\"by\" is {id:?}, which names no person; to decide as the operator, leave it out"
                ));
            }
        }
        if roles.len() > ROLES_MAX {
            let count = roles.len();
            return Err(format!(
                "\"roles\" has {count} entries; at most {ROLES_MAX} are taken"
            ));
        }
        for (at, role) in roles.iter().enumerate() {
            check_name(&format!("\"roles\"[{at}]"), role)?;
        }
        Ok(Self::Person { id, roles })
    }

    /// As the decision is recorded; empty for somebody whom nobody names.
    pub fn name(&self) -> String {
        match self {
            Self::Operator => OPERATOR.to_owned(),
            Self::Person { id, .. } => id.clone().unwrap_or_default(),
        }
    }

    fn may(&self, pauses: &Pauses, approvers: &[String]) -> bool {
        match self {
            Self::Operator => true,
            Self::Person { id, roles } => {
                may_decide(approvers, id.as_deref(), roles, pauses.requester.as_deref())
            }
        }
    }
}

fn check_name(what: &str, name: &str) -> Result<(), String> {
    if name.trim().is_empty() {
        return Err(format!("{what} is blank; leave it out or give it a value"));
    }
    if name.len() > NAME_BYTES_MAX {
        let bytes = name.len();
        return Err(format!(
            "{what} has {bytes} bytes; at most {NAME_BYTES_MAX} are taken"
        ));
    }
    if name.chars().any(char::is_control) {
        return Err(format!("{what} holds a control character"));
    }
    Ok(())
}

/// Which pause of a run is meant.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Which {
    /// The call; `None` if only one waits.
    pub call_id: Option<ToolCallId>,
    /// Its generation; `None` for the newest.
    pub generation: Option<u32>,
}

/// What became of it: an answer for the person who decided. [`told()`] puts it into words.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// This decision counts.
    Taken {
        /// The call that was decided.
        call_id: ToolCallId,
        /// Its tool.
        tool: String,
        /// Whether the run goes on; else it waits for other decisions.
        resumes: bool,
    },
    /// The pause had ended before; `same` if with this very decision.
    Already {
        /// The call.
        call_id: ToolCallId,
        /// Its tool.
        tool: String,
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
        /// Who wanted to.
        by: Option<String>,
        /// Who may.
        approvers: Vec<String>,
        /// Who started the run.
        requester: Option<String>,
    },
    /// The pause waits for something else.
    Unfit {
        /// The call that waits.
        call_id: ToolCallId,
        /// What it waits for.
        kind: PauseKind,
        /// What would be accepted.
        options: Vec<String>,
    },
    /// More than one call waits; say which.
    Ambiguous {
        /// The calls that wait.
        waiting: Vec<PausedCall>,
        /// Who started the run.
        requester: Option<String>,
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
    match deps.store.pauses(&deps.agent_id, run_id).await? {
        Some(pauses) => decide(deps, run_id, &pauses, which, decision, by).await,
        None => Ok(Outcome::Unknown),
    }
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
    resume_approval(deps, run_id, which, Decision::Answer { text }, by).await
}

/// Records that a connection was authorized. Idempotent as [`resume_approval`].
pub async fn resume_authorization(
    deps: &ResumeDeps,
    run_id: RunId,
    which: Which,
    by: &Decider,
) -> Result<Outcome, PortError> {
    resume_approval(deps, run_id, which, Decision::Authorize, by).await
}

/// Asks for a run to end, whatever it is doing, and rings whoever goes on from there.
pub async fn cancel(deps: &ResumeDeps, run_id: RunId, by: &str) -> Result<Cancelled, PortError> {
    let cancelled = deps.store.cancel(&deps.agent_id, run_id, by).await?;
    let (kind, next) = match cancelled {
        Cancelled::Requested => (event::RUN_CANCEL_REQUESTED, Some(run_id)),
        Cancelled::Ended { next_run } => (event::RUN_CANCELLED, next_run),
        Cancelled::Already(_) | Cancelled::Unknown => return Ok(cancelled),
    };
    deps.observer
        .event(run_id, &Event::new(kind, json!({ "by": by })));
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

/// Decides on a run whose pauses were read before, so that whoever judges the caller by the run
/// reads it once. What was read only finds the pause; the store alone says who came first.
pub async fn decide(
    deps: &ResumeDeps,
    run_id: RunId,
    pauses: &Pauses,
    which: Which,
    decision: Decision,
    by: &Decider,
) -> Result<Outcome, PortError> {
    let one = match meant(pauses, which, &decision) {
        Ok(one) => one,
        Err(outcome) => return Ok(*outcome),
    };
    if let Some(outcome) = refused(pauses, one, &decision, by) {
        return Ok(outcome);
    }
    let (call_id, tool) = (one.pause.call_id, one.tool.clone());
    let wanted = Decide {
        run_id,
        call_id,
        generation: one.pause.generation,
        decision: Some(decision.clone()),
        by: by.name(),
    };
    match deps.store.decide(&wanted).await? {
        Decided::Taken { resumes } => {
            let event = Event::new(event::PAUSE_DECIDED, wanted.payload());
            deps.observer.event(run_id, &event);
            if resumes {
                ring(deps, Bell::run(run_id).of_tenant(&pauses.tenant)).await;
            }
            Ok(Outcome::Taken {
                call_id,
                tool,
                resumes,
            })
        }
        Decided::Already {
            status,
            decision: before,
            by,
        } => Ok(Outcome::Already {
            call_id,
            tool,
            status,
            same: before
                .as_ref()
                .is_some_and(|before| is_same(before, &decision)),
            decision: before,
            by,
        }),
        Decided::Unknown => Ok(Outcome::Unknown),
    }
}

/// Why a pause is not decided so by this person, if it is not.
fn refused(
    pauses: &Pauses,
    one: &PausedCall,
    decision: &Decision,
    by: &Decider,
) -> Option<Outcome> {
    let request = &one.pause.request;
    if !by.may(pauses, &request.approvers) {
        return Some(Outcome::NotAllowed {
            by: Some(by.name()).filter(|name| !name.is_empty()),
            approvers: request.approvers.clone(),
            requester: pauses.requester.clone(),
        });
    }
    let offered = |text: &String| request.options.is_empty() || request.options.contains(text);
    let wrong_text =
        matches!(decision, Decision::Answer { text } if text.trim().is_empty() || !offered(text));
    (wrong_text || !decision.fits(request.kind)).then(|| unfit(one))
}

fn unfit(paused: &PausedCall) -> Outcome {
    Outcome::Unfit {
        call_id: paused.pause.call_id,
        kind: paused.pause.request.kind,
        options: paused.pause.request.options.clone(),
    }
}

/// Whether two decisions come to the same: a second no is the same no, whatever its reason.
fn is_same(before: &Decision, now: &Decision) -> bool {
    match (before, now) {
        (Decision::Reject { .. }, Decision::Reject { .. }) => true,
        _ => before == now,
    }
}

/// The pause that is meant: the one named, or the only one that waits and that the decision fits.
fn meant<'a>(
    pauses: &'a Pauses,
    which: Which,
    decision: &Decision,
) -> Result<&'a PausedCall, Box<Outcome>> {
    let nothing = || {
        Box::new(Outcome::NothingWaits {
            status: pauses.status,
        })
    };
    let named: Vec<&PausedCall> = pauses
        .pauses
        .iter()
        .filter(|paused| which.call_id.is_none_or(|id| paused.pause.call_id == id))
        .filter(|paused| {
            which
                .generation
                .is_none_or(|generation| paused.pause.generation == generation)
        })
        .collect();
    if which.call_id.is_some() {
        let newest = named.iter().max_by_key(|paused| paused.pause.generation);
        return newest.copied().ok_or_else(nothing);
    }
    let waits = |paused: &&&PausedCall| paused.pause.status == PauseStatus::Pending;
    let fits = |paused: &&&PausedCall| decision.fits(paused.pause.request.kind);
    let waiting: Vec<&PausedCall> = named.iter().filter(fits).filter(waits).copied().collect();
    match waiting.as_slice() {
        [one] => Ok(one),
        // Nothing waits any longer: whoever clicks twice is told how the newest ended.
        [] => match (named.iter().rev().find(fits), named.iter().find(waits)) {
            (Some(ended), _) => Ok(ended),
            (None, Some(other)) => Err(Box::new(unfit(other))),
            (None, None) => Err(nothing()),
        },
        many => Err(Box::new(Outcome::Ambiguous {
            waiting: many.iter().map(|paused| (*paused).clone()).collect(),
            requester: pauses.requester.clone(),
        })),
    }
}

/// Rings, or leaves it to the tick.
async fn ring(deps: &ResumeDeps, bell: Bell) {
    if let Err(error) = deps.doorbell.ring(&bell, 0).await {
        tracing::warn!(error.code = error.code, error = %error, "a doorbell did not ring; the tick will");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_stands_for_others_is_nobodys_name() {
        for name in [
            "operator",
            "requester",
            "anyone",
            "role:admin",
            "",
            " ",
            "a\u{1b}[2J",
        ] {
            let refused = Decider::person(Some(name.to_owned()), Vec::new());
            assert!(refused.is_err(), "{name:?}");
        }
        let long = "a".repeat(NAME_BYTES_MAX + 1);
        assert!(Decider::person(Some(long), Vec::new()).is_err());
        let ada = Decider::person(Some("ada".to_owned()), vec!["admin".to_owned()]);
        assert_eq!(ada.map(|ada| ada.name()), Ok("ada".to_owned()));
    }

    #[test]
    fn a_second_no_is_the_same_no_and_another_answer_is_not_the_same() {
        let no = |reason: &str| Decision::Reject {
            reason: reason.to_owned(),
        };
        let answer = |text: &str| Decision::Answer {
            text: text.to_owned(),
        };
        assert!(is_same(&no("too dear"), &no("")));
        assert!(is_same(&answer("a"), &answer("a")));
        assert!(!is_same(&answer("a"), &answer("b")));
        assert!(!is_same(&no(""), &Decision::Approve));
    }
}
