-- The run that a taken key created. Called by: accept, on a duplicate only. Rows: one.
SELECT k.run_id, r.conversation_id, c.external_key AS conversation_key,
    coalesce(nullif(c.tenant, ''), c.id::text) AS tenant
FROM openeve.idempotency_keys AS k
JOIN openeve.runs AS r ON r.id = k.run_id
JOIN openeve.conversations AS c ON c.id = r.conversation_id
WHERE k.scope = $1 AND k.key = $2
