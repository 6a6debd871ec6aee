-- Whether this commit was applied before. Called by: step, when the fence refused it. Locks: none.
SELECT commit_id = $2 AS applied, status, cancel_requested_at IS NOT NULL AS cancel_requested
FROM openeve.runs
WHERE id = $1
