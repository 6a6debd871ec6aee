-- I10: an obligation is sent at most once wherever the receiver honours its dedupe key, and no part
-- is sent before the part ahead of it.
-- Proves: the log tells of one sending at most; what is owed again was given up before; nothing is
-- sent without having been leased; receivers named no more messages than parts were counted. The
-- order on the wire leaves no rows: parts are counted one after another, and tests watch the wire.
-- Excuses: a part that is being sent now is not counted yet and has no name yet either.
-- Reads: the newest runs by runs_by_age, their deliveries by index and events by primary key.
-- Called by: doctor. Locks: none. Rows: at most $3.
WITH looked AS MATERIALIZED (
    SELECT id
    FROM openeve.runs
    WHERE $1::text IS NULL OR agent_id = $1
    ORDER BY created_at DESC
    LIMIT $2
), delivery AS MATERIALIZED (
    SELECT d.id, d.run_id, d.key, d.status, d.attempt_count, d.parts_sent, d.provider_ids
    FROM looked AS run
    JOIN openeve.deliveries AS d ON d.run_id = run.id
), sent AS (
    SELECT e.run_id, e.payload ->> 'delivery' AS id, count(*) AS times
    FROM looked AS run
    JOIN openeve.run_events AS e ON e.run_id = run.id
    WHERE e.kind = 'delivery.sent'
    GROUP BY e.run_id, e.payload ->> 'delivery'
    HAVING count(*) > 1
)
(SELECT sent.id, format('was sent %s times, says its log', sent.times) AS detail
FROM sent
LIMIT $3)
UNION ALL
(SELECT 'dlv_' || replace(again.id::text, '-', ''),
    format('owes again what is %s, not given up', old.status)
FROM delivery AS again
JOIN delivery AS old ON old.run_id = again.run_id AND again.key = 'redrive:' || old.id
WHERE starts_with(again.key, 'redrive:') AND old.status <> 'failed'
LIMIT $3)
UNION ALL
(SELECT 'dlv_' || replace(id::text, '-', ''), 'is sent and was never leased'
FROM delivery
WHERE status = 'sent' AND attempt_count = 0
LIMIT $3)
UNION ALL
(SELECT 'dlv_' || replace(delivery.id::text, '-', ''),
    format('has %s parts sent and %s messages at its receiver', delivery.parts_sent, named.count)
FROM delivery
CROSS JOIN LATERAL (
    SELECT count(DISTINCT value) FROM jsonb_array_elements(delivery.provider_ids)
) AS named
WHERE jsonb_array_length(delivery.provider_ids) > delivery.parts_sent
    AND named.count > delivery.parts_sent
LIMIT $3)
LIMIT $3
