-- The conversation's next run, to be rung. Called by: step, last in a commit that frees the
-- conversation. Locks: none. Rows: one or none.
SELECT next.id
FROM openeve.runs AS run
JOIN openeve.runs AS next
    ON next.conversation_id = run.conversation_id
        AND next.id <> run.id
        AND next.status IN ('created', 'running')
        AND next.blocked_code IS NULL
WHERE run.id = $1
ORDER BY next.position
LIMIT 1
