-- A run of one agent, as people read it. Its delivery is the final one, or the one that owes it
-- again. Called by: ingress and the command line. Locks: none. Rows: one.
WITH RECURSIVE owed AS (
    SELECT d.id, d.status, 1 AS nth
    FROM openeve.deliveries AS d
    WHERE d.key = $2
    UNION ALL
    SELECT d.id, d.status, owed.nth + 1
    FROM owed
    JOIN openeve.deliveries AS d ON d.key = 'redrive:' || owed.id
)
SELECT run.id, run.conversation_id, run.channel, run.status, run.failure_code,
    run.failure_message, run.blocked_code, run.blocked_message, run.step_count, run.input_tokens, run.cached_tokens, run.output_tokens,
    run.reasoning_tokens, run.cost_micros, run.created_at, run.finished_at,
    (SELECT m.body FROM openeve.messages AS m
        WHERE m.conversation_id = run.conversation_id AND m.run_position = run.position
            AND m.kind = 'answer'
        ORDER BY m.seq DESC LIMIT 1) AS reply,
    (SELECT status FROM owed ORDER BY nth DESC LIMIT 1) AS delivery
FROM openeve.runs AS run
WHERE run.id = $1 AND run.agent_id = $3
