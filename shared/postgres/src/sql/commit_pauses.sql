-- Creates the pauses of calls that wait from now on. Called by: step, inside a commit.
INSERT INTO openeve.pauses (
    run_id, tool_call_id, generation, kind, request, status, created_at, expires_at)
SELECT $1, p.tool_call_id, p.generation, p.kind, p.request, 'pending', clock_timestamp(),
    clock_timestamp() + p.ttl_ms * INTERVAL '1 millisecond'
FROM unnest($2::uuid[], $3::int4[], $4::text[], $5::jsonb[], $6::int8[])
    AS p (tool_call_id, generation, kind, request, ttl_ms)
