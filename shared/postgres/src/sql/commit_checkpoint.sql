-- Stores the continuation after an iteration. Called by: step, inside a commit. Rows: one.
INSERT INTO openeve.checkpoints (run_id, seq, v, engine, engine_version, agent_revision, surface, body)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
