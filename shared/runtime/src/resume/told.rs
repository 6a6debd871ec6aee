//! What became of a decision, in the words of every surface: HTTP answers with them, the command
//! line prints them. The status is HTTP's; below 300 means that the wish was met.

use openeve_domain::pause::{ANYONE, Decision, OPERATOR, Pause, PauseKind, PauseStatus, REQUESTER};
use openeve_domain::status::RunStatus;
use serde_json::{Map, Value, json};

use super::Outcome;
use crate::ports::{Cancelled, PausedCall, Pauses};

/// Bytes of ended pauses that an answer carries whole: a Lambda response holds 6 MB.
const ENDED_BYTES_MAX: usize = 1_000_000;

/// An answer: HTTP's status and a JSON body.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    /// HTTP's status.
    pub status: u16,
    /// The body.
    pub body: Value,
}

impl Told {
    /// Whether the wish was met, now or before.
    pub const fn is_met(&self) -> bool {
        self.status < 300
    }

    /// Why not, in one sentence for a person; empty if it was.
    pub fn why(&self) -> &str {
        let message = self
            .body
            .get("error")
            .and_then(|error| error.get("message"));
        message.and_then(Value::as_str).unwrap_or_default()
    }
}

/// A wish that is not met.
struct Refusal {
    status: u16,
    code: &'static str,
    message: String,
    details: Value,
}

impl Refusal {
    fn told(self) -> Told {
        let mut error = Map::new();
        error.insert("code".to_owned(), self.code.into());
        error.insert("message".to_owned(), self.message.into());
        if let Value::Object(details) = self.details {
            error.extend(details);
        }
        Told {
            status: self.status,
            body: json!({ "error": error }),
        }
    }
}

/// The word for a decision.
pub const fn verdict(decision: &Decision) -> &'static str {
    match decision {
        Decision::Approve => "approve",
        Decision::Reject { .. } => "reject",
        Decision::Answer { .. } => "answer",
        Decision::Authorize => "authorize",
    }
}

/// Puts an outcome into words for whoever decided.
pub fn told(outcome: &Outcome, decision: &Decision) -> Told {
    match outcome {
        Outcome::Taken {
            call_id,
            tool,
            resumes,
        } => Told {
            status: 200,
            body: json!({
                "decided": true,
                "verdict": verdict(decision),
                "call": call_id,
                "tool": tool,
                "resumes": resumes,
            }),
        },
        Outcome::Already {
            call_id,
            tool,
            by,
            same: true,
            ..
        } => Told {
            status: 200,
            body: json!({
                "decided": true,
                "already": true,
                "verdict": verdict(decision),
                "call": call_id,
                "tool": tool,
                "by": by,
            }),
        },
        Outcome::Already { .. }
        | Outcome::NotAllowed { .. }
        | Outcome::Unfit { .. }
        | Outcome::Ambiguous { .. }
        | Outcome::NothingWaits { .. }
        | Outcome::Unknown => refusal(outcome).told(),
    }
}

fn refusal(outcome: &Outcome) -> Refusal {
    match outcome {
        Outcome::Already {
            call_id,
            status,
            decision: before,
            by,
            ..
        } => Refusal {
            status: 409,
            code: "pause_ended",
            message: ended(*status, before.as_ref(), by.as_deref()),
            details: json!({
                "call": call_id,
                "status": status.as_str(),
                "decision": before,
                "by": by,
            }),
        },
        Outcome::NotAllowed {
            by: None,
            approvers,
            requester,
        } => Refusal {
            status: 400,
            code: "request_malformed",
            message: format!(
                "\"by\" is missing: this call waits for {}; say who decides",
                who_may(approvers, requester.as_deref())
            ),
            details: json!({ "approvers": approvers }),
        },
        Outcome::NotAllowed {
            by: Some(by),
            approvers,
            requester,
        } => Refusal {
            status: 403,
            code: "not_an_approver",
            message: format!(
                "thank you, {by}, but this is for {} to decide; nothing was changed and the call still waits",
                who_may(approvers, requester.as_deref())
            ),
            details: json!({ "approvers": approvers }),
        },
        Outcome::Unfit {
            call_id,
            kind,
            options,
        } => Refusal {
            status: 422,
            code: "decision_unfit",
            message: format!("the call waits for {}", waits_for(*kind, options)),
            details: json!({"call": call_id, "waits_for": kind.as_str(), "options": options}),
        },
        Outcome::Ambiguous { waiting, .. } => Refusal {
            status: 409,
            code: "pause_ambiguous",
            message: format!("{} calls wait; name one of them in \"call\"", waiting.len()),
            details: json!({ "waiting": waiting.iter().map(pause_json).collect::<Vec<_>>() }),
        },
        Outcome::NothingWaits { status } => Refusal {
            status: 409,
            code: "nothing_waits",
            message: format!("no such call waits; the run is {}", status.as_str()),
            details: json!({ "status": status.as_str() }),
        },
        Outcome::Unknown | Outcome::Taken { .. } => unknown(),
    }
}

/// Puts what became of a wish to cancel into words.
pub fn told_cancelled(cancelled: Cancelled) -> Told {
    match cancelled {
        Cancelled::Ended { .. } => Told {
            status: 200,
            body: json!({"cancel": "ended", "status": RunStatus::Cancelled.as_str()}),
        },
        Cancelled::Requested => Told {
            status: 202,
            body: json!({"cancel": "requested"}),
        },
        Cancelled::Already(status) => Refusal {
            status: 409,
            code: "run_ended",
            message: format!("the run had ended before, as {}", status.as_str()),
            details: json!({ "status": status.as_str() }),
        }
        .told(),
        Cancelled::Unknown => unknown().told(),
    }
}

fn unknown() -> Refusal {
    Refusal {
        status: 404,
        code: "run_unknown",
        message: "there is no such run in this database".to_owned(),
        details: Value::Null,
    }
}

fn ended(status: PauseStatus, before: Option<&Decision>, by: Option<&str>) -> String {
    let by = by.filter(|by| !by.is_empty()).unwrap_or("somebody unnamed");
    match (status, before) {
        (PauseStatus::Expired, _) => "nobody decided in time; the call was given up".to_owned(),
        (PauseStatus::Withdrawn, _) => "the run ended before this was decided".to_owned(),
        (_, Some(Decision::Approve)) => format!("{by} came first and approved it"),
        (_, Some(Decision::Reject { .. })) => format!("{by} came first and rejected it"),
        (_, Some(Decision::Answer { .. })) => format!("{by} came first and answered otherwise"),
        (_, Some(Decision::Authorize)) => format!("{by} came first and authorized it"),
        (PauseStatus::Pending | PauseStatus::Decided, None) => format!("{by} came first"),
    }
}

fn waits_for(kind: PauseKind, options: &[String]) -> String {
    match kind {
        PauseKind::Approval => "a yes or no: approve or reject it".to_owned(),
        PauseKind::Input if options.is_empty() => "an answer in words".to_owned(),
        PauseKind::Input => format!("one of these answers: {}", options.join(", ")),
        PauseKind::Authorization => "a connection to be authorized, or a no".to_owned(),
    }
}

/// Who may decide, as a person reads it.
pub fn who_may(approvers: &[String], requester: Option<&str>) -> String {
    let starter = || match requester {
        Some(name) => format!("whoever started the run ({name})"),
        None => "whoever is in the conversation".to_owned(),
    };
    let one = |approver: &String| match approver.strip_prefix("role:") {
        Some(role) => format!("anybody with the role {role}"),
        None if approver == ANYONE => "anybody".to_owned(),
        None if approver == REQUESTER => starter(),
        None if approver == OPERATOR => "the operator".to_owned(),
        None => approver.clone(),
    };
    if approvers.is_empty() {
        return starter();
    }
    approvers.iter().map(one).collect::<Vec<_>>().join(" or ")
}

/// A run's pauses as JSON, the same over HTTP and on the command line. What waits is shown whole;
/// of what ended, arguments that would make the answer too large are left out.
pub fn pauses_json(run_id: openeve_domain::ids::RunId, pauses: &Pauses) -> Value {
    let mut room = ENDED_BYTES_MAX;
    let one = |paused: &PausedCall| {
        let mut pause = pause_json(paused);
        let bytes = paused.arguments.len();
        if paused.pause.status == PauseStatus::Pending {
            return pause;
        }
        if bytes > room
            && let Some(fields) = pause.as_object_mut()
        {
            fields.insert("arguments".to_owned(), Value::Null);
            fields.insert("arguments_bytes".to_owned(), bytes.into());
        } else {
            room -= bytes;
        }
        pause
    };
    json!({
        "run_id": run_id,
        "status": pauses.status.as_str(),
        "channel": pauses.channel,
        "requester": pauses.requester,
        "pauses": pauses.pauses.iter().map(one).collect::<Vec<_>>(),
    })
}

/// Those that wait.
pub fn waiting_json(pauses: &Pauses) -> Value {
    let pending = pauses
        .pauses
        .iter()
        .filter(|paused| paused.pause.status == PauseStatus::Pending);
    pending.map(pause_json).collect()
}

fn pause_json(paused: &PausedCall) -> Value {
    let Pause {
        call_id,
        generation,
        request,
        status,
        decision,
        decided_by,
        ..
    } = &paused.pause;
    let arguments = serde_json::from_str(&paused.arguments)
        .unwrap_or_else(|_| Value::String(paused.arguments.clone()));
    json!({
        "call": call_id,
        "generation": generation,
        "kind": request.kind.as_str(),
        "tool": paused.tool,
        "arguments": arguments,
        "prompt": request.prompt,
        "options": request.options,
        "approvers": request.approvers,
        "url": request.url,
        "status": status.as_str(),
        "decision": decision,
        "by": decided_by,
        "expires_at": paused.expires_at,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_may_decide_is_said_in_words() {
        let texts =
            |of: &[&str]| -> Vec<String> { of.iter().map(|one| (*one).to_owned()).collect() };
        let table = [
            (texts(&[]), Some("ada"), "whoever started the run (ada)"),
            (
                texts(&["requester"]),
                None,
                "whoever is in the conversation",
            ),
            (
                texts(&["bob", "role:admin"]),
                None,
                "bob or anybody with the role admin",
            ),
            (texts(&["anyone"]), Some("ada"), "anybody"),
            (texts(&["operator"]), Some("ada"), "the operator"),
        ];
        for (approvers, requester, wanted) in table {
            assert_eq!(who_may(&approvers, requester), wanted);
        }
    }

    #[test]
    fn a_pause_that_ended_says_how_and_by_whom() {
        let no = Decision::Reject {
            reason: String::new(),
        };
        let ended = |status, decision, by| super::ended(status, decision, by);
        assert_eq!(
            ended(PauseStatus::Decided, Some(&no), Some("ada")),
            "ada came first and rejected it"
        );
        assert_eq!(
            ended(PauseStatus::Decided, Some(&Decision::Approve), Some("")),
            "somebody unnamed came first and approved it"
        );
        assert!(ended(PauseStatus::Expired, None, None).contains("in time"));
        assert!(ended(PauseStatus::Withdrawn, None, None).contains("the run ended"));
    }
}
