-- Rows of one agent whose bell should be rung. Called by: tick. Locks: none. Rows: at most $1 of
-- a kind.
(SELECT 'run' AS kind, run.id
FROM openeve.runs AS run
WHERE run.status IN ('created', 'running')
    AND run.agent_id = $3
    AND (run.lease_token IS NULL OR run.lease_expires_at < clock_timestamp())
    AND coalesce(run.not_before, '-infinity') <= clock_timestamp()
    AND run.updated_at < clock_timestamp() - $2 * INTERVAL '1 millisecond'
    AND NOT EXISTS (
        SELECT FROM openeve.runs AS ahead
        WHERE ahead.conversation_id = run.conversation_id
            AND ahead.position < run.position
            AND ahead.status IN ('created', 'running'))
ORDER BY run.updated_at
LIMIT $1)
UNION ALL
(SELECT 'delivery', d.id
FROM openeve.deliveries AS d
JOIN openeve.runs AS run ON run.id = d.run_id AND run.agent_id = $3
WHERE d.status IN ('pending', 'sending')
    AND coalesce(d.next_attempt_at, d.lease_expires_at)
        < clock_timestamp() - CASE WHEN d.attempt_count = 0 THEN $2 ELSE 0 END * INTERVAL '1 millisecond'
ORDER BY coalesce(d.next_attempt_at, d.lease_expires_at)
LIMIT $1)
