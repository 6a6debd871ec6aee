-- I16: the newest runs, whose texts are then read page by page. Called by: doctor. Locks: none.
-- Rows: at most $2. Reads: runs_by_age.
SELECT id
FROM openeve.runs
WHERE $1::text IS NULL OR agent_id = $1
ORDER BY created_at DESC
LIMIT $2
