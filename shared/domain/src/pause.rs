//! Pauses: a call that waits for a person, and how the waiting ends.
//!
//! A pause is (run, tool call, generation). A call may pause more than once, each time under the
//! next generation; each generation is decided at most once, whoever asks how often and from how
//! many places (rule 6, N.05). Deciding touches the pause and the run's status alone: what becomes
//! of the call is written by the step that resumes the run, under its epoch.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::ids::{RunId, ToolCallId};
use crate::status::{RunStatus, UnknownStatus};

/// Anybody who can reach the conversation may decide.
pub const ANYONE: &str = "anyone";
/// Whoever sent the message that started the run may decide. The default.
pub const REQUESTER: &str = "requester";
/// The operator, who holds the admin token or the database, may always decide.
pub const OPERATOR: &str = "operator";

/// What a call waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PauseKind {
    /// A yes or no.
    Approval,
    /// A text.
    Input,
    /// That somebody authorizes a connection.
    Authorization,
}

impl PauseKind {
    /// The text stored in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Approval => "approval",
            Self::Input => "input",
            Self::Authorization => "authorization",
        }
    }

    /// Reads a stored text.
    pub fn parse(text: &str) -> Result<Self, UnknownStatus> {
        match text {
            "approval" => Ok(Self::Approval),
            "input" => Ok(Self::Input),
            "authorization" => Ok(Self::Authorization),
            _ => Err(UnknownStatus::new("PauseKind", text)),
        }
    }
}

/// What a person is asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PauseRequest {
    /// What the call waits for.
    pub kind: PauseKind,
    /// The question, or the reason for asking. May be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub prompt: String,
    /// Answers to choose from. Empty: any text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// Who may decide; see [`may_decide`]. Never empty once stored.
    #[serde(default)]
    pub approvers: Vec<String>,
    /// Where a connection is authorized.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// Where a pause stands. All but the first are final.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PauseStatus {
    /// Nobody has decided yet.
    Pending,
    /// Somebody has.
    Decided,
    /// Nobody did in time.
    Expired,
    /// The run ended first.
    Withdrawn,
}

impl PauseStatus {
    /// The text stored in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Decided => "decided",
            Self::Expired => "expired",
            Self::Withdrawn => "withdrawn",
        }
    }

    /// Reads a stored text.
    pub fn parse(text: &str) -> Result<Self, UnknownStatus> {
        match text {
            "pending" => Ok(Self::Pending),
            "decided" => Ok(Self::Decided),
            "expired" => Ok(Self::Expired),
            "withdrawn" => Ok(Self::Withdrawn),
            _ => Err(UnknownStatus::new("PauseStatus", text)),
        }
    }
}

/// What was decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Decision {
    /// The call may run.
    Approve,
    /// The call may not run.
    Reject {
        /// Why, for the model. May be empty.
        #[serde(default)]
        reason: String,
    },
    /// The question was answered.
    Answer {
        /// With this.
        text: String,
    },
    /// The connection was authorized.
    Authorize,
}

impl Decision {
    /// Whether a pause of this kind can be decided so. Anything that waits can be rejected.
    pub const fn fits(&self, kind: PauseKind) -> bool {
        matches!(
            (self, kind),
            (Self::Reject { .. }, _)
                | (Self::Approve, PauseKind::Approval)
                | (Self::Answer { .. }, PauseKind::Input)
                | (Self::Authorize, PauseKind::Authorization)
        )
    }
}

/// A pause to create.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPause {
    /// The call.
    pub call_id: ToolCallId,
    /// Which of the call's pauses, from one.
    pub generation: u32,
    /// What a person is asked.
    pub request: PauseRequest,
    /// How long it waits.
    pub ttl_ms: u64,
}

/// A pause as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pause {
    /// The run.
    pub run_id: RunId,
    /// The call.
    pub call_id: ToolCallId,
    /// Which of the call's pauses, from one.
    pub generation: u32,
    /// What a person is asked.
    pub request: PauseRequest,
    /// Where it stands.
    pub status: PauseStatus,
    /// What was decided, if anything was.
    pub decision: Option<Decision>,
    /// Who decided, as the channel names them.
    pub decided_by: Option<String>,
}

/// A decision to apply to one pause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decide {
    /// The run.
    pub run_id: RunId,
    /// The call.
    pub call_id: ToolCallId,
    /// Which of the call's pauses.
    pub generation: u32,
    /// What was decided; `None` that nobody did in time.
    pub decision: Option<Decision>,
    /// Who decided.
    pub by: String,
}

impl Decide {
    /// Where the pause stands afterwards.
    pub const fn status(&self) -> PauseStatus {
        match self.decision {
            Some(_) => PauseStatus::Decided,
            None => PauseStatus::Expired,
        }
    }

    /// The event's payload. An answer's text is the call's result and is not repeated here.
    pub fn payload(&self) -> Value {
        let verdict = match &self.decision {
            Some(Decision::Approve) => "approve",
            Some(Decision::Reject { .. }) => "reject",
            Some(Decision::Answer { .. }) => "answer",
            Some(Decision::Authorize) => "authorize",
            None => "expire",
        };
        json!({"call": self.call_id, "generation": self.generation, "verdict": verdict, "by": self.by})
    }
}

/// What became of a decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decided {
    /// It is the one that counts. The run is to be rung if nothing else of it waits.
    Taken {
        /// Whether the run can go on.
        resumes: bool,
    },
    /// The pause had ended before: by this decision, or by another.
    Already {
        /// How it ended.
        status: PauseStatus,
        /// What was decided then.
        decision: Option<Decision>,
        /// By whom.
        by: Option<String>,
    },
    /// There is no such pause.
    Unknown,
}

/// The status of a run whose pending pauses are of these kinds; `None` when none is pending. A
/// question comes first, since the next message answers it.
pub fn waiting_status(kinds: impl IntoIterator<Item = PauseKind>) -> Option<RunStatus> {
    let rank = |kind: &PauseKind| match kind {
        PauseKind::Input => 0,
        PauseKind::Approval => 1,
        PauseKind::Authorization => 2,
    };
    kinds.into_iter().min_by_key(rank).map(|kind| match kind {
        PauseKind::Input => RunStatus::WaitingInput,
        PauseKind::Approval => RunStatus::WaitingApproval,
        PauseKind::Authorization => RunStatus::WaitingAuthorization,
    })
}

/// Whether a name is a word that approvers are written with. Nobody may bear it: they would be
/// taken for all whom it stands for.
pub fn stands_for_others(name: &str) -> bool {
    [ANYONE, REQUESTER, OPERATOR].contains(&name) || name.starts_with("role:")
}

/// Whether somebody may decide [Z.17]. `by` is a user as the channel names them, `roles` what the
/// channel says they are, `requester` who started the run. An unnamed requester is whoever can
/// reach the conversation, since the channel does not tell people apart.
pub fn may_decide(
    approvers: &[String],
    by: Option<&str>,
    roles: &[String],
    requester: Option<&str>,
) -> bool {
    let allowed = |approver: &str| match approver.strip_prefix("role:") {
        Some(role) => roles.iter().any(|own| own == role),
        None if approver == ANYONE => true,
        None if approver == REQUESTER => requester.is_none() || by == requester,
        None => by == Some(approver) && !stands_for_others(approver),
    };
    if approvers.is_empty() {
        return allowed(REQUESTER);
    }
    approvers.iter().any(|approver| allowed(approver))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(of: &[&str]) -> Vec<String> {
        of.iter().map(|one| (*one).to_owned()).collect()
    }

    #[test]
    fn only_whom_the_approvers_name_may_decide() {
        let table = [
            (texts(&[]), Some("ada"), true),
            (texts(&[]), Some("bob"), false),
            (texts(&["requester"]), Some("bob"), false),
            (texts(&["anyone"]), Some("bob"), true),
            (texts(&["bob"]), Some("bob"), true),
            (texts(&["bob"]), Some("ada"), false),
            (texts(&["role:admin"]), Some("eve"), true),
            (texts(&["role:owner"]), Some("eve"), false),
            (texts(&["bob"]), None, false),
            (texts(&["operator"]), Some("operator"), false),
        ];
        for (approvers, by, allowed) in table {
            let roles = if by == Some("eve") {
                texts(&["admin"])
            } else {
                Vec::new()
            };
            assert_eq!(
                may_decide(&approvers, by, &roles, Some("ada")),
                allowed,
                "{approvers:?} {by:?}"
            );
        }
        assert!(may_decide(&[], None, &[], None));
    }

    #[test]
    fn a_question_decides_the_status_before_an_approval_does() {
        use PauseKind::{Approval, Authorization, Input};
        assert_eq!(waiting_status([]), None);
        assert_eq!(
            waiting_status([Authorization, Approval]),
            Some(RunStatus::WaitingApproval)
        );
        assert_eq!(
            waiting_status([Approval, Input]),
            Some(RunStatus::WaitingInput)
        );
    }

    #[test]
    fn a_decision_fits_the_kind_of_its_pause() {
        let reject = Decision::Reject {
            reason: String::new(),
        };
        assert!(reject.fits(PauseKind::Input) && reject.fits(PauseKind::Authorization));
        assert!(Decision::Approve.fits(PauseKind::Approval));
        assert!(!Decision::Approve.fits(PauseKind::Input));
    }

    /// Golden: stored requests and decisions stay readable for ever.
    #[test]
    fn stored_forms_stay_readable() {
        let request: PauseRequest = serde_json::from_str(
            r#"{"kind":"input","prompt":"Which?","options":["a","b"],"approvers":["requester"]}"#,
        )
        .unwrap();
        assert_eq!(request.options, ["a", "b"]);
        for (text, decision) in [
            (r#"{"verdict":"approve"}"#, Decision::Approve),
            (
                r#"{"verdict":"answer","text":"a"}"#,
                Decision::Answer { text: "a".into() },
            ),
        ] {
            assert_eq!(serde_json::from_str::<Decision>(text).unwrap(), decision);
            assert_eq!(serde_json::to_string(&decision).unwrap(), text);
        }
    }
}
