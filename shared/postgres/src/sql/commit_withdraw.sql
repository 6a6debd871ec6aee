-- Withdraws what a run that ends still waited for. Called by: step, inside a commit that ends a run.
UPDATE openeve.pauses
SET status = 'withdrawn', decided_at = clock_timestamp()
WHERE run_id = $1 AND status = 'pending'
