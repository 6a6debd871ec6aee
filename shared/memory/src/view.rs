//! Reading: what is due, what is kept, and what people see.

use std::collections::HashMap;

use openeve_domain::commit::Failure;
use openeve_domain::ids::RunId;
use openeve_domain::limits::HOUR_MS;
use openeve_domain::pause::{Decide, PauseStatus};
use openeve_domain::run::finish::final_key;
use openeve_domain::status::{DeliveryStatus, RunStatus};
use openeve_domain::transcript::EntryKind;
use openeve_runtime::ports::{Due, RunView, StoredEvent, Swept};

use crate::tables::{Run, Tables, later};

impl Tables {
    /// Rows of an agent that need something done, tenants in turn.
    pub fn due(&self, now: i64, agent_id: &str, limit: u64, grace_ms: u64, horizon_ms: u64) -> Due {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let quiet = now.saturating_sub(i64::try_from(grace_ms).unwrap_or(0));
        let ours = |run: &Run| run.agent_id == agent_id;
        let mut due = Due::default();
        if self.clauses.due_runs {
            let runs = self.runs.iter().filter(|(_, run)| {
                ours(run)
                    && run.status.is_claimable()
                    && run.lease.is_none_or(|held| held.until < now)
                    && run.not_before.is_none_or(|at| at <= now)
                    && run.updated_at < quiet
                    && !self.is_behind(run)
            });
            let rows =
                runs.map(|(id, run)| (run.updated_at, *id, self.tenant(run.conversation_id)));
            due.runs = in_turn(rows.collect(), limit);
            let cancelling = self.runs.iter().filter(|(_, run)| {
                ours(run)
                    && run.status.is_waiting()
                    && run.cancel_requested_at.is_some_and(|at| at < quiet)
            });
            let mut rows: Vec<_> = cancelling.collect();
            rows.sort_by_key(|(_, run)| run.cancel_requested_at);
            let rows = rows.into_iter().take(limit);
            due.runs
                .extend(rows.map(|(id, run)| (*id, self.tenant(run.conversation_id))));
        }
        due.expiring = self.expiring(now, agent_id, limit, horizon_ms);
        if self.clauses.due_deliveries {
            let rows = self.deliveries.iter().filter_map(|(id, delivery)| {
                let run = self.runs.get(&delivery.run_id).filter(|run| ours(run))?;
                let at = match delivery.status {
                    DeliveryStatus::Pending => delivery.next_attempt_at?,
                    DeliveryStatus::Sending => delivery.lease?.until,
                    DeliveryStatus::Sent | DeliveryStatus::Suppressed | DeliveryStatus::Failed => {
                        return None;
                    }
                };
                let before = if delivery.attempt_count == 0 {
                    quiet
                } else {
                    now
                };
                (at < before).then(|| (at, *id, self.tenant(run.conversation_id)))
            });
            due.deliveries = in_turn(rows.collect(), limit);
        }
        if self.clauses.due_pauses {
            due.expired = self.expired(now, agent_id, limit);
        }
        due
    }

    /// Runs whose lease ends soon, the first to end first.
    fn expiring(
        &self,
        now: i64,
        agent_id: &str,
        limit: usize,
        horizon_ms: u64,
    ) -> Vec<(RunId, String, u64)> {
        let soon = later(now, horizon_ms);
        let leased = self.runs.iter().filter_map(|(id, run)| {
            let until = run.lease?.until;
            let ends = run.agent_id == agent_id
                && run.status == RunStatus::Running
                && (now..soon).contains(&until);
            ends.then_some((until, *id, run))
        });
        let mut rows: Vec<_> = leased.collect();
        rows.sort_by_key(|(until, ..)| *until);
        let rows = rows.into_iter().take(limit).map(|(until, id, run)| {
            let wait_ms = u64::try_from(until - now).unwrap_or(0);
            (id, self.tenant(run.conversation_id), wait_ms)
        });
        rows.collect()
    }

    fn expired(&self, now: i64, agent_id: &str, limit: usize) -> Vec<Decide> {
        let mut rows: Vec<(i64, Decide)> = Vec::new();
        for (run_id, run) in &self.runs {
            if run.agent_id != agent_id || run.finished_at.is_some() {
                continue;
            }
            for pause in &run.pauses {
                if pause.status == PauseStatus::Pending && pause.expires_at <= now {
                    let decide = Decide {
                        run_id: *run_id,
                        call_id: pause.call_id,
                        generation: pause.generation,
                        decision: None,
                        by: String::new(),
                    };
                    rows.push((pause.expires_at, decide));
                }
            }
        }
        rows.sort_by_key(|(at, decide)| (*at, decide.call_id));
        rows.into_iter()
            .take(limit)
            .map(|(_, decide)| decide)
            .collect()
    }

    /// Removes what retention no longer keeps.
    pub fn sweep(&mut self, now: i64, limit: u64) -> Swept {
        let most = usize::try_from(limit).unwrap_or(usize::MAX);
        let expired = self.keys.iter().filter(|(_, key)| key.expires_at < now);
        let mut expired: Vec<_> = expired
            .map(|(name, key)| (key.expires_at, name.clone()))
            .collect();
        expired.sort();
        expired.truncate(most);
        for (_, name) in &expired {
            self.keys.remove(name);
        }
        let mut left = most;
        let mut checkpoints = 0_u64;
        for run in self.runs.values_mut() {
            if run.finished_at.is_some_and(|at| later(at, HOUR_MS) < now) {
                let gone = left.min(run.checkpoints.len());
                run.checkpoints.drain(..gone);
                left -= gone;
                checkpoints += gone as u64;
            }
        }
        Swept {
            idempotency_keys: expired.len() as u64,
            checkpoints,
        }
    }

    /// A run as people read it.
    pub fn run_view(&self, agent_id: &str, id: RunId) -> Option<RunView> {
        let run = self.runs.get(&id).filter(|run| run.agent_id == agent_id)?;
        let reason = |reason: &(String, String)| Failure {
            code: reason.0.clone(),
            message: reason.1.clone(),
        };
        let mut delivery = self.delivery_of.get(&final_key(id));
        // The final one, or the one that owes it again.
        while let Some(again) =
            delivery.and_then(|id| self.delivery_of.get(&format!("redrive:{}", id.uuid())))
        {
            delivery = Some(again);
        }
        Some(RunView {
            run_id: id,
            conversation_id: run.conversation_id,
            channel: run.turn.channel.clone(),
            status: run.status,
            failure: run.failure.as_ref().map(reason),
            blocked: run.blocked.as_ref().map(reason),
            reply: run
                .entries
                .iter()
                .rfind(|entry| entry.kind == EntryKind::Answer)
                .map(|entry| entry.text.clone()),
            delivery: delivery
                .and_then(|id| self.deliveries.get(id))
                .map(|delivery| delivery.status),
            steps: run.step_count,
            usage: run.usage,
            created_at: crate::moment(run.created_at),
            finished_at: run.finished_at.map(crate::moment),
        })
    }

    /// Events of a run after a position.
    pub fn run_events(
        &self,
        agent_id: &str,
        id: RunId,
        after: i64,
        limit: u64,
    ) -> Vec<StoredEvent> {
        let Some(run) = self.runs.get(&id).filter(|run| run.agent_id == agent_id) else {
            return Vec::new();
        };
        run.events
            .iter()
            .filter(|(seq, ..)| *seq > after)
            .take(usize::try_from(limit).unwrap_or(usize::MAX))
            .map(|(seq, event, at)| StoredEvent {
                seq: *seq,
                kind: event.kind.clone(),
                payload: event.payload.clone(),
                at: crate::moment(*at),
            })
            .collect()
    }
}

/// The oldest of each tenant first, then the second of each, and so on.
fn in_turn<Id: Copy + Ord>(mut rows: Vec<(i64, Id, String)>, limit: usize) -> Vec<(Id, String)> {
    rows.sort_by_key(|(at, ..)| *at);
    let mut turns: HashMap<String, u64> = HashMap::new();
    let mut ranked: Vec<(u64, i64, Id, String)> = Vec::with_capacity(rows.len());
    for (at, id, tenant) in rows {
        let turn = turns.entry(tenant.clone()).or_default();
        *turn += 1;
        ranked.push((*turn, at, id, tenant));
    }
    ranked.sort_by_key(|(turn, at, ..)| (*turn, *at));
    ranked
        .into_iter()
        .take(limit)
        .map(|(_, _, id, tenant)| (id, tenant))
        .collect()
}
