-- Settles an attempt under its lease token and logs it, or raises OE001 and undoes all.
-- Called by: delivery. Locks: one run, then one delivery. Rows: one each.
WITH run AS (
    UPDATE openeve.runs SET event_seq = event_seq + 1
    WHERE id = (SELECT run_id FROM openeve.deliveries WHERE id = $1)
    RETURNING id, event_seq
), settled AS (
    UPDATE openeve.deliveries
    SET status = $3,
        lease_token = NULL,
        lease_expires_at = NULL,
        next_attempt_at =
            CASE WHEN $3 = 'pending' THEN clock_timestamp() + $4 * INTERVAL '1 millisecond' END,
        last_error = $5,
        reason = $8,
        parts_sent = greatest(parts_sent, $9),
        provider_ids = provider_ids
            || CASE WHEN $10::text IS NULL THEN '[]'::jsonb ELSE to_jsonb(ARRAY[$10::text]) END,
        updated_at = clock_timestamp(),
        settled_at = CASE WHEN $3 <> 'pending' THEN clock_timestamp() END
    WHERE id = $1 AND lease_token = $2
    RETURNING id
), event AS (
    INSERT INTO openeve.run_events (run_id, seq, kind, payload)
    SELECT id, event_seq, $6, $7 FROM run
)
SELECT openeve.require_epoch((SELECT count(*) FROM settled))
