-- Whether a run needs a bell now, by the same words as due.sql, without its grace. Called by: whoever
-- goes through dead letters. Locks: none. Rows: one, or none when the run is unknown.
SELECT run.finished_at IS NULL
        AND (run.status IN ('created', 'running') OR run.cancel_requested_at IS NOT NULL) AS open,
    (run.lease_token IS NULL OR run.lease_expires_at < clock_timestamp())
        AND coalesce(run.not_before, '-infinity') <= clock_timestamp()
        AND (run.lease_token IS NOT NULL OR NOT EXISTS (
            SELECT FROM openeve.runs AS ahead
            WHERE ahead.conversation_id = run.conversation_id
                AND ahead.position < run.position
                AND ahead.status IN ('created', 'running')
                AND ahead.blocked_code IS NULL)) AS due,
    coalesce(nullif(c.tenant, ''), c.id::text) AS tenant
FROM openeve.runs AS run
JOIN openeve.conversations AS c ON c.id = run.conversation_id
WHERE run.id = $1 AND run.agent_id = $2
