//! Claiming and loading a run (`claim.sql` and what follows it), and the heartbeat.

use openeve_domain::ids::{LeaseToken, RunId};
use openeve_domain::limits::PAUSE_TTL_MS;
use openeve_domain::pause::Pause;
use openeve_domain::run::finish::final_key;
use openeve_domain::run::{RunState, Unsaved};
use openeve_domain::status::RunStatus;
use openeve_domain::usage::Usage;
use openeve_runtime::ports::{Claim, Heartbeat, PortError};

use crate::tables::{Held, PauseRow, Run, Tables, later, refused};

impl Tables {
    /// Claims under a new epoch. The same token again is the same claim.
    pub fn claim(
        &mut self,
        now: i64,
        id: RunId,
        token: LeaseToken,
        lease_ms: u64,
    ) -> Result<Claim, PortError> {
        let Some(run) = self.runs.get(&id) else {
            return Ok(Claim::Unknown);
        };
        if let Some(refusal) = self.refusal(now, run, token) {
            return Ok(refusal);
        }
        // Without the claim's own predicate, the schema still keeps what has ended as it is.
        if run.status.is_terminal() {
            return Err(refused("runs_terminal_is_final"));
        }
        let own = run.lease.is_some_and(|held| held.token == token);
        let crashed = run.lease.is_some_and(|held| held.token != token);
        let counts = self.clauses.claim_counts_stall;
        let Some(run) = self.runs.get_mut(&id) else {
            return Ok(Claim::Unknown);
        };
        run.epoch += i64::from(!own);
        run.step_count += u64::from(!own);
        run.stall_count += u64::from(crashed && counts);
        run.status = RunStatus::Running;
        run.lease = Some(Held {
            token,
            until: later(now, lease_ms),
        });
        run.not_before = None;
        run.blocked = None;
        run.updated_at = now;
        Ok(self.runs.get(&id).map_or(Claim::Unknown, |run| {
            Claim::Claimed(Box::new(self.load(now, id, run)))
        }))
    }

    fn refusal(&self, now: i64, run: &Run, token: LeaseToken) -> Option<Claim> {
        let to_cancel = run.cancel_requested_at.is_some() && run.finished_at.is_none();
        if self.clauses.claim_status && !run.status.is_claimable() && !to_cancel {
            return Some(Claim::Settled);
        }
        let own = run.lease.is_some_and(|held| held.token == token);
        if self.clauses.claim_lease && run.is_leased(now) && !own {
            return Some(Claim::Busy);
        }
        if let Some(at) = run.not_before.filter(|at| *at > now) {
            let wait_ms = u64::try_from(at - now).unwrap_or(0);
            return Some(Claim::NotYet { wait_ms });
        }
        if self.clauses.claim_order && self.is_behind(run) {
            return Some(Claim::Behind);
        }
        let another = self
            .conversations
            .get(&run.conversation_id)
            .into_iter()
            .flat_map(|conversation| conversation.runs.values())
            .filter_map(|id| self.runs.get(id))
            .any(|other| other.position != run.position && other.lease.is_some());
        (self.clauses.claim_one_lease && another).then_some(Claim::Behind)
    }

    fn load(&self, now: i64, run_id: RunId, run: &Run) -> RunState {
        let delivery = self
            .delivery_of
            .get(&final_key(run_id))
            .and_then(|id| self.deliveries.get(id))
            .map(|delivery| delivery.status);
        let mut rows: Vec<&PauseRow> = run.pauses.iter().collect();
        rows.sort_by_key(|pause| (pause.created_at, pause.call_id, pause.generation));
        let pauses = rows.into_iter().map(|pause| Pause {
            run_id,
            call_id: pause.call_id,
            generation: pause.generation,
            request: pause.request.clone(),
            status: pause.status,
            decision: pause.decision.clone(),
            decided_by: pause.decided_by.clone(),
        });
        let mut calls: Vec<_> = run.calls.iter().map(|call| call.call.clone()).collect();
        calls.sort_by_key(|call| (call.entry_seq, call.ordinal));
        RunState {
            run_id,
            epoch: run.epoch,
            conversation_id: run.conversation_id,
            agent_revision: run.agent_revision.clone(),
            turn: run.turn.clone(),
            status: run.status,
            commits: run.commit_count,
            steps: run.step_count,
            stalls: run.stall_count,
            resumes: run.resume_count,
            model_failures: run.model_failures,
            recovery: run.stall_count > 0,
            usage: run.usage,
            tree_usage: Usage::default(),
            wall_ms: u64::try_from(now - run.wall_from).unwrap_or(0),
            cancel_requested: run.cancel_requested_at.is_some(),
            pause_ttl_ms: PAUSE_TTL_MS,
            tenant: self.tenant(run.conversation_id),
            history: self.history(run),
            entries: run.entries.clone(),
            calls,
            pauses: pauses.collect(),
            checkpoint: run.checkpoints.last().cloned(),
            delivery,
            trace_parent: run.trace_parent.clone(),
            unsaved: Unsaved::default(),
        }
    }

    /// Extends a lease, guarded by the epoch.
    pub fn heartbeat(&mut self, now: i64, id: RunId, epoch: i64, lease_ms: u64) -> Heartbeat {
        let guarded = self.clauses.heartbeat_epoch;
        let Some(run) = self.runs.get_mut(&id) else {
            return Heartbeat::Superseded;
        };
        if run.epoch != epoch && guarded {
            return Heartbeat::Superseded;
        }
        let Some(held) = &mut run.lease else {
            return Heartbeat::Superseded;
        };
        held.until = later(now, lease_ms);
        run.updated_at = now;
        if run.cancel_requested_at.is_some() {
            Heartbeat::Cancelled
        } else {
            Heartbeat::Alive
        }
    }
}
