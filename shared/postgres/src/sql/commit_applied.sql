-- Whether a commit whose answer was lost was applied. Called by: step, after a lost connection.
SELECT commit_id = $2 AS applied, epoch, cancel_requested_at IS NOT NULL AS cancel_requested
FROM openeve.runs
WHERE id = $1
