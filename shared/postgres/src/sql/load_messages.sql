-- This run's transcript and the newest rows of earlier turns, newest first. Called by: step, in
-- the claim's transaction. Locks: none. Rows: this run's, and at most $2 earlier ones
-- of at most $3 characters.
SELECT own, seq, kind, body, extra FROM (
    SELECT true AS own, m.run_position, m.seq, m.kind, m.body, m.extra
    FROM openeve.runs AS run
    JOIN openeve.messages AS m
        ON m.conversation_id = run.conversation_id AND m.run_position = run.position
    WHERE run.id = $1
    UNION ALL
    -- A longer one does not fit the history's bound and is left out by the domain, so its start
    -- is enough.
    (SELECT false, m.run_position, m.seq, m.kind, left(m.body, $3::int4), m.extra
    FROM openeve.runs AS run
    JOIN openeve.messages AS m
        ON m.conversation_id = run.conversation_id AND m.run_position < run.position
    WHERE run.id = $1 AND m.kind IN ('user', 'answer')
    ORDER BY m.run_position DESC, m.seq DESC
    LIMIT $2)
) AS rows
ORDER BY run_position, seq
