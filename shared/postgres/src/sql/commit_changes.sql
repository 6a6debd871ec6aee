-- Moves tool calls on: starts them or records their one outcome. Called by: step, inside a commit.
-- Locks: the tool calls named, in id order as given.
UPDATE openeve.tool_calls AS call
SET status = c.status,
    started_at = CASE WHEN c.status = 'started' THEN clock_timestamp() ELSE call.started_at END,
    settled_at = CASE WHEN c.status <> 'started' THEN clock_timestamp() END,
    result = c.result,
    model_output = c.model_output
FROM unnest($2::uuid[], $3::text[], $4::jsonb[], $5::text[]) AS c (id, status, result, model_output)
WHERE call.id = c.id AND call.run_id = $1
