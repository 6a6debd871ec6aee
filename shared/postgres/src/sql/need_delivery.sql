-- Whether a delivery needs a bell now, by the same words as due.sql, without its grace. Called by:
-- whoever goes through dead letters. Locks: none. Rows: one, or none when the delivery is unknown.
SELECT d.status IN ('pending', 'sending') AS open,
    coalesce(coalesce(d.next_attempt_at, d.lease_expires_at) <= clock_timestamp(), false) AS due,
    coalesce(nullif(c.tenant, ''), c.id::text) AS tenant
FROM openeve.deliveries AS d
JOIN openeve.runs AS run ON run.id = d.run_id AND run.agent_id = $2
JOIN openeve.conversations AS c ON c.id = d.conversation_id
WHERE d.id = $1
