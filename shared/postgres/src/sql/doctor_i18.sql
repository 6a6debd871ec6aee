-- I18: spend of a run tree stays below its bound plus one call.
-- Proves: what a tree spent without its dearest call is below $4 micros and $5 tokens.
-- Excuses: the one call that passes the bound.
-- Reads: the newest runs by runs_by_age, their trees by primary key and runs_of_tree, the usage of
-- those above a bound by primary key.
-- Called by: doctor. Locks: none. Rows: at most $3.
WITH root AS (
    SELECT DISTINCT looked.root_run_id AS id
    FROM (
        SELECT root_run_id
        FROM openeve.runs
        WHERE $1::text IS NULL OR agent_id = $1
        ORDER BY created_at DESC
        LIMIT $2) AS looked
), tree AS (
    SELECT root.id AS root, run.id, run.cost_micros, run.input_tokens + run.output_tokens AS tokens
    FROM root
    JOIN openeve.runs AS run ON run.id = root.id
    UNION ALL
    SELECT root.id, run.id, run.cost_micros, run.input_tokens + run.output_tokens
    FROM root
    JOIN openeve.runs AS run ON run.root_run_id = root.id AND run.parent_run_id IS NOT NULL
    WHERE run.id <> root.id
), spent AS (
    SELECT root, array_agg(id) AS runs, sum(cost_micros) AS cost_micros, sum(tokens) AS tokens
    FROM tree
    GROUP BY root
    HAVING sum(cost_micros) >= $4 OR sum(tokens) >= $5
)
SELECT 'run_' || replace(spent.root::text, '-', '') AS id,
    format('its tree spent %s micros of %s and %s tokens of %s, its dearest calls took %s and %s',
        spent.cost_micros, $4::bigint, spent.tokens, $5::bigint, call.cost_micros, call.tokens)
        AS detail
FROM spent
CROSS JOIN LATERAL (
    SELECT coalesce(max(u.cost_micros), 0) AS cost_micros,
        coalesce(max(u.input_tokens + u.output_tokens), 0) AS tokens
    FROM openeve.usage_records AS u
    WHERE u.run_id = ANY (spent.runs)
) AS call
WHERE spent.cost_micros - call.cost_micros >= $4 OR spent.tokens - call.tokens >= $5
LIMIT $3
