-- I5: a terminal status never changes.
-- Proves: the log of a run that has ended tells of that end, once; the log of any other of none;
-- behind the end nothing tells of work; what has ended holds no lease.
-- Excuses: nothing; the commit that ends a run writes its event.
-- Reads: the newest runs by runs_by_age, their events by primary key.
-- Called by: doctor. Locks: none. Rows: at most $3.
WITH looked AS MATERIALIZED (
    SELECT id, status, lease_token
    FROM openeve.runs
    WHERE $1::text IS NULL OR agent_id = $1
    ORDER BY created_at DESC
    LIMIT $2
), told AS (
    SELECT run.id, run.status, run.lease_token,
        CASE WHEN run.status IN ('completed', 'failed', 'cancelled')
            THEN ARRAY['run.' || run.status] ELSE '{}'::text[] END AS wanted,
        coalesce(log.ends, '{}') AS ends, log.ended, log.worked
    FROM looked AS run
    CROSS JOIN LATERAL (
        SELECT array_agg(e.kind ORDER BY e.seq) FILTER (
                WHERE e.kind IN ('run.completed', 'run.failed', 'run.cancelled')) AS ends,
            min(e.seq) FILTER (
                WHERE e.kind IN ('run.completed', 'run.failed', 'run.cancelled')) AS ended,
            max(e.seq) FILTER (
                WHERE e.kind IN ('model.responded', 'tool.execution_started', 'run.waiting',
                    'run.chained', 'run.parked', 'run.recovery_claimed')) AS worked
        FROM openeve.run_events AS e
        WHERE e.run_id = run.id
    ) AS log
)
SELECT 'run_' || replace(id::text, '-', '') AS id,
    CASE
        WHEN ends <> wanted THEN format('is %s, its log ends it %s times (%s)',
            status, cardinality(ends), array_to_string(ends, ', '))
        WHEN worked > ended THEN
            format('ended with event %s and was worked on with event %s', ended, worked)
        ELSE format('is %s and holds a lease', status) END AS detail
FROM told
WHERE ends <> wanted
    OR worked > ended
    OR (cardinality(wanted) > 0 AND lease_token IS NOT NULL)
LIMIT $3
