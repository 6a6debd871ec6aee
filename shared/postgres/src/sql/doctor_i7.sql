-- I7: a gated tool never starts without an approval of its own pause generation, and never twice
-- for one.
-- Proves: each start of a gated call names a generation that was decided and not rejected, each
-- generation once; a gated call that has started has such a pause; nothing that has ended waits.
-- Excuses: nothing; a start is committed after its decision.
-- Reads: the newest runs by runs_by_age, their calls by index, events and pauses by primary key;
-- pending pauses by pauses_pending.
-- Called by: doctor. Locks: none. Rows: at most $3.
WITH looked AS MATERIALIZED (
    SELECT id
    FROM openeve.runs
    WHERE $1::text IS NULL OR agent_id = $1
    ORDER BY created_at DESC
    LIMIT $2
), gated AS (
    SELECT c.run_id, c.id, 'call_' || replace(c.id::text, '-', '') AS name, c.started_at
    FROM looked AS run
    JOIN openeve.tool_calls AS c ON c.run_id = run.id
    WHERE c.gate IS NOT NULL
), allowed AS (
    SELECT p.tool_call_id, p.generation::text AS generation
    FROM gated
    JOIN openeve.pauses AS p ON p.run_id = gated.run_id AND p.tool_call_id = gated.id
    WHERE p.status = 'decided' AND p.decision ->> 'verdict' IN ('approve', 'answer', 'authorize')
), start AS (
    SELECT gated.id, gated.name, e.payload ->> 'generation' AS generation, count(*) AS times
    FROM gated
    JOIN openeve.run_events AS e ON e.run_id = gated.run_id
    WHERE e.kind = 'tool.execution_started' AND e.payload ->> 'call' = gated.name
    GROUP BY gated.id, gated.name, e.payload ->> 'generation'
)
(SELECT start.name AS id,
    CASE WHEN start.times > 1
        THEN format('started %s times for generation %s', start.times,
            coalesce(start.generation, 'none'))
        ELSE format('started for generation %s, which nobody approved',
            coalesce(start.generation, 'none')) END AS detail
FROM start
WHERE start.times > 1
    OR NOT EXISTS (
        SELECT FROM allowed
        WHERE allowed.tool_call_id = start.id AND allowed.generation = start.generation)
LIMIT $3)
UNION ALL
(SELECT gated.name, 'has started and nobody approved it'
FROM gated
WHERE gated.started_at IS NOT NULL
    AND NOT EXISTS (SELECT FROM allowed WHERE allowed.tool_call_id = gated.id)
    AND NOT EXISTS (SELECT FROM start WHERE start.id = gated.id)
LIMIT $3)
UNION ALL
(SELECT 'call_' || replace(p.tool_call_id::text, '-', ''),
    format('still waits (generation %s) although its run is %s', p.generation, run.status)
FROM openeve.pauses AS p
JOIN openeve.runs AS run ON run.id = p.run_id
WHERE p.status = 'pending' AND run.finished_at IS NOT NULL
    AND ($1::text IS NULL OR run.agent_id = $1)
LIMIT $3)
LIMIT $3
