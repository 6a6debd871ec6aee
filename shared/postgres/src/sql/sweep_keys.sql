-- Removes expired idempotency keys. Called by: sweep. Locks: the rows removed, at most $1.
DELETE FROM openeve.idempotency_keys
WHERE (scope, key) IN (
    SELECT scope, key FROM openeve.idempotency_keys
    WHERE expires_at < clock_timestamp()
    ORDER BY expires_at
    LIMIT $1
    FOR UPDATE SKIP LOCKED)
