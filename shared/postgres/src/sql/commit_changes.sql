-- Moves tool calls on: starts them, lets them wait or records their one outcome. One without side
-- effects, such as a question, may start and settle in the same commit. Called by: step, inside a
-- commit.
-- Locks: the tool calls named, in id order as given.
UPDATE openeve.tool_calls AS call
SET status = c.status,
    started_at = CASE
        WHEN c.status = 'started' THEN clock_timestamp()
        WHEN c.status = 'succeeded' AND call.side_effects = 'none'
            THEN coalesce(call.started_at, clock_timestamp())
        ELSE call.started_at END,
    settled_at =
        CASE WHEN c.status NOT IN ('started', 'awaiting_approval') THEN clock_timestamp() END,
    result = c.result,
    model_output = c.model_output
FROM unnest($2::uuid[], $3::text[], $4::jsonb[], $5::text[]) AS c (id, status, result, model_output)
WHERE call.id = c.id AND call.run_id = $1
