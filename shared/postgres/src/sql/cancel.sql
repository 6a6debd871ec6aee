-- Asks for a run to end. One that nobody has begun ends at once; any other is flagged, and its step
-- ends it. Called by: ingress and the command line. Locks: one run. Rows: one, or none when the run
-- is unknown or has ended. Whether it was asked for before is read under the lock: a wish that
-- waited for another must see it.
WITH run AS (
    SELECT id, status = 'created' AND lease_token IS NULL AS unbegun,
        cancel_requested_at IS NULL AS fresh
    FROM openeve.runs
    WHERE id = $1 AND agent_id = $2 AND finished_at IS NULL
    FOR UPDATE
), cancelled AS (
    UPDATE openeve.runs AS r
    SET status = CASE WHEN run.unbegun THEN 'cancelled' ELSE r.status END,
        finished_at = CASE WHEN run.unbegun THEN clock_timestamp() END,
        not_before = NULL,
        cancel_requested_at = coalesce(r.cancel_requested_at, clock_timestamp()),
        event_seq = r.event_seq + CASE WHEN run.unbegun OR run.fresh THEN 1 ELSE 0 END
    FROM run
    WHERE r.id = run.id
    RETURNING r.id, r.event_seq, run.unbegun, run.fresh
), event AS (
    INSERT INTO openeve.run_events (run_id, seq, kind, payload)
    SELECT c.id, c.event_seq,
        CASE WHEN c.unbegun THEN 'run.cancelled' ELSE 'run.cancel_requested' END,
        jsonb_build_object('by', $3::text)
    FROM cancelled AS c
    WHERE c.unbegun OR c.fresh
)
SELECT unbegun,
    (SELECT next.id
        FROM openeve.runs AS own
        JOIN openeve.runs AS next
            ON next.conversation_id = own.conversation_id AND next.id <> own.id
                AND next.status IN ('created', 'running') AND next.blocked_code IS NULL
        WHERE own.id = cancelled.id
        ORDER BY next.position
        LIMIT 1) AS next_run
FROM cancelled
