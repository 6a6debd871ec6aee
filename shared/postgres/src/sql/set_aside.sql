-- Sets a run aside that this build cannot read: released, visible, tried again later.
-- Called by: step, after a claim whose rows it could not read. Locks: one run. Rows: one, or none
-- when the lease is no longer ours. A clean release: no claim counts it as a crash.
WITH aside AS (
    UPDATE openeve.runs
    SET lease_token = NULL,
        lease_expires_at = NULL,
        not_before = clock_timestamp() + $5 * INTERVAL '1 millisecond',
        event_seq = event_seq + 1,
        blocked_code = $3,
        blocked_message = $4,
        updated_at = clock_timestamp()
    WHERE id = $1 AND lease_token = $2
    RETURNING id, event_seq
)
INSERT INTO openeve.run_events (run_id, seq, kind, payload)
SELECT id, event_seq, 'run.blocked', jsonb_build_object('code', $3::text, 'message', $4::text)
FROM aside
RETURNING run_id
