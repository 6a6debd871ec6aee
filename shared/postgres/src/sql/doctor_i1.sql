-- I1: one provider delivery id creates at most one run, and an acknowledged one exactly one.
-- Proves: a key names a run that exists, and a run that came from outside is named by a key: one
-- that is not is a second run for a key that named the first.
-- Excuses: runs of 47 hours and more, whose keys the sweep may have removed; runs of a parent.
-- Reads: the newest runs by runs_by_age; scans idempotency_keys, which the sweep keeps short.
-- Called by: doctor. Locks: none. Rows: at most $3.
WITH looked AS MATERIALIZED (
    SELECT id
    FROM openeve.runs
    WHERE ($1::text IS NULL OR agent_id = $1)
        AND created_at > clock_timestamp() - INTERVAL '47 hours'
        AND parent_run_id IS NULL
    ORDER BY created_at DESC
    LIMIT $2
)
(SELECT 'run_' || replace(run.id::text, '-', '') AS id, 'no key names it' AS detail
FROM looked AS run
WHERE NOT EXISTS (
    SELECT FROM openeve.idempotency_keys AS k WHERE k.run_id = run.id AND k.scope <> 'resume')
LIMIT $3)
UNION ALL
(SELECT k.scope || '/' || k.key,
    'names run_' || replace(k.run_id::text, '-', '') || ', which does not exist'
FROM openeve.idempotency_keys AS k
WHERE k.run_id IS NOT NULL
    AND ($1::text IS NULL OR starts_with(k.key, $1 || ':'))
    AND NOT EXISTS (SELECT FROM openeve.runs AS run WHERE run.id = k.run_id)
LIMIT $3)
LIMIT $3
