-- Whether a revision is the agent's newest and since when it is known; the database's clock; the
-- static schedules an operator has paused. Called by: doctor. Locks: none. Rows: one.
SELECT clock_timestamp() AS now,
    (SELECT r.registered_at FROM openeve.agent_revisions AS r
        WHERE r.agent_id = $1 AND r.revision = $2) AS registered_at,
    (SELECT r.revision FROM openeve.agent_revisions AS r
        WHERE r.agent_id = $1
        ORDER BY r.registered_at DESC LIMIT 1) AS newest,
    array(SELECT s.name FROM openeve.schedules AS s
        WHERE s.agent_id = $1 AND s.kind = 'static' AND s.paused_at IS NOT NULL) AS paused
