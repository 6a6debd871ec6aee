-- Records new tool calls, the intent of those that start. Called by: step, inside a commit.
-- Locks: new rows only.
INSERT INTO openeve.tool_calls (
    run_id, id, entry_seq, ordinal, provider_call_id, name, arguments, side_effects, status,
    started_at)
SELECT $1, c.id, c.entry_seq, c.ordinal, c.provider_call_id, c.name, c.arguments, c.side_effects,
    c.status, CASE WHEN c.status = 'started' THEN clock_timestamp() END
FROM unnest($2::uuid[], $3::int4[], $4::int4[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[])
    AS c (id, entry_seq, ordinal, provider_call_id, name, arguments, side_effects, status)
