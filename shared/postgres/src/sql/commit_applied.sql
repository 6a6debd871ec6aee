-- Whether this commit was applied before and nobody has claimed the run since, and whether it would be
-- but for a cancel. Called by: step, when
-- the fence refused it. Locks: none. A writer whose commit was applied and who is no longer the
-- holder must stop just as one whose commit was not.
SELECT commit_id = $2 AND epoch = $3 AS applied, status,
    epoch = $3 AND status = 'running' AND commit_count = $4 AND $5 = 'completed'
        AND cancel_requested_at IS NOT NULL AS cancelled,
    cancel_requested_at IS NOT NULL AS cancel_requested
FROM openeve.runs
WHERE id = $1
