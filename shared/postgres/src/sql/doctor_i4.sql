-- I4: every acknowledged run reaches a terminal or waiting status.
-- Proves: a run that waits has a pause that can wake it, and no run is open longer than its bound
-- on wall time with room for a batch that begins just before it.
-- Excuses: runs that a step holds now, that a provider asked to wait, that wait behind another of
-- their conversation (that one is listed), that were set aside (the ages show them); a run that is
-- asked to end needs no pause.
-- Reads: waiting ones among the newest runs by runs_by_age, their pauses by primary key; open ones
-- by runs_unfinished.
-- Called by: doctor. Locks: none. Rows: at most $3.
WITH looked AS MATERIALIZED (
    SELECT id, status, cancel_requested_at
    FROM openeve.runs
    WHERE $1::text IS NULL OR agent_id = $1
    ORDER BY created_at DESC
    LIMIT $2
)
(SELECT 'run_' || replace(run.id::text, '-', '') AS id,
    format('is %s and none of its pauses is pending', run.status) AS detail
FROM looked AS run
WHERE run.status IN ('waiting_approval', 'waiting_input', 'waiting_authorization')
    AND run.cancel_requested_at IS NULL
    AND NOT EXISTS (
        SELECT FROM openeve.pauses AS p WHERE p.run_id = run.id AND p.status = 'pending')
LIMIT $3)
UNION ALL
(SELECT 'run_' || replace(run.id::text, '-', ''),
    format('is %s and has been under way since %s', run.status, run.wall_from)
FROM openeve.runs AS run
WHERE run.status IN ('created', 'running')
    AND ($1::text IS NULL OR run.agent_id = $1)
    AND run.wall_from < clock_timestamp() - $4 * INTERVAL '1 millisecond'
    AND (run.lease_token IS NULL OR run.lease_expires_at < clock_timestamp())
    AND coalesce(run.not_before, '-infinity') <= clock_timestamp()
    AND run.blocked_code IS NULL
    AND (run.lease_token IS NOT NULL OR NOT EXISTS (
        SELECT FROM openeve.runs AS ahead
        WHERE ahead.conversation_id = run.conversation_id
            AND ahead.position < run.position
            AND ahead.status IN ('created', 'running')
            AND ahead.blocked_code IS NULL))
LIMIT $3)
LIMIT $3
