-- Registers an agent and a revision, once each. Called by: tick and dev, at their first pass.
WITH agent AS (
    INSERT INTO openeve.agents (id) VALUES ($1) ON CONFLICT DO NOTHING
)
INSERT INTO openeve.agent_revisions (agent_id, revision, surface_hash)
VALUES ($1, $2, $3)
ON CONFLICT DO NOTHING
