-- Records new tool calls: the intent of those that start, the outcome of those that never will. Called by: step, inside a commit.
-- Locks: new rows only.
INSERT INTO openeve.tool_calls (
    run_id, id, entry_seq, ordinal, provider_call_id, name, arguments, side_effects, sequential,
    gate, status, result, model_output, started_at, settled_at)
SELECT $1, c.id, c.entry_seq, c.ordinal, c.provider_call_id, c.name, c.arguments, c.side_effects,
    c.sequential, c.gate, c.status, c.result, c.model_output,
    CASE WHEN c.status = 'started' THEN clock_timestamp() END,
    CASE WHEN c.status NOT IN ('requested', 'awaiting_approval', 'started') THEN clock_timestamp() END
FROM unnest(
    $2::uuid[], $3::int4[], $4::int4[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
    $10::bool[], $11::jsonb[], $12::jsonb[], $13::text[])
    AS c (id, entry_seq, ordinal, provider_call_id, name, arguments, side_effects, status,
        sequential, gate, result, model_output)
