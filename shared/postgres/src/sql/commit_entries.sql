-- Appends to the transcript. Called by: step, inside a commit. Locks: new rows only.
INSERT INTO openeve.messages (conversation_id, run_position, seq, run_id, kind, body, extra)
SELECT run.conversation_id, run.position, e.seq, run.id, e.kind, e.body, e.extra
FROM openeve.runs AS run,
    unnest($2::int4[], $3::text[], $4::text[], $5::jsonb[]) AS e (seq, kind, body, extra)
WHERE run.id = $1
