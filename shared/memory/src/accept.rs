//! Accepting a turn, or an answer (`accept.sql`).

use std::collections::BTreeMap;

use openeve_domain::commit::{Accept, Occurrence};
use openeve_domain::event::{self, Event};
use openeve_domain::ids::{ConversationId, RunId, ToolCallId};
use openeve_domain::limits::HOUR_MS;
use openeve_domain::pause::{
    ANYONE, Decide, Decision, PauseKind, PauseStatus, REQUESTER, stands_for_others,
};
use openeve_domain::status::RunStatus;
use openeve_domain::transcript::{Entry, EntryKind};
use openeve_domain::usage::Usage;
use openeve_runtime::ports::{Accepted, PortError};
use serde_json::Value;

use crate::clean;
use crate::tables::{Conversation, Key, Run, Tables, conflict, later, refused};

/// What may start a run.
const TRIGGERS: [&str; 6] = [
    "message", "schedule", "api", "subagent", "routine", "redrive",
];

impl Tables {
    /// Accepts. Idempotent by the key.
    pub fn accept(&mut self, now: i64, accept: &Accept) -> Result<Accepted, PortError> {
        let key = (
            accept.idempotency.scope.clone(),
            clean::text(&accept.idempotency.key),
        );
        if let Some(taken) = self.keys.get(&key)
            && self.clauses.idempotency_key_unique
        {
            return self.accepted_before(taken.run_id, accept);
        }
        let question = self.open_question(accept);
        if question.is_none() {
            self.check_accept(accept)?;
        }
        let expires_at = later(now, accept.idempotency_ttl_hours.saturating_mul(HOUR_MS));
        let stands_for = question.map_or(accept.run_id, |(run_id, ..)| run_id);
        let row = Key {
            run_id: Some(stands_for),
            expires_at,
        };
        self.keys.insert(key, row);
        match question {
            Some((run_id, call_id, generation)) => {
                self.answer(now, accept, run_id, call_id, generation)
            }
            None => Ok(self.begin(now, accept)),
        }
    }

    fn accepted_before(
        &self,
        run_id: Option<RunId>,
        accept: &Accept,
    ) -> Result<Accepted, PortError> {
        let gone = || PortError::corrupt("database_row", "an idempotency key without its run");
        let run_id = run_id.ok_or_else(gone)?;
        let run = self.runs.get(&run_id).ok_or_else(gone)?;
        let conversation = self
            .conversations
            .get(&run.conversation_id)
            .ok_or_else(gone)?;
        Ok(Accepted {
            run_id,
            conversation_id: run.conversation_id,
            conversation_key: conversation.key.clone(),
            duplicate: run_id != accept.run_id,
            answered: false,
            tenant: self.tenant(run.conversation_id),
        })
    }

    /// What the schema refuses of a new run.
    fn check_accept(&self, accept: &Accept) -> Result<(), PortError> {
        if !TRIGGERS.contains(&accept.trigger) {
            return Err(refused("runs_trigger_check"));
        }
        if accept.events.iter().any(|event| event.kind.is_empty()) {
            return Err(refused("run_events_kind_check"));
        }
        let known = self
            .conversation_of
            .contains_key(&Self::conversation_key(accept));
        if !known && self.conversations.contains_key(&accept.conversation_id) {
            return Err(conflict("conversations_pkey"));
        }
        if self.runs.contains_key(&accept.run_id) {
            return Err(conflict("runs_pkey"));
        }
        let fired = accept.occurrence.as_ref();
        if fired.is_some_and(|one| self.occurrences.contains_key(&occurrence(accept, one))) {
            return Err(conflict("schedule_runs_pkey"));
        }
        Ok(())
    }

    fn conversation_key(accept: &Accept) -> (String, String, String) {
        (
            accept.agent_id.clone(),
            accept.turn.channel.clone(),
            clean::text(&accept.turn.conversation_key),
        )
    }

    /// The oldest question of the conversation's newest run that this sender may answer.
    fn open_question(&self, accept: &Accept) -> Option<(RunId, ToolCallId, u32)> {
        if !accept.may_answer {
            return None;
        }
        let id = self.conversation_of.get(&Self::conversation_key(accept))?;
        let conversation = self.conversations.get(id)?;
        let run_id = conversation.runs.get(&conversation.run_position)?;
        let run = self.runs.get(run_id)?;
        if run.status != RunStatus::WaitingInput || run.cancel_requested_at.is_some() {
            return None;
        }
        let sender = accept.turn.sender.as_deref().map(clean::text);
        let sender = sender.as_deref();
        let requester = run.turn.sender.as_deref();
        let may = |approver: &String| match approver.as_str() {
            ANYONE => true,
            REQUESTER if requester.is_none() || requester == sender => true,
            other => sender == Some(other) && !stands_for_others(other),
        };
        run.pauses
            .iter()
            .filter(|pause| {
                pause.status == PauseStatus::Pending
                    && pause.request.kind == PauseKind::Input
                    && pause.request.approvers.iter().any(may)
            })
            .min_by_key(|pause| (pause.created_at, pause.call_id))
            .map(|pause| (*run_id, pause.call_id, pause.generation))
    }

    fn answer(
        &mut self,
        now: i64,
        accept: &Accept,
        run_id: RunId,
        call_id: ToolCallId,
        generation: u32,
    ) -> Result<Accepted, PortError> {
        let decide = Decide {
            run_id,
            call_id,
            generation,
            decision: Some(Decision::Answer {
                text: clean::text(&accept.turn.text),
            }),
            by: clean::text(accept.turn.sender.as_deref().unwrap_or_default()),
        };
        self.settle_pause(now, &decide, false);
        let gone = || PortError::corrupt("database_row", "a question without its run");
        let run = self.runs.get(&run_id).ok_or_else(gone)?;
        Ok(Accepted {
            run_id,
            conversation_id: run.conversation_id,
            conversation_key: accept.turn.conversation_key.clone(),
            duplicate: false,
            answered: true,
            tenant: self.tenant(run.conversation_id),
        })
    }

    fn begin(&mut self, now: i64, accept: &Accept) -> Accepted {
        let id = *self
            .conversation_of
            .entry(Self::conversation_key(accept))
            .or_insert(accept.conversation_id);
        let tenant = clean::text(accept.turn.tenant.as_deref().unwrap_or_default());
        let conversation = self
            .conversations
            .entry(id)
            .or_insert_with(|| Conversation {
                tenant,
                key: clean::text(&accept.turn.conversation_key),
                run_position: 0,
                runs: BTreeMap::new(),
            });
        conversation.run_position += 1;
        let position = conversation.run_position;
        conversation.runs.insert(position, accept.run_id);
        let mut run = new_run(now, accept, id, position);
        for event in &accept.events {
            run.log(clean::event(event), now);
        }
        self.runs.insert(accept.run_id, run);
        if let Some(one) = &accept.occurrence {
            self.occurrences
                .insert(occurrence(accept, one), accept.run_id);
        }
        Accepted {
            run_id: accept.run_id,
            conversation_id: id,
            conversation_key: accept.turn.conversation_key.clone(),
            duplicate: false,
            answered: false,
            tenant: self.tenant(id),
        }
    }

    /// Begins a failed run again (`redrive_run.sql`); the key says that it was.
    pub(crate) fn begin_again(&mut self, now: i64, old: RunId, fresh: RunId) -> Option<()> {
        let before = self.runs.get(&old)?.clone();
        let said = before.entries.first().filter(|entry| entry.seq == 0);
        let conversation = self.conversations.get_mut(&before.conversation_id)?;
        conversation.run_position += 1;
        let position = conversation.run_position;
        conversation.runs.insert(position, fresh);
        let mut run = Run {
            position,
            trigger: "redrive",
            entries: said.cloned().into_iter().collect(),
            ..blank(now, &before)
        };
        let payload = serde_json::json!({ "from": old });
        run.log(Event::new(event::RUN_REDRIVEN, payload), now);
        self.runs.insert(fresh, run);
        Some(())
    }
}

fn new_run(now: i64, accept: &Accept, conversation_id: ConversationId, position: i64) -> Run {
    let turn = clean::turn(&accept.turn);
    Run {
        agent_id: accept.agent_id.clone(),
        agent_revision: accept.agent_revision.clone(),
        conversation_id,
        position,
        trigger: accept.trigger,
        entries: vec![Entry {
            seq: 0,
            kind: EntryKind::User,
            text: turn.text.clone(),
            extra: Value::Null,
        }],
        turn,
        status: RunStatus::Created,
        epoch: 0,
        lease: None,
        not_before: None,
        commit_id: None,
        commit_count: 0,
        step_count: 0,
        stall_count: 0,
        resume_count: 0,
        model_failures: 0,
        event_seq: 0,
        cancel_requested_at: None,
        failure: None,
        blocked: None,
        wall_from: now,
        usage: Usage::default(),
        trace_parent: accept.trace_parent.clone(),
        created_at: now,
        updated_at: now,
        finished_at: None,
        calls: Vec::new(),
        pauses: Vec::new(),
        events: Vec::new(),
        checkpoints: Vec::new(),
        usage_rows: Vec::new(),
    }
}

/// A run that has done nothing yet, of the same turn as another.
fn blank(now: i64, of: &Run) -> Run {
    Run {
        status: RunStatus::Created,
        epoch: 0,
        lease: None,
        not_before: None,
        commit_id: None,
        commit_count: 0,
        step_count: 0,
        stall_count: 0,
        resume_count: 0,
        model_failures: 0,
        event_seq: 0,
        cancel_requested_at: None,
        failure: None,
        blocked: None,
        wall_from: now,
        usage: Usage::default(),
        created_at: now,
        updated_at: now,
        finished_at: None,
        calls: Vec::new(),
        pauses: Vec::new(),
        events: Vec::new(),
        checkpoints: Vec::new(),
        usage_rows: Vec::new(),
        ..of.clone()
    }
}

/// An occurrence as its row is keyed.
fn occurrence(accept: &Accept, one: &Occurrence) -> (String, String, i64) {
    (
        accept.agent_id.clone(),
        one.schedule.clone(),
        one.at.as_microsecond(),
    )
}
