//! The one write (`commit_*.sql`): a fence, and whatever changed behind it, whole or not at all.

use openeve_domain::commit::{CallChange, Commit, Committed, Lease, NewDelivery};
use openeve_domain::ids::RunId;
use openeve_domain::pause::PauseStatus;
use openeve_domain::status::{DeliveryStatus, RunStatus, SideEffects, ToolCallStatus};
use openeve_domain::transcript::{Entry, ToolCall};
use openeve_runtime::ports::{CommitAnswer, PortError};
use serde_json::Value;

use crate::accept::cleaned;
use crate::clean;
use crate::tables::{Call, Delivery, Held, PauseRow, Run, Tables, later, refused};

impl Tables {
    /// Applies a commit, or learns that another epoch has begun.
    pub fn commit(
        &mut self,
        now: i64,
        commit: &Commit,
        lease_ms: u64,
    ) -> Result<CommitAnswer, PortError> {
        let Some(run) = self.runs.get(&commit.run_id) else {
            return Ok(CommitAnswer::Superseded);
        };
        let clauses = &self.clauses;
        let passes = (run.epoch == commit.epoch || !clauses.fence_epoch)
            && (run.status == RunStatus::Running || !clauses.fence_status_running)
            && (run.commit_count == commit.follows || !clauses.fence_commit_count);
        if !passes {
            return Ok(self.applied_before(commit));
        }
        if run.status.is_terminal() && run.status != commit.status {
            return Err(refused("a terminal status never changes"));
        }
        // Changed beside, so that a refusal leaves everything as it was.
        let mut changed = run.clone();
        self.write(now, &mut changed, commit, lease_ms)?;
        let status = changed.status;
        let cancel_requested = changed.cancel_requested_at.is_some();
        for call in &commit.calls {
            self.run_of_call.insert(call.id, commit.run_id);
        }
        self.runs.insert(commit.run_id, changed);
        if let Some(owed) = &commit.delivery {
            self.owe(now, commit.run_id, owed);
        }
        let frees = commit.status.is_terminal() || commit.status.is_waiting();
        Ok(CommitAnswer::Applied(Committed {
            status,
            next_run: frees.then(|| self.next_run(commit.run_id)).flatten(),
            cancel_requested,
        }))
    }

    /// A commit whose answer was lost: it was applied if it is the newest one.
    fn applied_before(&self, commit: &Commit) -> CommitAnswer {
        match self.runs.get(&commit.run_id) {
            Some(run) if run.commit_id == Some(commit.commit_id) => {
                let frees = commit.status.is_terminal() || commit.status.is_waiting();
                CommitAnswer::Applied(Committed {
                    status: run.status,
                    next_run: frees.then(|| self.next_run(commit.run_id)).flatten(),
                    cancel_requested: run.cancel_requested_at.is_some(),
                })
            }
            _ => CommitAnswer::Superseded,
        }
    }

    fn write(
        &self,
        now: i64,
        run: &mut Run,
        commit: &Commit,
        lease_ms: u64,
    ) -> Result<(), PortError> {
        fence(now, run, commit, lease_ms);
        for entry in &commit.entries {
            if run.entries.iter().any(|own| own.seq == entry.seq) {
                return Err(conflict("messages_pkey"));
            }
            run.entries.push(Entry {
                seq: entry.seq,
                kind: entry.kind,
                text: clean::text(&entry.text),
                extra: clean::json(&entry.extra),
            });
        }
        for call in &commit.calls {
            if self.run_of_call.contains_key(&call.id) {
                return Err(conflict("tool_calls_pkey"));
            }
            run.calls.push(stored(call));
        }
        for change in &commit.changes {
            settle(run, change)?;
        }
        if let Some(checkpoint) = &commit.checkpoint {
            if run.checkpoints.iter().any(|own| own.seq == checkpoint.seq) {
                return Err(conflict("checkpoints_pkey"));
            }
            run.checkpoints.push(checkpoint.clone());
        }
        for pause in &commit.pauses {
            let same = |own: &PauseRow| {
                own.call_id == pause.call_id && own.generation == pause.generation
            };
            if run.pauses.iter().any(same) {
                return Err(conflict("pauses_pkey"));
            }
            run.pauses.push(PauseRow {
                call_id: pause.call_id,
                generation: pause.generation,
                request: pause.request.clone(),
                status: PauseStatus::Pending,
                decision: None,
                decided_by: None,
                created_at: now,
                expires_at: later(now, pause.ttl_ms),
            });
        }
        if commit.status.is_waiting() {
            run.status = if self.clauses.waiting_recomputed {
                run.status_of_pauses()
            } else {
                commit.status
            };
        }
        let reserved = run.event_seq + i64::try_from(commit.events.len()).unwrap_or(0);
        let first = if self.clauses.events_dense {
            run.event_seq
        } else {
            i64::try_from(run.commit_count).unwrap_or(0)
        };
        for (seq, event) in (first + 1..).zip(&commit.events) {
            if run.events.iter().rev().any(|(own, ..)| *own == seq) {
                return Err(conflict("run_events_pkey"));
            }
            run.events.push((seq, cleaned(event), now));
        }
        run.event_seq = reserved;
        for record in &commit.usage {
            run.usage = run.usage.plus(record.usage);
            run.usage_rows.push(record.usage);
        }
        if commit.status.is_terminal() && self.clauses.withdraw_on_end {
            for pause in &mut run.pauses {
                if pause.status == PauseStatus::Pending {
                    pause.status = PauseStatus::Withdrawn;
                }
            }
        }
        Ok(())
    }

    fn owe(&mut self, now: i64, run_id: RunId, owed: &NewDelivery) {
        if self.clauses.delivery_key_unique && self.delivery_of.contains_key(&owed.key) {
            return;
        }
        let lease = owed.leased_by.map(|token| Held {
            token,
            until: later(now, owed.lease_ms),
        });
        let delivery = Delivery {
            key: owed.key.clone(),
            run_id,
            channel: owed.channel.clone(),
            target: clean::json(&owed.target),
            text: clean::text(&owed.text),
            status: if lease.is_some() {
                DeliveryStatus::Sending
            } else {
                DeliveryStatus::Pending
            },
            reason: None,
            attempt_count: u64::from(lease.is_some()),
            next_attempt_at: lease.is_none().then_some(now),
            lease,
            parts_sent: 0,
            provider_ids: Vec::new(),
            last_error: None,
        };
        self.delivery_of.insert(owed.key.clone(), owed.id);
        self.deliveries.insert(owed.id, delivery);
    }
}

fn fence(now: i64, run: &mut Run, commit: &Commit, lease_ms: u64) {
    run.commit_id = Some(commit.commit_id);
    run.commit_count += 1;
    run.status = commit.status;
    let (extends, not_before_ms) = match commit.lease {
        Lease::Extend => (commit.status == RunStatus::Running, 0),
        Lease::Release { not_before_ms } => (false, not_before_ms),
    };
    match &mut run.lease {
        Some(held) if extends => held.until = later(now, lease_ms),
        lease => *lease = None,
    }
    run.not_before = (not_before_ms > 0).then(|| later(now, not_before_ms));
    run.failure = commit
        .failure
        .as_ref()
        .map(|failure| (failure.code.clone(), clean::text(&failure.message)));
    if commit.progress {
        run.stall_count = 0;
    }
    run.resume_count += u64::from(commit.resumed);
    run.model_failures = commit.model_failures;
    run.updated_at = now;
    run.finished_at = commit.status.is_terminal().then_some(now);
}

fn stored(call: &ToolCall) -> Call {
    Call {
        started: matches!(
            call.status,
            ToolCallStatus::Started
                | ToolCallStatus::Succeeded
                | ToolCallStatus::Failed
                | ToolCallStatus::Interrupted
        ),
        call: ToolCall {
            provider_call_id: clean::text(&call.provider_call_id),
            name: clean::text(&call.name),
            arguments: clean::text(&call.arguments),
            result: Value::Null,
            model_output: clean::text(&call.model_output),
            ..call.clone()
        },
    }
}

fn settle(run: &mut Run, change: &CallChange) -> Result<(), PortError> {
    let Some(own) = run.calls.iter_mut().find(|call| call.call.id == change.id) else {
        return Ok(());
    };
    if own.call.status.is_settled() && own.call.status != change.status {
        return Err(refused("a call has one outcome"));
    }
    let harmless = own.call.side_effects == SideEffects::None;
    match change.status {
        ToolCallStatus::Started => own.started = true,
        ToolCallStatus::Succeeded if harmless => own.started = true,
        ToolCallStatus::Succeeded | ToolCallStatus::Failed | ToolCallStatus::Interrupted
            if !own.started =>
        {
            return Err(refused("no outcome without a start"));
        }
        ToolCallStatus::Succeeded
        | ToolCallStatus::Failed
        | ToolCallStatus::Interrupted
        | ToolCallStatus::Requested
        | ToolCallStatus::AwaitingApproval
        | ToolCallStatus::Skipped
        | ToolCallStatus::Rejected
        | ToolCallStatus::Cancelled => {}
    }
    own.call.status = change.status;
    own.call.model_output = clean::text(&change.model_output);
    Ok(())
}

fn conflict(constraint: &str) -> PortError {
    PortError::corrupt(
        "database_conflict",
        format!("the store refused a second row for {constraint}"),
    )
}
