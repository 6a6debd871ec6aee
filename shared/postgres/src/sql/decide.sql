-- Decides one pause, once, and lets the run go on if nothing else of it waits. A run that still
-- runs, because other calls of its batch do, stays as it is.
-- Called by: ingress, the command line and tick. Locks: one run, then one pause. Rows: one each, or
-- none when the pause has ended or is unknown.
WITH run AS (
    SELECT id FROM openeve.runs
    WHERE id = $1 AND finished_at IS NULL
    FOR UPDATE
), decided AS (
    UPDATE openeve.pauses AS p
    SET status = $4,
        decision = $5,
        decided_by = $6,
        decided_at = clock_timestamp()
    FROM run
    WHERE p.run_id = run.id AND p.tool_call_id = $2 AND p.generation = $3 AND p.status = 'pending'
        AND ($4 <> 'expired' OR p.expires_at <= clock_timestamp())
    RETURNING p.run_id
), claimed AS (
    INSERT INTO openeve.idempotency_keys (scope, key, run_id, expires_at)
    SELECT 'resume', $2::text || ':' || $3::text, run_id, now() + INTERVAL '48 hours' FROM decided
    ON CONFLICT DO NOTHING
), resumed AS (
    UPDATE openeve.runs AS run
    SET status = CASE
            WHEN run.status IN ('waiting_approval', 'waiting_input', 'waiting_authorization')
                THEN openeve.status_while_pending(run.id, $2, $3)
            ELSE run.status END,
        event_seq = run.event_seq + 1,
        wall_from = clock_timestamp(),
        updated_at = CASE WHEN run.lease_token IS NULL THEN clock_timestamp() ELSE run.updated_at END
    FROM decided
    WHERE run.id = decided.run_id
    RETURNING run.id, run.event_seq, run.status, run.lease_token
), event AS (
    INSERT INTO openeve.run_events (run_id, seq, kind, payload)
    SELECT id, event_seq, $7, $8 FROM resumed
)
SELECT status = 'running' AND lease_token IS NULL AS resumes FROM resumed
