-- Why a claim found no row, and the final obligation's status. Called by: step, after the claim in
-- its transaction. Locks: none. Rows: one, or none when the run is unknown.
SELECT run.status,
    run.lease_token IS NOT NULL AND run.lease_expires_at >= clock_timestamp() AS leased,
    greatest(0, ceil(extract(epoch FROM run.not_before - clock_timestamp()) * 1000))::bigint AS wait_ms,
    (SELECT status FROM openeve.deliveries WHERE key = $2) AS delivery
FROM openeve.runs AS run
WHERE run.id = $1
