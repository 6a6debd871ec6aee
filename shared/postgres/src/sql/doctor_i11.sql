-- I11: runs of one conversation execute in arrival order, never two at once.
-- Proves: a conversation has one lease at most; nothing of a run happened before those that arrived
-- before it had ended, waited or been set aside.
-- Excuses: a second between two times, since a database's clock may be set back.
-- Reads: leased runs by runs_one_lease_per_conversation; the newest runs by runs_by_age, their
-- events by primary key.
-- Called by: doctor. Locks: none. Rows: at most $3.
WITH looked AS MATERIALIZED (
    SELECT id, conversation_id, position, finished_at
    FROM openeve.runs
    WHERE $1::text IS NULL OR agent_id = $1
    ORDER BY created_at DESC
    LIMIT $2
), course AS (
    SELECT run.id, run.conversation_id, run.position, log.begun,
        coalesce(least(log.stopped, run.finished_at), 'infinity') AS freed
    FROM looked AS run
    CROSS JOIN LATERAL (
        SELECT min(e.created_at) FILTER (
                WHERE e.kind IN ('model.responded', 'run.recovery_claimed', 'run.chained',
                    'run.parked', 'run.waiting', 'run.completed', 'run.failed')) AS begun,
            min(e.created_at) FILTER (
                WHERE e.kind IN ('run.waiting', 'run.blocked')) AS stopped
        FROM openeve.run_events AS e
        WHERE e.run_id = run.id
    ) AS log
), ordered AS (
    SELECT id, begun,
        max(freed) OVER (
            PARTITION BY conversation_id ORDER BY position
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS ahead_freed
    FROM course
)
(SELECT 'conv_' || replace(conversation_id::text, '-', '') AS id,
    format('%s of its runs hold a lease', count(*)) AS detail
FROM openeve.runs
WHERE lease_token IS NOT NULL AND ($1::text IS NULL OR agent_id = $1)
GROUP BY conversation_id
HAVING count(*) > 1
LIMIT $3)
UNION ALL
(SELECT 'run_' || replace(id::text, '-', ''),
    format('began at %s, and those before it were done at %s', begun, ahead_freed)
FROM ordered
WHERE begun < ahead_freed - INTERVAL '1 second'
LIMIT $3)
LIMIT $3
