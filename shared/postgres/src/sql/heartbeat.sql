-- Extends a lease, guarded by the epoch, touching nothing else [M.02]. Called by: step. Rows: one.
UPDATE openeve.runs
SET lease_expires_at = clock_timestamp() + $3 * INTERVAL '1 millisecond',
    updated_at = clock_timestamp()
WHERE id = $1 AND epoch = $2 AND lease_token IS NOT NULL
RETURNING cancel_requested_at IS NOT NULL AS cancel_requested
