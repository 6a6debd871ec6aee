-- A run's pauses as whoever decides needs them; one row without a pause if there is none.
-- Called by: ingress and the command line. Locks: none.
SELECT run.status AS run_status, run.channel, run.turn ->> 'sender' AS requester,
    coalesce(nullif(c.tenant, ''), c.id::text) AS tenant,
    p.tool_call_id, p.generation, p.request, p.status, p.decision, p.decided_by,
    p.expires_at, call.name, call.arguments
FROM openeve.runs AS run
JOIN openeve.conversations AS c ON c.id = run.conversation_id
LEFT JOIN openeve.pauses AS p ON p.run_id = run.id
LEFT JOIN openeve.tool_calls AS call ON call.id = p.tool_call_id
WHERE run.id = $1 AND run.agent_id = $2
ORDER BY p.created_at, call.entry_seq, call.ordinal, p.generation
