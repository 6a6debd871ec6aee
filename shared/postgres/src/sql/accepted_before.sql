-- The run that a taken key created. Called by: accept, on a duplicate only. Rows: one.
SELECT k.run_id, r.conversation_id
FROM openeve.idempotency_keys AS k
JOIN openeve.runs AS r ON r.id = k.run_id
WHERE k.scope = $1 AND k.key = $2
