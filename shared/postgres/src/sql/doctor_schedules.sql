-- The newest occurrence of each schedule that ever fired, oldest first.
-- Reads: schedule_runs by primary key, one probe a schedule (a loose index scan).
-- Called by: doctor. Locks: none. Rows: at most $2.
WITH RECURSIVE schedule AS (
    (SELECT agent_id, schedule
    FROM openeve.schedule_runs
    WHERE $1::text IS NULL OR agent_id = $1
    ORDER BY agent_id, schedule
    LIMIT 1)
    UNION ALL
    SELECT next.agent_id, next.schedule
    FROM schedule AS last
    CROSS JOIN LATERAL (
        SELECT s.agent_id, s.schedule
        FROM openeve.schedule_runs AS s
        WHERE (s.agent_id, s.schedule) > (last.agent_id, last.schedule)
            AND ($1::text IS NULL OR s.agent_id = $1)
        ORDER BY s.agent_id, s.schedule
        LIMIT 1
    ) AS next
)
SELECT schedule.agent_id, schedule.schedule, newest.occurrence_at,
    extract(epoch FROM clock_timestamp() - newest.occurrence_at)::float8 AS age_s
FROM schedule
CROSS JOIN LATERAL (
    SELECT max(s.occurrence_at) AS occurrence_at
    FROM openeve.schedule_runs AS s
    WHERE s.agent_id = schedule.agent_id AND s.schedule = schedule.schedule
) AS newest
ORDER BY newest.occurrence_at
LIMIT $2
