-- Rows of one agent that need something done: a bell for a run or a delivery, the end of a pause.
-- Tenants take turns, so that one with many rows keeps nobody else waiting.
-- Called by: tick. Locks: none. Rows: at most $1 of a kind.
(SELECT 'run' AS kind, run.id, NULL::uuid AS tool_call_id, NULL::integer AS generation,
    coalesce(nullif(c.tenant, ''), c.id::text) AS tenant, 0::bigint AS wait_ms
FROM openeve.runs AS run
JOIN openeve.conversations AS c ON c.id = run.conversation_id
WHERE run.status IN ('created', 'running')
    AND run.agent_id = $3
    AND (run.lease_token IS NULL OR run.lease_expires_at < clock_timestamp())
    AND coalesce(run.not_before, '-infinity') <= clock_timestamp()
    AND run.updated_at < clock_timestamp() - $2 * INTERVAL '1 millisecond'
    AND (run.lease_token IS NOT NULL OR NOT EXISTS (
        SELECT FROM openeve.runs AS ahead
        WHERE ahead.conversation_id = run.conversation_id
            AND ahead.position < run.position
            AND ahead.status IN ('created', 'running')
            AND ahead.blocked_code IS NULL))
ORDER BY row_number() OVER (
    PARTITION BY coalesce(nullif(c.tenant, ''), c.id::text) ORDER BY run.updated_at),
    run.updated_at
LIMIT $1)
UNION ALL
(SELECT 'run', run.id, NULL, NULL, coalesce(nullif(c.tenant, ''), c.id::text), 0
FROM openeve.runs AS run
JOIN openeve.conversations AS c ON c.id = run.conversation_id
WHERE run.cancel_requested_at < clock_timestamp() - $2 * INTERVAL '1 millisecond'
    AND run.finished_at IS NULL
    AND run.status IN ('waiting_approval', 'waiting_input', 'waiting_authorization')
    AND run.agent_id = $3
ORDER BY run.cancel_requested_at
LIMIT $1)
UNION ALL
(SELECT 'expiring', run.id, NULL, NULL, coalesce(nullif(c.tenant, ''), c.id::text),
    greatest(0, ceil(extract(epoch FROM run.lease_expires_at - clock_timestamp()) * 1000))::bigint
FROM openeve.runs AS run
JOIN openeve.conversations AS c ON c.id = run.conversation_id
WHERE run.status = 'running'
    AND run.agent_id = $3
    AND run.lease_expires_at >= clock_timestamp()
    AND run.lease_expires_at < clock_timestamp() + $4 * INTERVAL '1 millisecond'
ORDER BY run.lease_expires_at
LIMIT $1)
UNION ALL
(SELECT 'delivery', d.id, NULL, NULL, coalesce(nullif(c.tenant, ''), c.id::text), 0
FROM openeve.deliveries AS d
JOIN openeve.runs AS run ON run.id = d.run_id AND run.agent_id = $3
JOIN openeve.conversations AS c ON c.id = d.conversation_id
WHERE d.status IN ('pending', 'sending')
    AND coalesce(d.next_attempt_at, d.lease_expires_at)
        < clock_timestamp() - CASE WHEN d.attempt_count = 0 THEN $2 ELSE 0 END * INTERVAL '1 millisecond'
ORDER BY row_number() OVER (
    PARTITION BY coalesce(nullif(c.tenant, ''), c.id::text)
    ORDER BY coalesce(d.next_attempt_at, d.lease_expires_at)),
    coalesce(d.next_attempt_at, d.lease_expires_at)
LIMIT $1)
UNION ALL
(SELECT 'pause', p.run_id, p.tool_call_id, p.generation, '', 0
FROM openeve.pauses AS p
JOIN openeve.runs AS run ON run.id = p.run_id AND run.agent_id = $3 AND run.finished_at IS NULL
WHERE p.status = 'pending' AND p.expires_at <= clock_timestamp()
ORDER BY p.expires_at, p.tool_call_id
LIMIT $1)
