-- Creates the final obligation, due at once or already leased by an inline sender [L.04].
-- Called by: step, inside a commit. Rows: one; none if the key exists, which is adopted [M.09].
INSERT INTO openeve.deliveries (
    id, key, run_id, conversation_id, channel, target, body, status, lease_token,
    lease_expires_at, next_attempt_at, attempt_count)
SELECT $2, $3, run.id, run.conversation_id, $4, $5, $6,
    CASE WHEN $7::uuid IS NULL THEN 'pending' ELSE 'sending' END,
    $7::uuid,
    CASE WHEN $7::uuid IS NOT NULL THEN clock_timestamp() + $8 * INTERVAL '1 millisecond' END,
    CASE WHEN $7::uuid IS NULL THEN clock_timestamp() END,
    CASE WHEN $7::uuid IS NULL THEN 0 ELSE 1 END
FROM openeve.runs AS run
WHERE run.id = $1
ON CONFLICT (key) DO NOTHING
