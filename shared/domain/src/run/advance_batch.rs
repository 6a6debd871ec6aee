//! What a batch does next: start a call, ask a person, skip, or wait.
//!
//! A batch with one sequential call runs one call after another, in call order; any other runs all
//! at once [C.09–C.11]. Reaching a gated call asks for it and for every gated call behind it, so
//! that a person sees all of them together and decides each on its own. A pause stops the batch at
//! that point [C.12]: sequential calls behind it that were not asked for get `{"skipped": true}`;
//! calls behind it that are safe to run beside others run once everything was decided. A decision
//! is taken from its pause, never asked for again.

use serde_json::{Value, json};

use super::RunState;
use crate::commit::{CallChange, Commit};
use crate::core_tools::ASK_QUESTION;
use crate::event::{self, Event};
use crate::ids::ToolCallId;
use crate::pause::{
    Decision, NewPause, Pause, PauseKind, PauseRequest, PauseStatus, REQUESTER, waiting_status,
};
use crate::status::{RunStatus, ToolCallStatus};
use crate::transcript::ToolCall;

/// What the model reads of a call that was not run.
const SKIPPED: &str = r#"{"skipped":true}"#;
/// What the model reads of a call nobody decided on in time.
const EXPIRED: &str = r#"{"expired":true}"#;
/// Why a call is rejected that a person had rejected before (public case B8).
const REJECTED_BEFORE: &str = "the same call was rejected before in this run";

/// Where the batch stands afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// Something runs.
    Runs,
    /// Nothing runs, and people are to decide.
    Waits(RunStatus),
    /// Every call has its outcome.
    Settled,
}

/// The calls of the open batch as they will stand, and what has to be written for that.
pub(super) struct Draft<'a> {
    state: &'a RunState,
    calls: Vec<ToolCall>,
    /// Pauses of this batch's calls that are pending, new ones included.
    pending: Vec<(ToolCallId, PauseKind)>,
    /// What moves.
    pub(super) changes: Vec<CallChange>,
    /// Who is asked.
    pub(super) pauses: Vec<NewPause>,
    /// What happens.
    pub(super) events: Vec<Event>,
}

impl<'a> Draft<'a> {
    /// The run's newest batch, with calls and changes of the commit in the making folded in.
    pub(super) fn of(state: &'a RunState, new: &[ToolCall], changed: &[CallChange]) -> Self {
        let calls = state.calls.iter().chain(new);
        let newest = calls.clone().map(|call| call.entry_seq).max();
        let mut calls: Vec<ToolCall> = calls
            .filter(|call| Some(call.entry_seq) == newest)
            .cloned()
            .collect();
        calls.sort_by_key(|call| call.ordinal);
        for change in changed {
            if let Some(call) = calls.iter_mut().find(|call| call.id == change.id) {
                call.status = change.status;
            }
        }
        let pending = state
            .pauses
            .iter()
            .filter(|pause| pause.status == PauseStatus::Pending)
            .map(|pause| (pause.call_id, pause.request.kind))
            .collect();
        Self {
            state,
            calls,
            pending,
            changes: Vec::new(),
            pauses: Vec::new(),
            events: Vec::new(),
        }
    }

    /// Records that a call that was running waits for a person, and what that does to the batch.
    pub(super) fn pause(&mut self, id: ToolCallId, request: PauseRequest) {
        let Some(at) = self.calls.iter().position(|call| call.id == id) else {
            return;
        };
        self.ask(at, request);
        self.skip_behind(at, false);
    }

    /// Moves the batch on as far as it goes.
    pub(super) fn advance(&mut self) -> Standing {
        let together = self.calls.iter().all(|call| !call.sequential);
        for at in 0..self.calls.len() {
            match self.calls.get(at).map(|call| call.status) {
                Some(ToolCallStatus::Started) if !together => return Standing::Runs,
                Some(ToolCallStatus::AwaitingApproval) => self.decided(at),
                Some(ToolCallStatus::Requested) => self.begin(at),
                _ => {}
            }
            let open = self
                .calls
                .get(at)
                .is_some_and(|call| !call.status.is_settled());
            if open && !together {
                break;
            }
        }
        let stands = |status| self.calls.iter().any(|call| call.status == status);
        if stands(ToolCallStatus::Started) {
            return Standing::Runs;
        }
        if !stands(ToolCallStatus::AwaitingApproval) {
            return Standing::Settled;
        }
        let kinds = self.pending.iter().map(|(_, kind)| *kind);
        // Whoever decided meanwhile is seen by the store, which then keeps the run running.
        Standing::Waits(waiting_status(kinds).unwrap_or(RunStatus::WaitingApproval))
    }

    /// Puts everything into a commit and lets the run wait if the batch does.
    pub(super) fn into_commit(self, standing: Standing, commit: &mut Commit) {
        commit.changes.extend(self.changes);
        commit.pauses.extend(self.pauses);
        commit.events.extend(self.events);
        if let Standing::Waits(status) = standing {
            commit.status = status;
            commit.lease = crate::commit::Lease::Release { not_before_ms: 0 };
            commit.events.push(Event::new(
                event::RUN_WAITING,
                json!({"status": status.as_str()}),
            ));
        }
    }

    fn begin(&mut self, at: usize) {
        let Some(call) = self.calls.get(at) else {
            return;
        };
        let Some(gate) = call.gate.clone() else {
            self.start(at, None);
            return;
        };
        if gate.kind == PauseKind::Approval && self.rejected_before(call) {
            self.reject(at, REJECTED_BEFORE);
            return;
        }
        let with_the_others = gate.kind == PauseKind::Approval;
        self.ask(at, gate);
        self.skip_behind(at, with_the_others);
    }

    /// Asks for gated calls behind a gate too, if they are asked together, and skips what a pause
    /// stops.
    fn skip_behind(&mut self, at: usize, ask_gated: bool) {
        for behind in at + 1..self.calls.len() {
            let Some(call) = self.calls.get(behind) else {
                return;
            };
            if call.status != ToolCallStatus::Requested || !call.sequential {
                continue;
            }
            match call.gate.clone() {
                Some(gate) if ask_gated && gate.kind == PauseKind::Approval => {
                    if self.rejected_before(call) {
                        self.reject(behind, REJECTED_BEFORE);
                    } else {
                        self.ask(behind, gate);
                    }
                }
                _ => self.settle(
                    behind,
                    ToolCallStatus::Skipped,
                    event::TOOL_SKIPPED,
                    SKIPPED,
                ),
            }
        }
    }

    /// What became of a call that waits; nothing while its newest pause is pending.
    fn decided(&mut self, at: usize) {
        let Some(call) = self.calls.get(at) else {
            return;
        };
        // Asked for in this very commit, so nobody can have decided.
        if self.pauses.iter().any(|pause| pause.call_id == call.id) {
            return;
        }
        let Some(pause) = self.state.newest_pause(call.id) else {
            return;
        };
        let answer_is_result = call.name == ASK_QUESTION;
        let pause: Pause = pause.clone();
        match (pause.status, pause.decision) {
            (PauseStatus::Pending, _) => {}
            (PauseStatus::Decided, Some(Decision::Reject { reason })) => self.reject(at, &reason),
            (PauseStatus::Decided, Some(Decision::Answer { text })) if answer_is_result => {
                self.start(at, Some(pause.generation));
                let output = json!({ "answer": text }).to_string();
                self.settle(
                    at,
                    ToolCallStatus::Succeeded,
                    event::TOOL_SUCCEEDED,
                    &output,
                );
            }
            (
                PauseStatus::Decided,
                Some(Decision::Approve | Decision::Answer { .. } | Decision::Authorize),
            ) => self.start(at, Some(pause.generation)),
            (PauseStatus::Decided, None) | (PauseStatus::Expired | PauseStatus::Withdrawn, _) => {
                self.settle(
                    at,
                    ToolCallStatus::Cancelled,
                    event::TOOL_CANCELLED,
                    EXPIRED,
                );
            }
        }
    }

    fn rejected_before(&self, call: &ToolCall) -> bool {
        self.state.calls.iter().any(|earlier| {
            earlier.id != call.id
                && earlier.status == ToolCallStatus::Rejected
                && (&earlier.name, &earlier.arguments) == (&call.name, &call.arguments)
        })
    }

    fn start(&mut self, at: usize, generation: Option<u32>) {
        let Some(call) = self.calls.get_mut(at) else {
            return;
        };
        call.status = ToolCallStatus::Started;
        self.events.push(started(call, generation));
        self.changes.push(CallChange {
            id: call.id,
            status: ToolCallStatus::Started,
            result: Value::Null,
            model_output: String::new(),
        });
    }

    fn reject(&mut self, at: usize, reason: &str) {
        let output = json!({"rejected": true, "reason": reason}).to_string();
        self.settle(at, ToolCallStatus::Rejected, event::TOOL_REJECTED, &output);
    }

    fn settle(&mut self, at: usize, status: ToolCallStatus, kind: &str, output: &str) {
        let Some(call) = self.calls.get_mut(at) else {
            return;
        };
        call.status = status;
        let payload = json!({"call": call.id, "tool": call.name});
        self.events.push(Event::new(kind, payload));
        let change = CallChange {
            id: call.id,
            status,
            result: serde_json::from_str(output).unwrap_or(Value::Null),
            model_output: output.to_owned(),
        };
        // A call that starts and settles in one commit is changed once.
        self.changes.retain(|earlier| earlier.id != change.id);
        self.changes.push(change);
    }

    fn ask(&mut self, at: usize, mut request: PauseRequest) {
        let Some(call) = self.calls.get_mut(at) else {
            return;
        };
        call.status = ToolCallStatus::AwaitingApproval;
        if request.approvers.is_empty() {
            request.approvers.push(REQUESTER.to_owned());
        }
        let earlier = self.state.newest_pause(call.id);
        let generation = earlier.map_or(1, |pause| pause.generation + 1);
        self.events.push(Event::new(
            event::PAUSE_REQUESTED,
            json!({"call": call.id, "tool": call.name, "generation": generation, "request": request}),
        ));
        self.changes.push(CallChange {
            id: call.id,
            status: ToolCallStatus::AwaitingApproval,
            result: Value::Null,
            model_output: String::new(),
        });
        self.pending.push((call.id, request.kind));
        self.pauses.push(NewPause {
            call_id: call.id,
            generation,
            request,
            ttl_ms: self.state.pause_ttl_ms,
        });
    }
}

/// The event of a call that may run from now on.
fn started(call: &ToolCall, generation: Option<u32>) -> Event {
    let mut payload = json!({"call": call.id, "tool": call.name});
    if let (Some(generation), Some(fields)) = (generation, payload.as_object_mut()) {
        fields.insert("generation".to_owned(), json!(generation));
    }
    Event::new(event::TOOL_STARTED, payload)
}
