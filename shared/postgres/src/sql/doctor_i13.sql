-- I13, first half: every tool call id the model produced has exactly one result in the continuation
-- sent back.
-- Proves: as many calls are recorded as the model's answers asked for, each belongs to a batch of
-- the transcript, and one that is settled has a text for the model. The doctor assembles the rest.
-- Excuses: nothing; an answer and its calls are one commit.
-- Reads: the newest runs by runs_by_age, their events and messages by primary key, calls by index.
-- Called by: doctor. Locks: none. Rows: at most $3.
WITH looked AS MATERIALIZED (
    SELECT id, conversation_id, position
    FROM openeve.runs
    WHERE $1::text IS NULL OR agent_id = $1
    ORDER BY created_at DESC
    LIMIT $2
), counted AS (
    SELECT run.id,
        (SELECT coalesce(sum((e.payload ->> 'tool_calls')::numeric), 0)
            FROM openeve.run_events AS e
            WHERE e.run_id = run.id AND e.kind = 'model.responded'
                AND jsonb_typeof(e.payload -> 'tool_calls') = 'number') AS asked,
        (SELECT count(*) FROM openeve.tool_calls AS c WHERE c.run_id = run.id) AS recorded
    FROM looked AS run
)
(SELECT 'run_' || replace(id::text, '-', '') AS id,
    format('the model asked for %s calls, %s are recorded', asked, recorded) AS detail
FROM counted
WHERE asked <> recorded
LIMIT $3)
UNION ALL
(SELECT 'call_' || replace(c.id::text, '-', ''),
    CASE WHEN c.settled_at IS NOT NULL AND c.model_output IS NULL
        THEN format('is %s and has no text for the model', c.status)
        ELSE format('belongs to row %s of its run, which is no batch', c.entry_seq) END
FROM looked AS run
JOIN openeve.tool_calls AS c ON c.run_id = run.id
WHERE (c.settled_at IS NOT NULL AND c.model_output IS NULL)
    OR NOT EXISTS (
        SELECT FROM openeve.messages AS m
        WHERE m.conversation_id = run.conversation_id AND m.run_position = run.position
            AND m.seq = c.entry_seq AND m.kind = 'tool_batch')
LIMIT $3)
LIMIT $3
