-- Owes a delivery that was given up once more, as a new one, at most once. Called by: the command
-- line. Locks: new rows. Rows: one, or none when the delivery is unknown.
WITH old AS (
    SELECT d.id, d.run_id, d.conversation_id, d.channel, d.target, d.body, d.status, d.parts_sent,
        d.provider_ids
    FROM openeve.deliveries AS d
    JOIN openeve.runs AS run ON run.id = d.run_id AND run.agent_id = $2
    WHERE d.id = $1
), owed AS (
    INSERT INTO openeve.deliveries (
        id, key, run_id, conversation_id, channel, target, body, status, next_attempt_at,
        parts_sent, provider_ids)
    SELECT $3, 'redrive:' || old.id, old.run_id, old.conversation_id, old.channel, old.target,
        old.body, 'pending', clock_timestamp(), old.parts_sent, old.provider_ids
    FROM old
    WHERE old.status = 'failed'
    ON CONFLICT (key) DO NOTHING
    RETURNING id, run_id
), run AS (
    UPDATE openeve.runs AS r SET event_seq = r.event_seq + 1
    FROM owed
    WHERE r.id = owed.run_id
    RETURNING r.id, r.event_seq
), event AS (
    INSERT INTO openeve.run_events (run_id, seq, kind, payload)
    SELECT run.id, run.event_seq, 'delivery.redriven', jsonb_build_object(
        'from', 'dlv_' || replace(old.id::text, '-', ''),
        'delivery', 'dlv_' || replace($3::text, '-', ''))
    FROM run, old
)
SELECT old.status,
    coalesce(
        (SELECT id FROM owed),
        (SELECT d.id FROM openeve.deliveries AS d WHERE d.key = 'redrive:' || old.id)) AS again
FROM old
