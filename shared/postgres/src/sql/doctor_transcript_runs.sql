-- Runs whose transcript is assembled: those still open, newest first, and those that ended within a
-- day. Called by: doctor. Locks: none. Rows: at most $2. Reads: the newest of runs_by_age.
SELECT id, finished_at IS NULL AS open
FROM (
    SELECT id, finished_at, created_at
    FROM openeve.runs
    WHERE $1::text IS NULL OR agent_id = $1
    ORDER BY created_at DESC
    LIMIT $3) AS looked
WHERE finished_at IS NULL OR finished_at > clock_timestamp() - INTERVAL '1 day'
ORDER BY finished_at IS NULL DESC, created_at DESC
LIMIT $2
