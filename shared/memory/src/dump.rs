//! Every row as plain data.

use openeve_domain::ids::RunId;

use crate::snapshot::{
    CallRow, CheckpointRow, DeliveryRow, EventRow, KeyRow, MessageRow, OccurrenceRow, PauseRow,
    RunRow, Snapshot, UsageRow,
};
use crate::tables::{Run, Tables};

impl Tables {
    /// All of it, in a fixed order.
    pub fn snapshot(&self) -> Snapshot {
        let mut all = Snapshot::default();
        for (id, run) in &self.runs {
            all.runs.push(run_row(*id, run));
            rows_of(*id, run, &mut all);
        }
        all.deliveries = self
            .deliveries
            .iter()
            .map(|(id, delivery)| DeliveryRow {
                id: *id,
                key: delivery.key.clone(),
                run_id: delivery.run_id,
                status: delivery.status,
                reason: delivery.reason.map(str::to_owned),
                attempt_count: count(delivery.attempt_count),
                parts_sent: delivery.parts_sent.into(),
                provider_ids: delivery.provider_ids.clone(),
                next_attempt_at: delivery.next_attempt_at,
                lease_expires_at: delivery.lease.map(|held| held.until),
                last_error: delivery.last_error.clone(),
            })
            .collect();
        let keys = self.keys.iter().map(|((scope, key), row)| KeyRow {
            scope: scope.clone(),
            key: key.clone(),
            run_id: row.run_id,
            expires_at: (row.expires_at < i64::MAX).then_some(row.expires_at),
        });
        all.keys = keys.collect();
        let fires = self.occurrences.iter();
        let fires = fires.map(|((_, schedule, at), run_id)| OccurrenceRow {
            schedule: schedule.clone(),
            at: at.div_euclid(1_000),
            run_id: *run_id,
        });
        all.occurrences = fires.collect();
        let place = |row: &OccurrenceRow| (row.schedule.clone(), row.at, row.run_id);
        all.occurrences.sort_by_key(place);
        all
    }
}

fn run_row(id: RunId, run: &Run) -> RunRow {
    RunRow {
        id,
        conversation_id: run.conversation_id,
        position: run.position,
        trigger: run.trigger.to_owned(),
        status: run.status,
        epoch: run.epoch,
        leased: run.lease.is_some(),
        lease_expires_at: run.lease.map(|held| held.until),
        not_before: run.not_before,
        commit_count: count(run.commit_count),
        step_count: count(run.step_count),
        stall_count: count(run.stall_count),
        resume_count: count(run.resume_count),
        model_failure_count: run.model_failures.into(),
        event_seq: run.event_seq,
        cancel_requested: run.cancel_requested_at.is_some(),
        failure_code: run.failure.as_ref().map(|(code, _)| code.clone()),
        blocked_code: run.blocked.as_ref().map(|(code, _)| code.clone()),
        usage: run.usage,
        wall_from: run.wall_from,
        updated_at: run.updated_at,
        finished_at: run.finished_at,
    }
}

fn rows_of(run_id: RunId, run: &Run, all: &mut Snapshot) {
    let mut events: Vec<_> = run.events.iter().collect();
    events.sort_by_key(|(seq, ..)| *seq);
    all.events
        .extend(events.into_iter().map(|(seq, event, at)| EventRow {
            run_id,
            seq: *seq,
            kind: event.kind.clone(),
            payload: event.payload.clone(),
            at: *at,
        }));
    let mut calls: Vec<_> = run.calls.iter().collect();
    calls.sort_by_key(|call| (call.call.entry_seq, call.call.ordinal));
    all.calls.extend(calls.into_iter().map(|call| CallRow {
        id: call.call.id,
        run_id,
        entry_seq: call.call.entry_seq.into(),
        ordinal: call.call.ordinal.into(),
        name: call.call.name.clone(),
        side_effects: call.call.side_effects,
        gated: call.call.gate.is_some(),
        status: call.call.status,
        started: call.started,
        model_output: (!call.call.model_output.is_empty()).then(|| call.call.model_output.clone()),
    }));
    let mut pauses: Vec<_> = run.pauses.iter().collect();
    pauses.sort_by_key(|pause| (pause.call_id, pause.generation));
    all.pauses.extend(pauses.into_iter().map(|pause| PauseRow {
        run_id,
        call_id: pause.call_id,
        generation: pause.generation.into(),
        kind: pause.request.kind,
        status: pause.status,
        decision: pause.decision.clone(),
        decided_by: pause.decided_by.clone(),
        expires_at: pause.expires_at,
    }));
    let usage = run
        .usage_rows
        .iter()
        .enumerate()
        .map(|(at, usage)| UsageRow {
            run_id,
            seq: i64::try_from(at + 1).unwrap_or(0),
            usage: *usage,
        });
    all.usage.extend(usage);
    let messages = run.entries.iter().map(|entry| MessageRow {
        run_id,
        seq: entry.seq.into(),
        kind: entry.kind.as_str().to_owned(),
        body: entry.text.clone(),
    });
    all.messages.extend(messages);
    let checkpoints = run.checkpoints.iter().map(|checkpoint| CheckpointRow {
        run_id,
        seq: checkpoint.seq.into(),
        body: checkpoint.body.clone(),
    });
    all.checkpoints.extend(checkpoints);
}

fn count(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
