-- I3: event sequence numbers of a run are dense and strictly increasing.
-- Proves: a run's events are as many as its count says and the last has that number; numbers are
-- unique and positive by the schema, so none is missing.
-- Excuses: nothing; whatever writes an event raises the count in the same statement or commit.
-- Reads: the newest runs by runs_by_age, their events by primary key.
-- Called by: doctor. Locks: none. Rows: at most $3.
WITH looked AS MATERIALIZED (
    SELECT id, event_seq
    FROM openeve.runs
    WHERE $1::text IS NULL OR agent_id = $1
    ORDER BY created_at DESC
    LIMIT $2
)
SELECT 'run_' || replace(run.id::text, '-', '') AS id,
    format('has %s events, the last is number %s, its count is %s',
        log.events, log.last, run.event_seq) AS detail
FROM looked AS run
CROSS JOIN LATERAL (
    SELECT count(*) AS events, coalesce(max(e.seq), 0) AS last
    FROM openeve.run_events AS e
    WHERE e.run_id = run.id
) AS log
WHERE log.events <> run.event_seq OR log.last <> run.event_seq
LIMIT $3
