-- I16: no secret value occurs in any event, checkpoint, log line, manifest, artifact or prompt.
-- Every text of some runs that a secret could have got into. The doctor searches them itself: a
-- secret sent as a parameter would be in the log of a server that logs slow statements.
-- Excuses: nothing; what is written is there to be read.
-- Reads: every table of a run by its index on runs. Called by: doctor, in the transaction that chose
-- the runs. Locks: none.
SELECT run.id AS run_id, 'its turn' AS place, run.turn::text || run.metadata::text AS text
FROM openeve.runs AS run
WHERE run.id = ANY ($1)
UNION ALL
SELECT run.id, 'its error text', concat_ws(' ', run.failure_message, run.blocked_message)
FROM openeve.runs AS run
WHERE run.id = ANY ($1) AND coalesce(run.failure_message, run.blocked_message) IS NOT NULL
UNION ALL
SELECT e.run_id, 'event ' || e.seq, e.kind || ' ' || e.payload
FROM openeve.run_events AS e
WHERE e.run_id = ANY ($1)
UNION ALL
SELECT c.run_id, 'checkpoint ' || c.seq, c.body::text
FROM openeve.checkpoints AS c
WHERE c.run_id = ANY ($1)
UNION ALL
SELECT run.id, 'message ' || m.seq, concat_ws(' ', m.body, m.extra::text)
FROM openeve.runs AS run
JOIN openeve.messages AS m
    ON m.conversation_id = run.conversation_id AND m.run_position = run.position
WHERE run.id = ANY ($1)
UNION ALL
SELECT call.run_id, 'call_' || replace(call.id::text, '-', ''),
    concat_ws(' ', call.arguments, call.gate::text, call.result::text, call.model_output)
FROM openeve.tool_calls AS call
WHERE call.run_id = ANY ($1)
UNION ALL
SELECT p.run_id, 'pause ' || p.generation || ' of call_' || replace(p.tool_call_id::text, '-', ''),
    concat_ws(' ', p.request::text, p.decision::text)
FROM openeve.pauses AS p
WHERE p.run_id = ANY ($1)
UNION ALL
SELECT d.run_id, 'dlv_' || replace(d.id::text, '-', ''),
    concat_ws(' ', d.body, d.target::text, d.provider_ids::text, d.last_error)
FROM openeve.deliveries AS d
WHERE d.run_id = ANY ($1)
