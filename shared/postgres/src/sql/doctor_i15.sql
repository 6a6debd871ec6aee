-- I15: tokens and cost on the run equal the sum over its usage rows.
-- Excuses: nothing; a commit adds both.
-- Reads: the newest runs by runs_by_age, their usage by primary key.
-- Called by: doctor. Locks: none. Rows: at most $3.
WITH looked AS MATERIALIZED (
    SELECT id, input_tokens, cached_tokens, output_tokens, reasoning_tokens, cost_micros
    FROM openeve.runs
    WHERE $1::text IS NULL OR agent_id = $1
    ORDER BY created_at DESC
    LIMIT $2
)
SELECT 'run_' || replace(run.id::text, '-', '') AS id,
    format('says %s/%s/%s/%s tokens and %s micros, its rows %s/%s/%s/%s and %s',
        run.input_tokens, run.cached_tokens, run.output_tokens, run.reasoning_tokens,
        run.cost_micros, used.input_tokens, used.cached_tokens, used.output_tokens,
        used.reasoning_tokens, used.cost_micros) AS detail
FROM looked AS run
CROSS JOIN LATERAL (
    SELECT coalesce(sum(u.input_tokens), 0) AS input_tokens,
        coalesce(sum(u.cached_tokens), 0) AS cached_tokens,
        coalesce(sum(u.output_tokens), 0) AS output_tokens,
        coalesce(sum(u.reasoning_tokens), 0) AS reasoning_tokens,
        coalesce(sum(u.cost_micros), 0) AS cost_micros
    FROM openeve.usage_records AS u
    WHERE u.run_id = run.id
) AS used
WHERE (run.input_tokens, run.cached_tokens, run.output_tokens, run.reasoning_tokens,
        run.cost_micros)
    IS DISTINCT FROM (used.input_tokens, used.cached_tokens, used.output_tokens,
        used.reasoning_tokens, used.cost_micros)
LIMIT $3
