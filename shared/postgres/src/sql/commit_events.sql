-- Appends events, numbered densely from what the fence reserved. Called by: step, inside a commit.
INSERT INTO openeve.run_events (run_id, seq, kind, payload)
SELECT run.id, run.event_seq - cardinality($2::text[]) + e.seq, e.kind, e.payload
FROM openeve.runs AS run,
    unnest($2::text[], $3::jsonb[]) WITH ORDINALITY AS e (kind, payload, seq)
WHERE run.id = $1
