//! The one write (`commit_*.sql`): a fence, and whatever changed behind it, whole or not at all.
//!
//! Everything is checked first, in the order of the statements, and written after.

use openeve_domain::commit::{Commit, Committed, Lease};
use openeve_domain::ids::RunId;
use openeve_domain::pause::{PauseStatus, waiting_status};
use openeve_domain::status::RunStatus;
use openeve_domain::usage::Usage;
use openeve_runtime::ports::{CommitAnswer, PortError};

use crate::clean;
use crate::commit_rows::{
    check_checkpoint, check_entries, check_pauses, insert_checkpoint, insert_entries,
    insert_pauses, recorded, write_calls,
};
use crate::tables::{Held, Run, Tables, conflict, later, refused};

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
        let completes = commit.status == RunStatus::Completed;
        if completes && run.cancel_requested_at.is_some() && clauses.cancel_wins {
            return Ok(CommitAnswer::Cancelled);
        }
        let status = self.status_behind(run, commit);
        self.check_fence(run, commit, status)?;
        check_entries(run, commit)?;
        let calls = self.staged_calls(run, commit)?;
        check_checkpoint(run, commit)?;
        self.check_events(run, commit)?;
        check_pauses(run, commit, |id| {
            self.run_of_call.contains_key(&id) || calls.iter().any(|row| row.call.id == id)
        })?;
        self.check_delivery(commit)?;

        for call in &commit.calls {
            self.run_of_call.insert(call.id, commit.run_id);
        }
        let first = self.first_event(commit);
        let withdraws = commit.status.is_terminal() && self.clauses.withdraw_on_end;
        let Some(run) = self.runs.get_mut(&commit.run_id) else {
            return Ok(CommitAnswer::Superseded);
        };
        fence(now, run, commit, lease_ms, status);
        insert_entries(run, commit);
        write_calls(run, calls);
        insert_checkpoint(run, commit);
        for (seq, event) in (first..).zip(&commit.events) {
            run.events.push((seq, clean::event(event), now));
        }
        let usage = commit.usage.iter().map(|record| recorded(record.usage));
        run.usage_rows.extend(usage);
        insert_pauses(now, run, commit);
        if withdraws {
            withdraw(run);
        }
        let cancel_requested = run.cancel_requested_at.is_some();
        if let Some(owed) = &commit.delivery {
            self.owe(now, commit.run_id, owed);
        }
        Ok(CommitAnswer::Applied(Committed {
            status,
            next_run: self.freed(commit),
            cancel_requested,
        }))
    }

    /// A commit whose answer was lost: it was applied if it is the newest one.
    fn applied_before(&self, commit: &Commit) -> CommitAnswer {
        match self.runs.get(&commit.run_id) {
            Some(run) if run.commit_id == Some(commit.commit_id) && run.epoch == commit.epoch => {
                CommitAnswer::Applied(Committed {
                    status: run.status,
                    next_run: self.freed(commit),
                    cancel_requested: run.cancel_requested_at.is_some(),
                })
            }
            Some(_) | None => CommitAnswer::Superseded,
        }
    }

    /// The run to ring, if the commit keeps no other run of its conversation waiting.
    fn freed(&self, commit: &Commit) -> Option<RunId> {
        let frees = commit.status.is_terminal() || commit.status.is_waiting();
        frees.then(|| self.next_run(commit.run_id)).flatten()
    }

    /// The status behind the fence: one that waits is computed from what is pending by now.
    fn status_behind(&self, run: &Run, commit: &Commit) -> RunStatus {
        if !commit.status.is_waiting() || !self.clauses.waiting_recomputed {
            return commit.status;
        }
        let pending = run
            .pauses
            .iter()
            .filter(|pause| pause.status == PauseStatus::Pending);
        let kinds = pending.map(|pause| pause.request.kind);
        let new = commit.pauses.iter().map(|pause| pause.request.kind);
        waiting_status(kinds.chain(new)).unwrap_or(RunStatus::Running)
    }

    /// The trigger and the CHECKs of `runs`.
    fn check_fence(&self, run: &Run, commit: &Commit, status: RunStatus) -> Result<(), PortError> {
        if self.clauses.terminal_final && run.status.is_terminal() && status != run.status {
            return Err(refused("runs_terminal_is_final"));
        }
        if extends(commit) && run.lease.is_none() {
            return Err(refused("runs_lease_is_whole"));
        }
        if (status == RunStatus::Failed) != commit.failure.is_some() {
            return Err(refused("runs_failed_has_reason"));
        }
        Ok(())
    }

    /// The number of a commit's first event: right behind those that were reserved before.
    fn first_event(&self, commit: &Commit) -> i64 {
        self.runs.get(&commit.run_id).map_or(1, |run| {
            if self.clauses.events_dense {
                run.event_seq + 1
            } else {
                i64::try_from(run.commit_count).unwrap_or(0) + 2
            }
        })
    }

    fn check_events(&self, run: &Run, commit: &Commit) -> Result<(), PortError> {
        let first = self.first_event(commit);
        for (seq, event) in (first..).zip(&commit.events) {
            if event.kind.is_empty() {
                return Err(refused("run_events_kind_check"));
            }
            // Numbers that were reserved are free.
            let reserved = seq > run.event_seq && self.clauses.events_dense;
            if !reserved && run.events.iter().any(|(own, ..)| *own == seq) {
                return Err(conflict("run_events_pkey"));
            }
        }
        Ok(())
    }
}

fn extends(commit: &Commit) -> bool {
    commit.lease == Lease::Extend && commit.status == RunStatus::Running
}

fn fence(now: i64, run: &mut Run, commit: &Commit, lease_ms: u64, status: RunStatus) {
    run.commit_id = Some(commit.commit_id);
    run.commit_count += 1;
    run.status = status;
    run.lease = run.lease.filter(|_| extends(commit)).map(|held| Held {
        until: later(now, lease_ms),
        ..held
    });
    run.not_before = match commit.lease {
        Lease::Release { not_before_ms } if not_before_ms > 0 => Some(later(now, not_before_ms)),
        Lease::Release { .. } | Lease::Extend => None,
    };
    run.failure = commit
        .failure
        .as_ref()
        .map(|failure| (failure.code.clone(), clean::text(&failure.message)));
    if commit.progress {
        run.stall_count = 0;
    }
    run.resume_count += u64::from(commit.resumed);
    run.model_failures = commit.model_failures;
    run.event_seq += i64::try_from(commit.events.len()).unwrap_or(0);
    let spent = commit.usage.iter().map(|record| recorded(record.usage));
    run.usage = spent.fold(run.usage, Usage::plus);
    run.updated_at = now;
    run.finished_at = commit.status.is_terminal().then_some(now);
}

fn withdraw(run: &mut Run) {
    for pause in &mut run.pauses {
        if pause.status == PauseStatus::Pending {
            pause.status = PauseStatus::Withdrawn;
        }
    }
}
