-- Records a part that was sent and extends the lease, under its token. Called by: delivery.
-- Repeated after a lost answer it changes nothing more. Locks: one delivery. Rows: one, or none when the lease is no longer ours.
UPDATE openeve.deliveries
SET parts_sent = greatest(parts_sent, $3),
    provider_ids = provider_ids || CASE
        WHEN $4::text IS NULL OR parts_sent >= $3 THEN '[]'::jsonb
        ELSE to_jsonb(ARRAY[$4::text]) END,
    lease_expires_at = clock_timestamp() + $5 * INTERVAL '1 millisecond',
    updated_at = clock_timestamp()
WHERE id = $1 AND lease_token = $2 AND status = 'sending'
RETURNING id
