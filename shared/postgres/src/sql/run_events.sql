-- Events of one agent's run after a position, in order. Called by: ingress and the command line.
SELECT seq, kind, payload, created_at
FROM openeve.run_events AS e
WHERE e.run_id = $1 AND e.seq > $2
    AND EXISTS (SELECT FROM openeve.runs AS run WHERE run.id = $1 AND run.agent_id = $4)
ORDER BY seq
LIMIT $3
