-- The transcripts of some runs without what was said. Called by: doctor, in the transaction that
-- chose the runs. Locks: none. Reads: messages by primary key.
SELECT run.id AS run_id, m.seq, m.kind
FROM openeve.runs AS run
JOIN openeve.messages AS m
    ON m.conversation_id = run.conversation_id AND m.run_position = run.position
WHERE run.id = ANY ($1)
ORDER BY run.id, m.seq
