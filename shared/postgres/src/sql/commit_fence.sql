-- Opens every commit: changes the run under the writer's epoch, or raises OE001 and undoes all.
-- A commit names the number of those before it, so that a copy that comes late raises it too; the
-- caller then reads back whether the newest one is its own.
-- A run that somebody cancelled does not complete: the cancel was acknowledged, so it raises OE001 too,
-- and the caller reads back why.
-- A run that is to wait runs on if everything it waits for was decided meanwhile; $20 are the kinds
-- of the pauses this very commit creates.
-- Called by: step. Locks: one run. Rows: one.
WITH fenced AS (
    UPDATE openeve.runs
    SET commit_id = $3,
        commit_count = commit_count + 1,
        status = CASE
            WHEN $4 IN ('waiting_approval', 'waiting_input', 'waiting_authorization')
                THEN openeve.status_with_pauses(id, $20::text[])
            ELSE $4 END,
        lease_token = CASE WHEN $5 THEN lease_token END,
        lease_expires_at = CASE WHEN $5 THEN clock_timestamp() + $6 * INTERVAL '1 millisecond' END,
        not_before = CASE WHEN $7 > 0 THEN clock_timestamp() + $7 * INTERVAL '1 millisecond' END,
        failure_code = $8,
        failure_message = $9,
        stall_count = CASE WHEN $10 THEN 0 ELSE stall_count END,
        resume_count = resume_count + CASE WHEN $11 THEN 1 ELSE 0 END,
        model_failure_count = $12,
        event_seq = event_seq + $13,
        input_tokens = input_tokens + $14,
        cached_tokens = cached_tokens + $15,
        output_tokens = output_tokens + $16,
        reasoning_tokens = reasoning_tokens + $17,
        cost_micros = cost_micros + $18,
        updated_at = clock_timestamp(),
        finished_at = CASE WHEN $4 IN ('completed', 'failed', 'cancelled') THEN clock_timestamp() END
    WHERE id = $1 AND epoch = $2 AND status = 'running' AND commit_count = $19
        AND ($4 <> 'completed' OR cancel_requested_at IS NULL)
    RETURNING cancel_requested_at, status
)
SELECT openeve.require_epoch((SELECT count(*) FROM fenced)),
    (SELECT status FROM fenced) AS status,
    (SELECT cancel_requested_at IS NOT NULL FROM fenced) AS cancel_requested
