-- I12, second half: which occurrences of a schedule became runs since a time, if the schedule's
-- revision is the agent's newest and has been known since before that; a paused one is excused.
-- Reads: schedule_runs and agent_revisions by primary key, schedules by its unique index.
-- Called by: doctor. Locks: none. Rows: one an occurrence, at most $5.
SELECT s.occurrence_at
FROM openeve.schedule_runs AS s
WHERE s.agent_id = $1 AND s.schedule = $2
    AND s.occurrence_at >= $3 AND s.occurrence_at <= $4
ORDER BY s.occurrence_at DESC
LIMIT $5
