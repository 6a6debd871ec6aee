//! Every row of a Postgres store as plain data, in the words of the store in memory.
//!
//! Whoever checks invariants reads either store by the same structs. What the model reads of a call
//! is none when it is empty, and a key that never expires has no time.

use openeve_domain::ids::{ConversationId, DeliveryId, RunId, ToolCallId};
use openeve_domain::pause::{PauseKind, PauseStatus};
use openeve_domain::status::{DeliveryStatus, RunStatus, SideEffects, ToolCallStatus};
use openeve_domain::usage::Usage;
use openeve_memory::snapshot::{
    CallRow, CheckpointRow, DeliveryRow, EventRow, KeyRow, MessageRow, OccurrenceRow, PauseRow,
    RunRow, Snapshot, UsageRow,
};
use serde_json::Value;
use tokio_postgres::{Client, Row};
use uuid::Uuid;

/// The database's clock, in milliseconds since the epoch.
pub async fn now(client: &Client) -> i64 {
    let sql = "SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::int8";
    client.query_one(sql, &[]).await.unwrap().get(0)
}

/// Every row, as of one moment.
pub async fn read(client: &Client) -> Snapshot {
    let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
    client.batch_execute(begin).await.unwrap();
    let mut all = Snapshot {
        runs: rows(client, RUNS, run).await,
        events: rows(client, EVENTS, event).await,
        calls: rows(client, CALLS, call).await,
        pauses: rows(client, PAUSES, pause).await,
        deliveries: rows(client, DELIVERIES, delivery).await,
        keys: rows(client, KEYS, key).await,
        usage: rows(client, USAGE, usage).await,
        messages: rows(client, MESSAGES, message).await,
        checkpoints: rows(client, CHECKPOINTS, checkpoint).await,
        occurrences: rows(client, OCCURRENCES, occurrence).await,
    };
    client.batch_execute("COMMIT").await.unwrap();
    // By bytes, whatever the database's collation is.
    all.keys
        .sort_by(|one, two| (&one.scope, &one.key).cmp(&(&two.scope, &two.key)));
    let place = |row: &OccurrenceRow| (row.schedule.clone(), row.at, row.run_id);
    all.occurrences.sort_by_key(place);
    all
}

async fn rows<T>(client: &Client, sql: &str, of: fn(&Row) -> T) -> Vec<T> {
    let rows = client.query(sql, &[]).await.unwrap();
    rows.iter().map(of).collect()
}

const RUNS: &str = "
    SELECT id, conversation_id, position, trigger, status, epoch, lease_token IS NOT NULL AS leased,
        floor(extract(epoch FROM lease_expires_at) * 1000)::int8 AS lease_expires_at,
        floor(extract(epoch FROM not_before) * 1000)::int8 AS not_before,
        commit_count, step_count::int8, stall_count::int8, resume_count::int8,
        model_failure_count::int8, event_seq, cancel_requested_at IS NOT NULL AS cancel_requested,
        failure_code, blocked_code, input_tokens, cached_tokens, output_tokens, reasoning_tokens,
        cost_micros, floor(extract(epoch FROM wall_from) * 1000)::int8 AS wall_from,
        floor(extract(epoch FROM updated_at) * 1000)::int8 AS updated_at,
        floor(extract(epoch FROM finished_at) * 1000)::int8 AS finished_at
    FROM openeve.runs ORDER BY id";

fn run(row: &Row) -> RunRow {
    RunRow {
        id: RunId::new(row.get("id")),
        conversation_id: ConversationId::new(row.get("conversation_id")),
        position: row.get("position"),
        trigger: row.get("trigger"),
        status: RunStatus::parse(row.get("status")).unwrap(),
        epoch: row.get("epoch"),
        leased: row.get("leased"),
        lease_expires_at: row.get("lease_expires_at"),
        not_before: row.get("not_before"),
        commit_count: row.get("commit_count"),
        step_count: row.get("step_count"),
        stall_count: row.get("stall_count"),
        resume_count: row.get("resume_count"),
        model_failure_count: row.get("model_failure_count"),
        event_seq: row.get("event_seq"),
        cancel_requested: row.get("cancel_requested"),
        failure_code: row.get("failure_code"),
        blocked_code: row.get("blocked_code"),
        usage: spent(row),
        wall_from: row.get("wall_from"),
        updated_at: row.get("updated_at"),
        finished_at: row.get("finished_at"),
    }
}

const EVENTS: &str = "
    SELECT run_id, seq, kind, payload,
        floor(extract(epoch FROM created_at) * 1000)::int8 AS at
    FROM openeve.run_events ORDER BY run_id, seq";

fn event(row: &Row) -> EventRow {
    EventRow {
        run_id: RunId::new(row.get("run_id")),
        seq: row.get("seq"),
        kind: row.get("kind"),
        payload: row.get("payload"),
        at: row.get("at"),
    }
}

const CALLS: &str = "
    SELECT id, run_id, entry_seq::int8, ordinal::int8, name, side_effects, gate IS NOT NULL AS gated,
        status, started_at IS NOT NULL AS started, nullif(model_output, '') AS model_output
    FROM openeve.tool_calls ORDER BY run_id, entry_seq, ordinal";

fn call(row: &Row) -> CallRow {
    CallRow {
        id: ToolCallId::new(row.get("id")),
        run_id: RunId::new(row.get("run_id")),
        entry_seq: row.get("entry_seq"),
        ordinal: row.get("ordinal"),
        name: row.get("name"),
        side_effects: SideEffects::parse(row.get("side_effects")).unwrap(),
        gated: row.get("gated"),
        status: ToolCallStatus::parse(row.get("status")).unwrap(),
        started: row.get("started"),
        model_output: row.get("model_output"),
    }
}

const PAUSES: &str = "
    SELECT run_id, tool_call_id, generation::int8, kind, status, decision, decided_by,
        floor(extract(epoch FROM expires_at) * 1000)::int8 AS expires_at
    FROM openeve.pauses ORDER BY run_id, tool_call_id, generation";

fn pause(row: &Row) -> PauseRow {
    let decision: Option<Value> = row.get("decision");
    PauseRow {
        run_id: RunId::new(row.get("run_id")),
        call_id: ToolCallId::new(row.get("tool_call_id")),
        generation: row.get("generation"),
        kind: PauseKind::parse(row.get("kind")).unwrap(),
        status: PauseStatus::parse(row.get("status")).unwrap(),
        decision: decision.map(|value| serde_json::from_value(value).unwrap()),
        decided_by: row.get("decided_by"),
        expires_at: row.get("expires_at"),
    }
}

const DELIVERIES: &str = "
    SELECT id, key, run_id, status, reason, attempt_count::int8, parts_sent::int8, provider_ids,
        floor(extract(epoch FROM next_attempt_at) * 1000)::int8 AS next_attempt_at,
        floor(extract(epoch FROM lease_expires_at) * 1000)::int8 AS lease_expires_at, last_error
    FROM openeve.deliveries ORDER BY id";

fn delivery(row: &Row) -> DeliveryRow {
    DeliveryRow {
        id: DeliveryId::new(row.get("id")),
        key: row.get("key"),
        run_id: RunId::new(row.get("run_id")),
        status: DeliveryStatus::parse(row.get("status")).unwrap(),
        reason: row.get("reason"),
        attempt_count: row.get("attempt_count"),
        parts_sent: row.get("parts_sent"),
        provider_ids: serde_json::from_value(row.get("provider_ids")).unwrap(),
        next_attempt_at: row.get("next_attempt_at"),
        lease_expires_at: row.get("lease_expires_at"),
        last_error: row.get("last_error"),
    }
}

const KEYS: &str = "
    SELECT scope, key, run_id,
        CASE WHEN isfinite(expires_at)
            THEN floor(extract(epoch FROM expires_at) * 1000)::int8 END AS expires_at
    FROM openeve.idempotency_keys";

fn key(row: &Row) -> KeyRow {
    KeyRow {
        scope: row.get("scope"),
        key: row.get("key"),
        run_id: row.get::<_, Option<Uuid>>("run_id").map(RunId::new),
        expires_at: row.get("expires_at"),
    }
}

const USAGE: &str = "
    SELECT run_id, seq::int8, input_tokens, cached_tokens, output_tokens, reasoning_tokens,
        cost_micros
    FROM openeve.usage_records ORDER BY run_id, seq";

fn usage(row: &Row) -> UsageRow {
    UsageRow {
        run_id: RunId::new(row.get("run_id")),
        seq: row.get("seq"),
        usage: spent(row),
    }
}

const MESSAGES: &str = "
    SELECT run_id, seq::int8, kind, body FROM openeve.messages ORDER BY run_id, seq";

fn message(row: &Row) -> MessageRow {
    MessageRow {
        run_id: RunId::new(row.get("run_id")),
        seq: row.get("seq"),
        kind: row.get("kind"),
        body: row.get("body"),
    }
}

const CHECKPOINTS: &str = "
    SELECT run_id, seq::int8, body FROM openeve.checkpoints ORDER BY run_id, seq";

fn checkpoint(row: &Row) -> CheckpointRow {
    CheckpointRow {
        run_id: RunId::new(row.get("run_id")),
        seq: row.get("seq"),
        body: row.get("body"),
    }
}

const OCCURRENCES: &str = "
    SELECT schedule, floor(extract(epoch FROM occurrence_at) * 1000)::int8 AS at, run_id
    FROM openeve.schedule_runs";

fn occurrence(row: &Row) -> OccurrenceRow {
    OccurrenceRow {
        schedule: row.get("schedule"),
        at: row.get("at"),
        run_id: RunId::new(row.get("run_id")),
    }
}

fn spent(row: &Row) -> Usage {
    Usage {
        input_tokens: count(row, "input_tokens"),
        cached_tokens: count(row, "cached_tokens"),
        output_tokens: count(row, "output_tokens"),
        reasoning_tokens: count(row, "reasoning_tokens"),
        cost_micros: count(row, "cost_micros"),
    }
}

fn count(row: &Row, column: &str) -> u64 {
    u64::try_from(row.get::<_, i64>(column)).unwrap()
}
