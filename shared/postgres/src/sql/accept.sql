-- Accepts a turn: key, conversation, run, message, events and the schedule's occurrence, at once.
-- If the conversation's newest run waits for an answer that the sender may give, the turn is that
-- answer instead: its oldest question is decided, and the run goes on if nothing else of it waits.
-- Called by: ingress and tick. Locks: the waiting run, idempotency_keys, conversations, then new
-- rows. Rows: one each, some events. Returns no row when the key had been taken.
WITH waiting AS (
    SELECT run.id, run.conversation_id, c.tenant
    FROM openeve.conversations AS c
    JOIN openeve.runs AS run
        ON run.conversation_id = c.id AND run.position = c.run_position
            AND run.status = 'waiting_input'
    WHERE $18::boolean AND c.agent_id = $6 AND c.channel = $7 AND c.external_key = $8
        AND run.cancel_requested_at IS NULL
    FOR UPDATE OF run
), question AS (
    SELECT waiting.id AS run_id, q.tool_call_id, q.generation
    FROM waiting, openeve.open_question(waiting.id, $19::text) AS q
), taken AS (
    INSERT INTO openeve.idempotency_keys (scope, key, run_id, expires_at)
    VALUES ($1, $2, coalesce((SELECT run_id FROM question), $3), now() + $4 * INTERVAL '1 hour')
    ON CONFLICT DO NOTHING
    RETURNING run_id
), answer AS (
    UPDATE openeve.pauses AS p
    SET status = 'decided',
        decision = jsonb_build_object('verdict', 'answer', 'text', $13::text),
        decided_by = coalesce($19::text, ''),
        decided_at = clock_timestamp()
    FROM question AS q, taken
    WHERE (p.run_id, p.tool_call_id, p.generation) = (q.run_id, q.tool_call_id, q.generation)
        AND p.status = 'pending'
    RETURNING p.run_id, p.tool_call_id, p.generation
), resumed AS (
    UPDATE openeve.runs AS run
    SET status = openeve.status_while_pending(run.id, answer.tool_call_id, answer.generation),
        event_seq = run.event_seq + 1,
        wall_from = clock_timestamp(),
        updated_at = clock_timestamp()
    FROM answer
    WHERE run.id = answer.run_id
    RETURNING run.id, run.conversation_id, run.event_seq, answer.tool_call_id, answer.generation
), decided AS (
    INSERT INTO openeve.run_events (run_id, seq, kind, payload)
    SELECT id, event_seq, 'pause.decided', jsonb_build_object(
        'call', 'call_' || replace(tool_call_id::text, '-', ''), 'generation', generation,
        'verdict', 'answer', 'by', coalesce($19::text, ''))
    FROM resumed
), conversation AS (
    INSERT INTO openeve.conversations AS c (
        id, agent_id, channel, external_key, tenant, run_position)
    SELECT $5, $6, $7, $8, $20, 1 FROM taken WHERE NOT EXISTS (SELECT FROM question)
    ON CONFLICT (agent_id, channel, external_key)
        DO UPDATE SET run_position = c.run_position + 1, updated_at = now()
    RETURNING c.id, c.run_position, c.tenant
), run AS (
    INSERT INTO openeve.runs (
        id, agent_id, agent_revision, conversation_id, position, root_run_id, trigger, channel,
        turn, status, event_seq, trace_parent)
    SELECT $3, $6, $9, id, run_position, $3, $10, $7, $11, 'created', cardinality($14::text[]), $12
    FROM conversation
), message AS (
    INSERT INTO openeve.messages (conversation_id, run_position, seq, run_id, kind, body)
    SELECT id, run_position, 0, $3, 'user', $13 FROM conversation
), event AS (
    INSERT INTO openeve.run_events (run_id, seq, kind, payload)
    SELECT $3, e.seq, e.kind, e.payload
    FROM conversation, unnest($14::text[], $15::jsonb[]) WITH ORDINALITY AS e (kind, payload, seq)
), occurrence AS (
    INSERT INTO openeve.schedule_runs (agent_id, schedule, occurrence_at, run_id)
    SELECT $6, $16, $17, $3 FROM conversation WHERE $16::text IS NOT NULL
)
SELECT id AS conversation_id, $3 AS run_id, false AS answered,
    coalesce(nullif(tenant, ''), id::text) AS tenant
FROM conversation
UNION ALL
SELECT resumed.conversation_id, resumed.id, true,
    coalesce(nullif(waiting.tenant, ''), resumed.conversation_id::text)
FROM resumed, waiting
