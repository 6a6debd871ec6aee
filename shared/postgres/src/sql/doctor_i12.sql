-- I12, first half: a schedule occurrence starts at most one run.
-- Proves: each run of a schedule belongs to one occurrence, and each occurrence to a schedule's run.
-- Whether one was lost, the doctor tells from the artifact's schedules.
-- Excuses: nothing; a run and its occurrence are one statement.
-- Reads: scans schedule_runs, which has no index on its runs; the newest runs by runs_by_age.
-- Called by: doctor. Locks: none. Rows: at most $3.
WITH looked AS MATERIALIZED (
    SELECT id, trigger
    FROM openeve.runs
    WHERE $1::text IS NULL OR agent_id = $1
    ORDER BY created_at DESC
    LIMIT $2
), fired AS (
    SELECT run.id, run.trigger, count(s.run_id) AS occurrences
    FROM looked AS run
    LEFT JOIN openeve.schedule_runs AS s ON s.run_id = run.id
    GROUP BY run.id, run.trigger
)
SELECT 'run_' || replace(id::text, '-', '') AS id,
    format('was started by %s and stands for %s occurrences', trigger, occurrences) AS detail
FROM fired
WHERE occurrences <> (trigger = 'schedule')::integer
LIMIT $3
