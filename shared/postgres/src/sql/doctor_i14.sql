-- I14: a mutating sandbox tool has a sync job recorded before it ran.
-- Proves, until there are sandboxes: every sync job has its run.
-- Excuses: nothing; a job is recorded for a run that exists.
-- Reads: scans sandbox_sync_jobs. The first row says whether there are any.
-- Called by: doctor. Locks: none. Rows: at most $2, and one.
(SELECT NULL AS id, (count(*) > 0)::text AS detail
FROM (SELECT FROM openeve.sandbox_sync_jobs LIMIT 1) AS any_job)
UNION ALL
(SELECT 'sync job ' || job.id,
    'is recorded for run_' || replace(job.run_id::text, '-', '') || ', which does not exist'
FROM openeve.sandbox_sync_jobs AS job
LEFT JOIN openeve.runs AS run ON run.id = job.run_id
LEFT JOIN openeve.sandbox_sessions AS session ON session.id = job.session_id
WHERE run.id IS NULL AND ($1::text IS NULL OR session.agent_id = $1)
LIMIT $2)
