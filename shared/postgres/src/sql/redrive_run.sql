-- Begins a failed run again as a new one behind everything else of its conversation, at most once;
-- or frees one that was set aside. Called by: the command line. Locks: idempotency_keys,
-- conversations, runs. Rows: one each, or none when there is nothing to redo.
WITH old AS (
    SELECT id, status, blocked_code, conversation_id, agent_id, agent_revision, channel, turn,
        trace_parent, position
    FROM openeve.runs
    WHERE id = $1 AND agent_id = $2
), freed AS (
    UPDATE openeve.runs AS run
    SET not_before = NULL, blocked_code = NULL, blocked_message = NULL, stall_count = 0
    FROM old
    WHERE run.id = old.id AND run.blocked_code IS NOT NULL AND run.finished_at IS NULL
    RETURNING run.id
), taken AS (
    INSERT INTO openeve.idempotency_keys (scope, key, run_id, expires_at)
    SELECT 'redrive', id::text, $3, 'infinity' FROM old WHERE status = 'failed'
    ON CONFLICT DO NOTHING
    RETURNING run_id
), conversation AS (
    UPDATE openeve.conversations AS c
    SET run_position = c.run_position + 1, updated_at = now()
    FROM old, taken
    WHERE c.id = old.conversation_id
    RETURNING c.id, c.run_position
), run AS (
    INSERT INTO openeve.runs (
        id, agent_id, agent_revision, conversation_id, position, root_run_id, trigger, channel,
        turn, status, event_seq, trace_parent, redriven_from)
    SELECT $3, old.agent_id, old.agent_revision, c.id, c.run_position, $3, 'redrive', old.channel,
        old.turn, 'created', 1, old.trace_parent, old.id
    FROM old, conversation AS c
), message AS (
    INSERT INTO openeve.messages (conversation_id, run_position, seq, run_id, kind, body)
    SELECT c.id, c.run_position, 0, $3, 'user', m.body
    FROM old, conversation AS c, openeve.messages AS m
    WHERE m.conversation_id = old.conversation_id AND m.run_position = old.position AND m.seq = 0
), event AS (
    INSERT INTO openeve.run_events (run_id, seq, kind, payload)
    SELECT $3, 1, 'run.redriven',
        jsonb_build_object('from', 'run_' || replace(old.id::text, '-', ''))
    FROM old, conversation
)
SELECT old.status, (SELECT count(*) FROM freed) > 0 AS freed,
    coalesce(
        (SELECT run_id FROM taken),
        (SELECT k.run_id FROM openeve.idempotency_keys AS k
            WHERE k.scope = 'redrive' AND k.key = old.id::text)) AS again
FROM old
