//! The model answered: the run completes and owes exactly one reply (I9).

use serde_json::{Value, json};

use super::RunState;
use crate::commit::{Commit, Lease, NewDelivery, UsageRecord};
use crate::continuation::Continuation;
use crate::event::{self, Event};
use crate::ids::{CommitId, DeliveryId, LeaseToken, RunId};
use crate::status::RunStatus;
use crate::transcript::{Entry, EntryKind};

/// The model's final answer.
#[derive(Debug, Clone)]
pub struct Answer {
    /// What it said.
    pub text: String,
    /// What the provider wants back verbatim.
    pub extra: Value,
    /// The continuation after this response.
    pub checkpoint: Continuation,
    /// What the request cost.
    pub usage: Option<UsageRecord>,
}

/// The delivery to create, and whether an inline sender holds it from the start [L.04].
#[derive(Debug, Clone, Copy)]
pub struct Obligation {
    /// Its id.
    pub id: DeliveryId,
    /// The inline sender's lease, if there is one.
    pub leased_by: Option<LeaseToken>,
    /// How long that lease holds.
    pub lease_ms: u64,
}

/// The unique key of a run's final obligation.
pub fn final_key(run_id: RunId) -> String {
    format!("final:{run_id}")
}

/// Completes a run with its answer.
pub fn finish(
    state: &RunState,
    answer: Answer,
    obligation: Obligation,
    commit_id: CommitId,
) -> Commit {
    let mut commit = complete(state, &answer.text, Some(obligation), commit_id);
    let responded = Event::new(
        event::MODEL_RESPONDED,
        json!({"tool_calls": 0, "usage": answer.usage.as_ref().map(|record| record.usage)}),
    );
    commit.events.insert(state.unsaved.events.len(), responded);
    commit.entries.push(Entry {
        seq: state.next_seq(),
        kind: EntryKind::Answer,
        text: answer.text,
        extra: answer.extra,
    });
    commit.checkpoint = Some(answer.checkpoint);
    commit.usage.extend(answer.usage);
    commit
}

/// Completes a run whose answer is already in the transcript; creates its delivery if there is
/// none yet.
pub(super) fn complete(
    state: &RunState,
    text: &str,
    obligation: Option<Obligation>,
    commit_id: CommitId,
) -> Commit {
    let mut commit = state.commit(commit_id);
    commit.status = RunStatus::Completed;
    commit.lease = Lease::Release { not_before_ms: 0 };
    if let Some(obligation) = obligation {
        commit.delivery = Some(NewDelivery {
            id: obligation.id,
            key: final_key(state.run_id),
            channel: state.turn.channel.clone(),
            target: state.turn.reply_target.clone(),
            text: text.to_owned(),
            leased_by: obligation.leased_by,
            lease_ms: obligation.lease_ms,
        });
        commit.events.push(Event::new(
            event::DELIVERY_CREATED,
            json!({"delivery": obligation.id}),
        ));
    }
    commit.events.push(Event::new(
        event::RUN_COMPLETED,
        json!({"steps": state.steps}),
    ));
    commit
}
