-- I9: a completed run has exactly one final obligation; it settles as sent, suppressed or failed.
-- Proves: a completed run has one delivery under its final key and any other none; a delivery that
-- is settled has its event, one that is not has none.
-- Excuses: deliveries that are not settled yet; I17 tells of those that are overdue.
-- Reads: the newest runs by runs_by_age, their deliveries by index and events by primary key.
-- Called by: doctor. Locks: none. Rows: at most $3.
WITH looked AS MATERIALIZED (
    SELECT id, status
    FROM openeve.runs
    WHERE $1::text IS NULL OR agent_id = $1
    ORDER BY created_at DESC
    LIMIT $2
), owed AS (
    SELECT run.id, run.status, count(d.id) AS count
    FROM looked AS run
    LEFT JOIN openeve.deliveries AS d
        ON d.run_id = run.id AND d.key = 'final:run_' || replace(run.id::text, '-', '')
    GROUP BY run.id, run.status
), log AS (
    SELECT e.run_id, e.payload ->> 'delivery' AS id, array_agg(DISTINCT e.kind) AS kinds
    FROM looked AS run
    JOIN openeve.run_events AS e ON e.run_id = run.id
    WHERE e.kind IN ('delivery.sent', 'delivery.suppressed', 'delivery.failed')
    GROUP BY e.run_id, e.payload ->> 'delivery'
), delivery AS (
    SELECT d.run_id, 'dlv_' || replace(d.id::text, '-', '') AS id, d.status,
        CASE WHEN d.status IN ('sent', 'suppressed', 'failed')
            THEN ARRAY['delivery.' || d.status] ELSE '{}'::text[] END AS wanted
    FROM looked AS run
    JOIN openeve.deliveries AS d ON d.run_id = run.id
)
(SELECT 'run_' || replace(id::text, '-', '') AS id,
    format('is %s and owes %s final replies', status, count) AS detail
FROM owed
WHERE count <> (status = 'completed')::integer
LIMIT $3)
UNION ALL
(SELECT delivery.id,
    format('is %s and its log tells of %s', delivery.status,
        coalesce(nullif(array_to_string(log.kinds, ', '), ''), 'no end'))
FROM delivery
LEFT JOIN log ON log.run_id = delivery.run_id AND log.id = delivery.id
WHERE coalesce(log.kinds, '{}') <> delivery.wanted
LIMIT $3)
LIMIT $3
