-- How many of the newest runs, and of their deliveries, have which status.
-- Reads: the newest runs by runs_by_age, their deliveries by index. Called by: doctor. Locks: none.
-- Rows: one a status.
WITH looked AS MATERIALIZED (
    SELECT id, status
    FROM openeve.runs
    WHERE $1::text IS NULL OR agent_id = $1
    ORDER BY created_at DESC
    LIMIT $2
)
SELECT 'runs' AS kind, status, count(*) AS count FROM looked GROUP BY status
UNION ALL
SELECT 'deliveries', d.status, count(*)
FROM looked AS run
JOIN openeve.deliveries AS d ON d.run_id = run.id
GROUP BY d.status
ORDER BY kind DESC, count DESC, status
