//! A claimed run in memory, and one transition a file.
//!
//! A transition takes the run as it stands and an event, and returns a [`Commit`]: what must be
//! written and what is owed. [`RunState::apply`] folds a commit that the store applied. Results of
//! tools without side effects are not written at once: they wait in [`RunState`] and ride on the
//! next commit, whatever that is.
//!
//! | event            | `created`, `running`                     | waiting | terminal |
//! |------------------|------------------------------------------|---------|----------|
//! | claimed          | `running`; recovery first if unreleased  | refused, unless to be cancelled | refused |
//! | model answered   | `completed` and a delivery ([`finish`])  | –       | –        |
//! | model asks tools | `running`, intents; or waiting ([`begin_batch`]) | – | –      |
//! | tools settled    | `running`, outcomes; or waiting ([`settle_calls`]) | – | –    |
//! | model failed     | `running`, parked, or `failed` ([`model_failed`]) | – | –       |
//! | bound reached    | `failed`, with the bound's name ([`bounds`]) | –     | –        |
//! | time is up       | `running`, released ([`hand_on`])        | –       | –        |
//! | cancelled        | `cancelled` ([`cancel`])                 | `cancelled` | –    |
//! | crashed          | what [`recover`] says                    | –       | –        |
//! | decided, expired | its pause; the run if nothing else waits ([`crate::pause`]) | same | refused |
//!
//! A dash is impossible by construction: only a claim makes a [`RunState`], and a claim succeeds
//! on `created` and `running`, and on a waiting run only for it to be cancelled. Deciding is the
//! one change that needs no claim: it touches the pause and the run's status, nothing else.

pub mod accept;
mod advance_batch;
pub mod begin_batch;
pub mod bounds;
pub mod cancel;
pub mod finish;
pub mod hand_on;
pub mod model_failed;
pub mod recover;
pub mod settle_calls;

use serde_json::json;

use crate::channel::ChannelTurn;
use crate::commit::{CallChange, Commit, Failure, Lease, UsageRecord};
use crate::continuation::Continuation;
use crate::event::{self, Event};
use crate::ids::{CommitId, ConversationId, RunId, ToolCallId};
use crate::pause::{Decision, Pause, PauseStatus};
use crate::status::{DeliveryStatus, RunStatus, ToolCallStatus};
use crate::transcript::{Entry, EntryKind, ToolCall};
use crate::usage::Usage;

/// A run as its holder knows it.
#[derive(Debug, Clone, PartialEq)]
pub struct RunState {
    /// Which run.
    pub run_id: RunId,
    /// The epoch this holder writes under.
    pub epoch: i64,
    /// Its conversation.
    pub conversation_id: ConversationId,
    /// The revision it is pinned to.
    pub agent_revision: String,
    /// What started it.
    pub turn: ChannelTurn,
    /// Where it stands.
    pub status: RunStatus,
    /// Commits of the run so far.
    pub commits: u64,
    /// Steps so far, this one included.
    pub steps: u64,
    /// Crashes in a row without a commit, a recovery claim's own included.
    pub stalls: u64,
    /// In-place resumes by recovery so far.
    pub resumes: u64,
    /// Failed model requests in a row.
    pub model_failures: u32,
    /// Whether the previous holder vanished without releasing.
    pub recovery: bool,
    /// Tokens and price so far.
    pub usage: Usage,
    /// Tokens and price of the other runs of its tree, when this holder claimed it.
    pub tree_usage: Usage,
    /// How long the run had been under way when this holder claimed it, by the database's clock,
    /// since it arrived or a person last resumed it.
    pub wall_ms: u64,
    /// Somebody asked for the run to end.
    pub cancel_requested: bool,
    /// How long its next pauses wait; the holder's knob.
    pub pause_ttl_ms: u64,
    /// Whose conversation it is, for fairness.
    pub tenant: String,
    /// Earlier turns of the conversation, oldest first.
    pub history: Vec<Entry>,
    /// This run's rows.
    pub entries: Vec<Entry>,
    /// This run's tool calls.
    pub calls: Vec<ToolCall>,
    /// What its calls wait or have waited for.
    pub pauses: Vec<Pause>,
    /// The newest continuation.
    pub checkpoint: Option<Continuation>,
    /// The final obligation, if one exists.
    pub delivery: Option<DeliveryStatus>,
    /// W3C trace context of whoever started it.
    pub trace_parent: Option<String>,
    /// Outcomes and events that ride on the next commit.
    pub unsaved: Unsaved,
}

/// What has happened and rides on the next commit.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Unsaved {
    /// Settled calls.
    pub changes: Vec<CallChange>,
    /// Their events, and those of model requests that were asked again.
    pub events: Vec<Event>,
    /// What those requests cost.
    pub usage: Vec<UsageRecord>,
}

impl RunState {
    /// Model iterations so far.
    pub fn iterations(&self) -> u64 {
        self.entries
            .iter()
            .filter(|entry| entry.kind != EntryKind::User)
            .count() as u64
    }

    /// The position of the next row.
    pub fn next_seq(&self) -> u32 {
        self.entries.last().map_or(0, |entry| entry.seq + 1)
    }

    /// Calls that are to be run now, in call order.
    pub fn started(&self) -> Vec<&ToolCall> {
        self.calls
            .iter()
            .filter(|call| call.status == ToolCallStatus::Started)
            .collect()
    }

    /// A call's newest pause.
    pub fn newest_pause(&self, id: ToolCallId) -> Option<&Pause> {
        self.pauses
            .iter()
            .filter(|pause| pause.call_id == id)
            .max_by_key(|pause| pause.generation)
    }

    /// What was answered to a call's earlier questions, in order.
    pub fn answers(&self, id: ToolCallId) -> Vec<String> {
        let mut asked: Vec<&Pause> = self
            .pauses
            .iter()
            .filter(|pause| pause.call_id == id)
            .collect();
        asked.sort_by_key(|pause| pause.generation);
        asked
            .into_iter()
            .filter_map(|pause| match &pause.decision {
                Some(Decision::Answer { text }) => Some(text.clone()),
                Some(Decision::Authorize) => Some(String::new()),
                Some(Decision::Approve | Decision::Reject { .. }) | None => None,
            })
            .collect()
    }

    /// Whether a batch has calls without an outcome.
    pub fn has_open_batch(&self) -> bool {
        self.calls.iter().any(|call| !call.status.is_settled())
    }

    /// A commit that changes nothing yet but carries what was unsaved.
    fn commit(&self, commit_id: CommitId) -> Commit {
        Commit {
            run_id: self.run_id,
            epoch: self.epoch,
            commit_id,
            follows: self.commits,
            status: RunStatus::Running,
            lease: Lease::Extend,
            failure: None,
            progress: true,
            resumed: false,
            model_failures: 0,
            entries: Vec::new(),
            calls: Vec::new(),
            changes: self.unsaved.changes.clone(),
            checkpoint: None,
            events: self.unsaved.events.clone(),
            usage: self.unsaved.usage.clone(),
            pauses: Vec::new(),
            delivery: None,
        }
    }

    /// Folds a commit that the store applied.
    pub fn apply(&mut self, commit: &Commit) {
        self.unsaved = Unsaved::default();
        self.status = commit.status;
        self.commits = commit.follows + 1;
        if commit.progress {
            self.stalls = 0;
        }
        if commit.resumed {
            self.resumes += 1;
        }
        self.model_failures = commit.model_failures;
        self.entries.extend(commit.entries.iter().cloned());
        self.calls.extend(commit.calls.iter().cloned());
        for change in &commit.changes {
            self.change(change);
        }
        if let Some(checkpoint) = &commit.checkpoint {
            self.checkpoint = Some(checkpoint.clone());
        }
        for pause in &commit.pauses {
            self.pauses.push(Pause {
                run_id: self.run_id,
                call_id: pause.call_id,
                generation: pause.generation,
                request: pause.request.clone(),
                status: PauseStatus::Pending,
                decision: None,
                decided_by: None,
            });
        }
        for record in &commit.usage {
            self.usage = self.usage.plus(record.usage);
        }
        if let Some(delivery) = &commit.delivery {
            self.delivery = Some(match delivery.leased_by {
                Some(_) => DeliveryStatus::Sending,
                None => DeliveryStatus::Pending,
            });
        }
    }

    fn change(&mut self, change: &CallChange) {
        if let Some(call) = self.calls.iter_mut().find(|call| call.id == change.id) {
            call.status = change.status;
            call.result = change.result.clone();
            call.model_output.clone_from(&change.model_output);
        }
    }
}

/// A commit that ends the run without an answer and frees its conversation. Calls that are still
/// open get their one outcome: withdrawn if they had not started, interrupted if they had.
fn ended(state: &RunState, commit_id: CommitId, status: RunStatus) -> Commit {
    let mut commit = state.commit(commit_id);
    commit.status = status;
    commit.lease = Lease::Release { not_before_ms: 0 };
    for call in &state.calls {
        let (status, kind, result) = match call.status {
            ToolCallStatus::Requested | ToolCallStatus::AwaitingApproval => (
                ToolCallStatus::Cancelled,
                event::TOOL_CANCELLED,
                "cancelled",
            ),
            ToolCallStatus::Started => (
                ToolCallStatus::Interrupted,
                event::TOOL_INTERRUPTED,
                "interrupted",
            ),
            ToolCallStatus::Succeeded
            | ToolCallStatus::Failed
            | ToolCallStatus::Interrupted
            | ToolCallStatus::Skipped
            | ToolCallStatus::Rejected
            | ToolCallStatus::Cancelled => continue,
        };
        let result = json!({ result: true });
        commit.events.push(Event::new(
            kind,
            json!({"call": call.id, "tool": call.name}),
        ));
        let model_output = result.to_string();
        commit.changes.push(CallChange {
            id: call.id,
            status,
            result,
            model_output,
        });
    }
    commit
}

/// A commit that ends the run as failed.
fn failed(state: &RunState, commit_id: CommitId, code: &str, message: String) -> Commit {
    let mut commit = ended(state, commit_id, RunStatus::Failed);
    commit.events.push(Event::new(
        event::RUN_FAILED,
        json!({"code": code, "message": message}),
    ));
    commit.failure = Some(Failure {
        code: code.to_owned(),
        message,
    });
    commit
}

/// The store refused a commit for good: the run ends with the refusal, instead of meeting it again
/// after every recovery. What the refused commit carried is lost, so that this one is not refused
/// for the same reason.
pub fn give_up(state: &mut RunState, commit_id: CommitId, code: &str, message: String) -> Commit {
    // Outcomes that were never written are none: their calls are open again.
    for change in std::mem::take(&mut state.unsaved).changes {
        let lost = state.calls.iter_mut().find(|call| call.id == change.id);
        if let Some(call) = lost {
            call.status = ToolCallStatus::Started;
        }
    }
    failed(state, commit_id, code, message)
}

#[cfg(test)]
mod tests;
