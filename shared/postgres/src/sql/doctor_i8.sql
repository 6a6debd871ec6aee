-- I8: a non-idempotent tool that started is never started again by recovery.
-- Proves: in the log of an unsafe call every start but the first comes right behind a pause of the
-- call, which starts it again with the answer; none follows a start or an outcome.
-- Excuses: nothing; a start is one commit.
-- Reads: the newest runs by runs_by_age, their calls by index and their events by primary key.
-- Called by: doctor. Locks: none. Rows: at most $3.
WITH looked AS MATERIALIZED (
    SELECT id
    FROM openeve.runs
    WHERE $1::text IS NULL OR agent_id = $1
    ORDER BY created_at DESC
    LIMIT $2
), unsafe AS (
    SELECT c.run_id, 'call_' || replace(c.id::text, '-', '') AS id
    FROM looked AS run
    JOIN openeve.tool_calls AS c ON c.run_id = run.id
    WHERE c.side_effects = 'unsafe'
), log AS (
    SELECT e.run_id, e.payload ->> 'call' AS id, e.seq, e.kind,
        lag(e.kind) OVER (PARTITION BY e.run_id, e.payload ->> 'call' ORDER BY e.seq) AS before
    FROM looked AS run
    JOIN openeve.run_events AS e ON e.run_id = run.id
    WHERE e.kind IN ('tool.execution_started', 'pause.requested', 'tool.execution_succeeded',
        'tool.execution_failed', 'tool.execution_interrupted', 'tool.cancelled', 'tool.skipped',
        'tool.rejected')
)
SELECT unsafe.id, format('was started again (event %s) behind %s', log.seq, log.before) AS detail
FROM log
JOIN unsafe ON unsafe.run_id = log.run_id AND unsafe.id = log.id
WHERE log.kind = 'tool.execution_started' AND log.before <> 'pause.requested'
LIMIT $3
