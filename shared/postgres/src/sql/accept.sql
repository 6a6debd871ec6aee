-- Accepts a turn: key, conversation, run, message, events and the schedule's occurrence, at once.
-- Called by: ingress and tick. Locks: idempotency_keys, conversations, then new rows.
-- Rows: one each, some events. Returns no row when the key had been taken.
WITH taken AS (
    INSERT INTO openeve.idempotency_keys (scope, key, run_id, expires_at)
    VALUES ($1, $2, $3, now() + $4 * INTERVAL '1 hour')
    ON CONFLICT DO NOTHING
    RETURNING run_id
), conversation AS (
    INSERT INTO openeve.conversations AS c (id, agent_id, channel, external_key, run_position)
    SELECT $5, $6, $7, $8, 1 FROM taken
    ON CONFLICT (agent_id, channel, external_key)
        DO UPDATE SET run_position = c.run_position + 1, updated_at = now()
    RETURNING c.id, c.run_position
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
SELECT id FROM conversation
