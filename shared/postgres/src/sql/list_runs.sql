-- The newest runs of one agent, of one status if asked. With $4, those in flight are listed too,
-- whatever their age. Called by: the command line. Locks: none. Rows: at most twice $3.
WITH newest AS (
    SELECT run.id
    FROM openeve.runs AS run
    WHERE run.agent_id = $1 AND ($2::text IS NULL OR run.status = $2)
    ORDER BY run.created_at DESC, run.id DESC
    LIMIT $3
),
flying AS (
    SELECT run.id
    FROM openeve.runs AS run
    WHERE $4 AND run.agent_id = $1 AND run.status IN ('created', 'running')
        AND ($2::text IS NULL OR run.status = $2)
    LIMIT $3
)
SELECT run.id, run.channel, run.trigger, run.status, run.failure_code, run.blocked_code,
    run.event_seq, run.input_tokens, run.cached_tokens, run.output_tokens, run.reasoning_tokens,
    run.cost_micros, run.created_at, run.finished_at
FROM openeve.runs AS run
WHERE run.id IN (SELECT newest.id FROM newest UNION SELECT flying.id FROM flying)
ORDER BY run.created_at DESC, run.id DESC
