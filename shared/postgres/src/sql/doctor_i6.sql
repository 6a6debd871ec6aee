-- I6: a tool call has at most one outcome, and no outcome without a start (cancelled, skipped and
-- rejected excepted).
-- Proves: the log tells of one outcome for a call that is settled and of none for any other, of a
-- start before an outcome that needs one, and of no call that is not recorded.
-- Excuses: nothing; an outcome and its event are one commit.
-- Reads: the newest runs by runs_by_age, their calls by index and their events by primary key.
-- Called by: doctor. Locks: none. Rows: at most $3.
WITH looked AS MATERIALIZED (
    SELECT id
    FROM openeve.runs
    WHERE $1::text IS NULL OR agent_id = $1
    ORDER BY created_at DESC
    LIMIT $2
), call AS (
    SELECT c.run_id, 'call_' || replace(c.id::text, '-', '') AS id, c.status,
        (c.status NOT IN ('requested', 'awaiting_approval', 'started'))::integer AS settled
    FROM looked AS run
    JOIN openeve.tool_calls AS c ON c.run_id = run.id
), log AS (
    SELECT e.run_id, e.payload ->> 'call' AS id,
        count(*) FILTER (WHERE e.kind <> 'tool.execution_started') AS outcomes,
        min(e.seq) FILTER (WHERE e.kind = 'tool.execution_started') AS started,
        min(e.seq) FILTER (
            WHERE e.kind IN ('tool.execution_succeeded', 'tool.execution_failed',
                'tool.execution_interrupted')) AS ran
    FROM looked AS run
    JOIN openeve.run_events AS e ON e.run_id = run.id
    WHERE e.kind IN ('tool.execution_started', 'tool.execution_succeeded', 'tool.execution_failed',
        'tool.execution_interrupted', 'tool.cancelled', 'tool.skipped', 'tool.rejected')
    GROUP BY e.run_id, e.payload ->> 'call'
)
SELECT coalesce(call.id, log.id, 'a call without an id') AS id,
    CASE
        WHEN call.id IS NULL THEN format('is in the log of run_%s and is not recorded',
            replace(log.run_id::text, '-', ''))
        WHEN coalesce(log.outcomes, 0) <> call.settled THEN
            format('is %s and its log tells of %s outcomes', call.status, coalesce(log.outcomes, 0))
        ELSE format('has an outcome (event %s) before any start', log.ran) END AS detail
FROM call
FULL JOIN log ON log.run_id = call.run_id AND log.id = call.id
WHERE call.id IS NULL
    OR coalesce(log.outcomes, 0) <> call.settled
    OR (log.ran IS NOT NULL AND (log.started IS NULL OR log.started > log.ran))
LIMIT $3
