//! What people do to a run: decide its pauses, cancel it, begin it again.

use openeve_domain::commit::Failure;
use openeve_domain::event::{self, Event};
use openeve_domain::ids::{DeliveryId, LeaseToken, RunId};
use openeve_domain::limits::HOUR_MS;
use openeve_domain::pause::{Decide, Decided, Pause, PauseStatus};
use openeve_domain::status::{DeliveryStatus, RunStatus};
use openeve_runtime::ports::{Cancelled, PausedCall, Pauses, PortError, Redriven};
use serde_json::json;

use crate::clean;
use crate::tables::{Delivery, Key, PauseRow, Tables, conflict, later, refused};

impl Tables {
    /// Decides a pause, once.
    pub fn decide(&mut self, now: i64, decide: &Decide) -> Result<Decided, PortError> {
        let Some(run) = self.runs.get(&decide.run_id) else {
            return Ok(Decided::Unknown);
        };
        let same = |pause: &&PauseRow| {
            pause.call_id == decide.call_id && pause.generation == decide.generation
        };
        let Some(pause) = run.pauses.iter().find(same) else {
            return Ok(Decided::Unknown);
        };
        let pending = pause.status == PauseStatus::Pending || !self.clauses.pause_pending;
        let due = decide.decision.is_some()
            || pause.expires_at <= now
            || !self.clauses.expired_only_when_due;
        if run.finished_at.is_some() || !pending || !due {
            return Ok(Decided::Already {
                status: pause.status,
                decision: pause.decision.clone(),
                by: pause.decided_by.clone(),
            });
        }
        let ended = pause.status != PauseStatus::Pending;
        if self.clauses.pause_trigger && ended && pause.status != decide.status() {
            return Err(refused("pauses_are_decided_once"));
        }
        let key = format!("{}:{}", decide.call_id.uuid(), decide.generation);
        self.keys.entry(("resume".to_owned(), key)).or_insert(Key {
            run_id: Some(decide.run_id),
            expires_at: later(now, 48 * HOUR_MS),
        });
        let resumes = self.settle_pause(now, decide, true);
        Ok(Decided::Taken { resumes })
    }

    /// Writes a decision and what it does to the run; whether the run can go on.
    pub(crate) fn settle_pause(&mut self, now: i64, decide: &Decide, keeps_pace: bool) -> bool {
        let Some(run) = self.runs.get_mut(&decide.run_id) else {
            return false;
        };
        for pause in &mut run.pauses {
            if pause.call_id == decide.call_id && pause.generation == decide.generation {
                pause.status = decide.status();
                pause.decision = decide.decision.as_ref().map(clean::decision);
                pause.decided_by = Some(clean::text(&decide.by));
            }
        }
        let kind = match decide.decision {
            Some(_) => event::PAUSE_DECIDED,
            None => event::PAUSE_EXPIRED,
        };
        run.log(Event::new(kind, clean::json(&decide.payload())), now);
        if run.status.is_waiting() {
            run.status = run.status_of_pauses();
        }
        run.wall_from = now;
        if run.lease.is_none() || !keeps_pace {
            run.updated_at = now;
        }
        run.status == RunStatus::Running && run.lease.is_none()
    }

    /// The pauses of a run.
    pub fn pauses(&self, agent_id: &str, id: RunId) -> Option<Pauses> {
        let run = self.runs.get(&id).filter(|run| run.agent_id == agent_id)?;
        let mut rows: Vec<&PauseRow> = run.pauses.iter().collect();
        let place = |pause: &PauseRow| {
            run.calls
                .iter()
                .find(|call| call.call.id == pause.call_id)
                .map(|call| (call.call.entry_seq, call.call.ordinal))
        };
        rows.sort_by_key(|pause| (pause.created_at, place(pause), pause.generation));
        let pauses = rows.into_iter().filter_map(|pause| {
            let call = run
                .calls
                .iter()
                .find(|call| call.call.id == pause.call_id)?;
            Some(PausedCall {
                pause: Pause {
                    run_id: id,
                    call_id: pause.call_id,
                    generation: pause.generation,
                    request: pause.request.clone(),
                    status: pause.status,
                    decision: pause.decision.clone(),
                    decided_by: pause.decided_by.clone(),
                },
                tool: call.call.name.clone(),
                arguments: call.call.arguments.clone(),
                expires_at: crate::moment(pause.expires_at),
            })
        });
        Some(Pauses {
            status: run.status,
            channel: run.turn.channel.clone(),
            requester: run.turn.sender.clone(),
            tenant: self.tenant(run.conversation_id),
            pauses: pauses.collect(),
        })
    }

    /// Asks for a run to end.
    pub fn cancel(&mut self, now: i64, agent_id: &str, id: RunId, by: &str) -> Cancelled {
        let Some(run) = self
            .runs
            .get_mut(&id)
            .filter(|run| run.agent_id == agent_id)
        else {
            return Cancelled::Unknown;
        };
        if run.finished_at.is_some() {
            return Cancelled::Already(run.status);
        }
        let unbegun = run.status == RunStatus::Created && run.lease.is_none();
        let first = run.cancel_requested_at.is_none();
        run.not_before = None;
        run.cancel_requested_at = run.cancel_requested_at.or(Some(now));
        let payload = json!({ "by": clean::text(by) });
        if unbegun {
            run.status = RunStatus::Cancelled;
            run.finished_at = Some(now);
            run.log(Event::new(event::RUN_CANCELLED, payload), now);
            return Cancelled::Ended {
                next_run: self.next_run(id),
            };
        }
        if first {
            run.log(Event::new(event::RUN_CANCEL_REQUESTED, payload), now);
        }
        Cancelled::Requested
    }

    /// Sets a run aside; `false` if the lease is no longer the caller's.
    pub fn set_aside(
        &mut self,
        now: i64,
        id: RunId,
        token: LeaseToken,
        why: &Failure,
        wait_ms: u64,
    ) -> bool {
        let Some(run) = self.runs.get_mut(&id) else {
            return false;
        };
        if run.lease.is_none_or(|held| held.token != token) {
            return false;
        }
        run.lease = None;
        run.not_before = Some(later(now, wait_ms));
        let message = clean::text(&why.message);
        run.blocked = Some((why.code.clone(), message.clone()));
        run.updated_at = now;
        let payload = json!({"code": why.code, "message": message});
        run.log(Event::new(event::RUN_BLOCKED, payload), now);
        true
    }

    /// Begins a failed run again, or frees one that was set aside.
    pub fn redrive_run(
        &mut self,
        now: i64,
        agent_id: &str,
        id: RunId,
        fresh: RunId,
    ) -> Result<Redriven, PortError> {
        let Some(run) = self
            .runs
            .get_mut(&id)
            .filter(|run| run.agent_id == agent_id)
        else {
            return Ok(Redriven::Unknown);
        };
        if run.blocked.is_some() && run.finished_at.is_none() {
            run.not_before = None;
            run.blocked = None;
            run.stall_count = 0;
            return Ok(Redriven::Freed);
        }
        let status = run.status;
        let key = ("redrive".to_owned(), id.uuid().to_string());
        let unique = self.clauses.idempotency_key_unique;
        let before = self.keys.get(&key).and_then(|row| row.run_id);
        if let Some(before) = before.filter(|_| unique || status != RunStatus::Failed) {
            return Ok(Redriven::Again {
                run_id: before,
                before: before != fresh,
            });
        }
        if status != RunStatus::Failed {
            let status = status.as_str().to_owned();
            return Ok(Redriven::Nothing { status });
        }
        if self.runs.contains_key(&fresh) {
            return Err(conflict("runs_pkey"));
        }
        let row = Key {
            run_id: Some(fresh),
            expires_at: i64::MAX,
        };
        self.keys.insert(key, row);
        self.begin_again(now, id, fresh);
        Ok(Redriven::Again {
            run_id: fresh,
            before: false,
        })
    }

    /// Owes a delivery that was given up once more.
    pub fn redrive_delivery(
        &mut self,
        now: i64,
        agent_id: &str,
        id: DeliveryId,
        fresh: DeliveryId,
    ) -> Result<Redriven, PortError> {
        let ours = |delivery: &&Delivery| {
            self.runs
                .get(&delivery.run_id)
                .is_some_and(|run| run.agent_id == agent_id)
        };
        let Some(old) = self.deliveries.get(&id).filter(ours).cloned() else {
            return Ok(Redriven::Unknown);
        };
        let key = format!("redrive:{}", id.uuid());
        let failed = old.status == DeliveryStatus::Failed;
        let unique = self.clauses.delivery_key_unique;
        let before = self.delivery_of.get(&key).filter(|_| unique || !failed);
        if let Some(before) = before {
            return Ok(Redriven::Owed {
                delivery_id: *before,
                before: *before != fresh,
            });
        }
        if !failed {
            let status = old.status.as_str().to_owned();
            return Ok(Redriven::Nothing { status });
        }
        if self.deliveries.contains_key(&fresh) {
            return Err(conflict("deliveries_pkey"));
        }
        self.delivery_of.insert(key.clone(), fresh);
        let run_id = old.run_id;
        let delivery = Delivery {
            key,
            status: DeliveryStatus::Pending,
            reason: None,
            lease: None,
            attempt_count: 0,
            next_attempt_at: Some(now),
            last_error: None,
            ..old
        };
        self.deliveries.insert(fresh, delivery);
        if let Some(run) = self.runs.get_mut(&run_id) {
            let payload = json!({"from": id, "delivery": fresh});
            run.log(Event::new(event::DELIVERY_REDRIVEN, payload), now);
        }
        Ok(Redriven::Owed {
            delivery_id: fresh,
            before: false,
        })
    }
}
