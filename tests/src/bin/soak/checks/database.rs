//! What the database alone proves: each rule is a query whose rows break it.

use tokio_postgres::Client;

use crate::plan::Message;
use crate::report::Report;

/// The events that settle a call.
const SETTLED: &str = "('tool.execution_succeeded', 'tool.execution_failed', \
                        'tool.execution_interrupted', 'tool.cancelled')";

/// Rule and query; each row is one text of evidence.
pub(super) fn all() -> Vec<(&'static str, String)> {
    let mut rules: Vec<(&'static str, String)> = RULES
        .iter()
        .map(|(rule, sql)| (*rule, (*sql).to_owned()))
        .collect();
    rules.push((
        "I6 a settled call has exactly one outcome event",
        format!(
            "SELECT format('call %s of run %s is %s and has %s', c.id, c.run_id, c.status, count(e.seq)) \
             FROM openeve.tool_calls c LEFT JOIN openeve.run_events e ON e.run_id = c.run_id \
             AND e.kind IN {SETTLED} AND e.payload ->> 'call' = 'call_' || replace(c.id::text, '-', '') \
             GROUP BY c.id, c.run_id, c.status HAVING count(e.seq) <> 1"
        ),
    ));
    rules
}

const RULES: &[(&str, &str)] = &[
    (
        "I4 every run ended",
        "SELECT format('run %s is %s', id, status) FROM openeve.runs WHERE finished_at IS NULL",
    ),
    (
        "a run failed for another reason than its crashes",
        "SELECT format('run %s: %s: %s', id, failure_code, failure_message) FROM openeve.runs \
         WHERE status = 'failed' AND failure_code <> 'stalled'",
    ),
    (
        "I5 a run has exactly one terminal event",
        "SELECT format('run %s is %s and has %s', r.id, r.status, count(e.seq)) FROM openeve.runs r \
         LEFT JOIN openeve.run_events e ON e.run_id = r.id \
         AND e.kind IN ('run.completed', 'run.failed', 'run.cancelled') \
         GROUP BY r.id, r.status HAVING count(e.seq) <> 1",
    ),
    (
        "I3 event numbers are dense",
        "SELECT format('run %s counts %s events, has %s, from %s to %s', r.id, r.event_seq, \
         count(e.seq), min(e.seq), max(e.seq)) \
         FROM openeve.runs r LEFT JOIN openeve.run_events e ON e.run_id = r.id GROUP BY r.id \
         HAVING count(e.seq) <> r.event_seq OR max(e.seq) <> r.event_seq OR min(e.seq) <> 1",
    ),
    (
        "I15 usage on the run equals the sum of its records",
        "SELECT format('run %s: %s and %s', r.id, (r.input_tokens, r.cached_tokens, r.output_tokens, \
         r.reasoning_tokens, r.cost_micros), u.sums) FROM openeve.runs r LEFT JOIN LATERAL ( \
         SELECT (coalesce(sum(input_tokens), 0)::bigint, coalesce(sum(cached_tokens), 0)::bigint, \
         coalesce(sum(output_tokens), 0)::bigint, coalesce(sum(reasoning_tokens), 0)::bigint, \
         coalesce(sum(cost_micros), 0)::bigint) AS sums FROM openeve.usage_records WHERE run_id = r.id) u ON true \
         WHERE (r.input_tokens, r.cached_tokens, r.output_tokens, r.reasoning_tokens, r.cost_micros)::text \
         <> u.sums::text",
    ),
    (
        "I9 a completed run has exactly one final obligation, and another none",
        "SELECT format('run %s is %s and has %s', r.id, r.status, count(d.id)) FROM openeve.runs r \
         LEFT JOIN openeve.deliveries d ON d.run_id = r.id AND d.key LIKE 'final:%' GROUP BY r.id, r.status \
         HAVING count(d.id) <> CASE WHEN r.status = 'completed' THEN 1 ELSE 0 END",
    ),
    (
        "I5 only its delivery goes on after a run's end",
        "SELECT format('run %s: %s', e.run_id, string_agg(e.seq || ' ' || e.kind, ', ' ORDER BY e.seq)) \
         FROM openeve.run_events e JOIN (SELECT run_id, min(seq) AS seq FROM openeve.run_events \
         WHERE kind IN ('run.completed', 'run.failed', 'run.cancelled') GROUP BY run_id) ending \
         ON ending.run_id = e.run_id AND e.seq > ending.seq \
         WHERE e.kind NOT LIKE 'delivery.%' GROUP BY e.run_id",
    ),
    (
        "a crash is recovered once",
        "SELECT format('run %s, epoch %s: %s times', run_id, payload ->> 'epoch', count(*)) \
         FROM openeve.run_events WHERE kind = 'run.recovery_claimed' \
         GROUP BY run_id, payload ->> 'epoch' HAVING count(*) > 1",
    ),
    (
        "positions of a conversation are dense",
        "SELECT format('run %s is last of %s at %s', max(id::text), count(*), max(position)) \
         FROM openeve.runs GROUP BY conversation_id \
         HAVING count(*) <> max(position) OR min(position) <> 1",
    ),
    (
        "I9 every obligation was sent",
        "SELECT format('delivery %s of run %s is %s after %s attempts: %s', id, run_id, status, attempt_count, \
         last_error) FROM openeve.deliveries WHERE status <> 'sent'",
    ),
    (
        "I9 a completed run was delivered by exactly one recorded send",
        "SELECT format('run %s has %s', r.id, count(e.seq)) FROM openeve.runs r \
         LEFT JOIN openeve.run_events e ON e.run_id = r.id AND e.kind = 'delivery.sent' \
         WHERE r.status = 'completed' GROUP BY r.id HAVING count(e.seq) <> 1",
    ),
    (
        "I2 nothing that ended is leased",
        "SELECT format('run %s', id) FROM openeve.runs WHERE lease_token IS NOT NULL AND finished_at IS NOT NULL \
         UNION ALL SELECT format('delivery %s', id) FROM openeve.deliveries \
         WHERE lease_token IS NOT NULL AND settled_at IS NOT NULL",
    ),
    (
        "I8 an unsafe call is started at most once",
        "SELECT format('call %s of run %s was started %s times', c.id, c.run_id, count(*)) \
         FROM openeve.tool_calls c JOIN openeve.run_events e ON e.run_id = c.run_id \
         AND e.kind = 'tool.execution_started' \
         AND e.payload ->> 'call' = 'call_' || replace(c.id::text, '-', '') \
         WHERE c.side_effects = 'unsafe' GROUP BY c.id, c.run_id HAVING count(*) > 1",
    ),
    (
        "I6 every call is settled",
        "SELECT format('call %s of run %s is %s', id, run_id, status) FROM openeve.tool_calls \
         WHERE settled_at IS NULL",
    ),
    (
        "a tool failed",
        "SELECT format('call %s of run %s: %s', id, run_id, result) FROM openeve.tool_calls \
         WHERE status = 'failed'",
    ),
    (
        "I13 a completed run has one question and one answer",
        "SELECT format('run %s has %s and %s', r.id, count(*) FILTER (WHERE m.kind = 'user'), \
         count(*) FILTER (WHERE m.kind = 'answer')) FROM openeve.runs r \
         LEFT JOIN openeve.messages m ON m.run_id = r.id WHERE r.status = 'completed' GROUP BY r.id \
         HAVING count(*) FILTER (WHERE m.kind = 'user') <> 1 OR count(*) FILTER (WHERE m.kind = 'answer') <> 1",
    ),
    (
        "I11 runs of one conversation neither overlap nor overtake",
        "WITH work AS (SELECT r.conversation_id, r.position, r.id, min(e.created_at) AS begun, \
         max(e.created_at) AS ended FROM openeve.runs r JOIN openeve.run_events e ON e.run_id = r.id \
         AND e.kind <> 'run.created' AND e.kind NOT LIKE 'delivery.%' GROUP BY r.id), \
         pairs AS (SELECT id, begun, lag(id) OVER w AS ahead, lag(ended) OVER w AS ended FROM work \
         WINDOW w AS (PARTITION BY conversation_id ORDER BY position)) \
         SELECT format('run %s begins at %s, run %s ahead of it ends at %s', id, begun, ahead, ended) \
         FROM pairs WHERE begun < ended",
    ),
];

/// Holds every rule against the database.
pub(super) async fn rules(client: &Client, report: &mut Report) {
    for (rule, sql) in all() {
        match client.query(sql.as_str(), &[]).await {
            Ok(rows) => {
                for row in rows {
                    report.violation(rule, row.get(0));
                }
            }
            Err(error) => {
                report.violation("a rule could not be checked", format!("{rule}: {error:?}"));
            }
        }
    }
}

/// A run's events, in order.
pub(super) async fn story(client: &Client, run: &str) -> Vec<String> {
    let sql = "SELECT format('  %s %s %s %s', to_char(created_at, 'HH24:MI:SS.MS'), seq, kind, \
               left(payload::text, 160)) FROM openeve.run_events \
               WHERE 'run_' || replace(run_id::text, '-', '') = $1 ORDER BY seq LIMIT 100";
    let rows = client.query(sql, &[&run]).await.unwrap_or_default();
    rows.iter().map(|row| row.get(0)).collect()
}

/// A run, with the message that it answers.
#[derive(Debug, Clone)]
pub(crate) struct RunRow {
    /// As the protocol prints it.
    pub(crate) id: String,
    /// The number in its text.
    pub(crate) message: Option<u64>,
    pub(crate) status: String,
    pub(crate) failure: Option<String>,
    pub(crate) conversation: String,
    pub(crate) position: i64,
    /// From its acceptance to its end; none if it has not ended.
    pub(crate) took_ms: Option<f64>,
    pub(crate) steps: i32,
}

/// A call.
#[derive(Debug, Clone)]
pub(crate) struct CallRow {
    /// As the protocol prints it.
    pub(crate) id: String,
    pub(crate) run: String,
    pub(crate) status: String,
    pub(crate) is_unsafe: bool,
}

/// What the other checks need of the database.
pub(crate) struct Facts {
    pub(crate) runs: Vec<RunRow>,
    pub(crate) calls: Vec<CallRow>,
    /// Run by the caller's delivery id.
    pub(crate) keys: Vec<(String, String)>,
}

impl Facts {
    /// Reads them.
    pub(crate) async fn read(client: &Client) -> Self {
        let runs = "SELECT 'run_' || replace(r.id::text, '-', ''), m.body, r.status, r.failure_code, \
                    c.external_key, r.position, \
                    (extract(epoch FROM r.finished_at - r.created_at) * 1000)::float8, r.step_count \
                    FROM openeve.runs r JOIN openeve.conversations c ON c.id = r.conversation_id \
                    LEFT JOIN openeve.messages m ON m.run_id = r.id AND m.kind = 'user'";
        let runs = client.query(runs, &[]).await.expect("runs are readable");
        let calls = "SELECT 'call_' || replace(id::text, '-', ''), 'run_' || replace(run_id::text, '-', ''), \
                     status, side_effects = 'unsafe' FROM openeve.tool_calls";
        let calls = client.query(calls, &[]).await.expect("calls are readable");
        let keys = "SELECT key, 'run_' || replace(run_id::text, '-', '') FROM openeve.idempotency_keys \
                    WHERE scope LIKE 'channel:%'";
        let keys = client.query(keys, &[]).await.expect("keys are readable");
        let run = |row: &tokio_postgres::Row| RunRow {
            id: row.get(0),
            message: row
                .get::<_, Option<&str>>(1)
                .and_then(Message::read)
                .map(|(number, _)| number),
            status: row.get(2),
            failure: row.get(3),
            conversation: row.get(4),
            position: row.get(5),
            took_ms: row.get(6),
            steps: row.get(7),
        };
        let call = |row: &tokio_postgres::Row| CallRow {
            id: row.get(0),
            run: row.get(1),
            status: row.get(2),
            is_unsafe: row.get(3),
        };
        Self {
            runs: runs.iter().map(run).collect(),
            calls: calls.iter().map(call).collect(),
            keys: keys.iter().map(|row| (row.get(0), row.get(1))).collect(),
        }
    }
}
