-- Events of a run after a position, in order. Called by: ingress and the command line.
SELECT seq, kind, payload, created_at
FROM openeve.run_events
WHERE run_id = $1 AND seq > $2
ORDER BY seq
LIMIT $3
