-- Leases a delivery that is due, or whose sender vanished. Called by: delivery. Locks: one
-- delivery. Rows: one or none. The attempt is counted here, so that a crash counts too. That the sender
-- before vanished is written down: our own token again, after a lost answer, must hear of it too.
WITH due AS (
    SELECT id, CASE
            WHEN lease_token = $2 THEN last_error IS NOT DISTINCT FROM 'its sender vanished'
            ELSE status = 'sending' END AS interrupted
    FROM openeve.deliveries
    WHERE id = $1
    FOR UPDATE
)
UPDATE openeve.deliveries AS d
SET status = 'sending',
    lease_token = $2,
    lease_expires_at = clock_timestamp() + $3 * INTERVAL '1 millisecond',
    next_attempt_at = NULL,
    attempt_count = d.attempt_count + CASE WHEN d.lease_token = $2 THEN 0 ELSE 1 END,
    last_error = CASE WHEN due.interrupted THEN 'its sender vanished' ELSE d.last_error END,
    updated_at = clock_timestamp()
FROM due
WHERE d.id = due.id
    AND ((d.status = 'pending' AND d.next_attempt_at <= clock_timestamp())
        OR (d.status = 'sending' AND (d.lease_expires_at < clock_timestamp() OR d.lease_token = $2)))
RETURNING d.run_id, d.channel, d.target, d.body, d.attempt_count, d.parts_sent,
    due.interrupted,
    (SELECT c.external_key FROM openeve.conversations AS c WHERE c.id = d.conversation_id)
        AS conversation_key
