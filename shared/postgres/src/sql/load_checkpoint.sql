-- The newest continuation. Called by: step, in the claim's transaction. Locks: none. Rows: one.
SELECT seq, v, engine, engine_version, agent_revision, surface, body
FROM openeve.checkpoints
WHERE run_id = $1
ORDER BY seq DESC
LIMIT 1
