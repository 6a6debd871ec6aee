-- Claims a run under a new epoch. Called by: step, first in the claim's transaction.
-- Locks: one run. Rows: one, or none when it is busy, behind, early, settled or unknown.
-- The unique index runs_one_lease_per_conversation refuses a second lease in the conversation.
-- Our own token again is the same claim: a late copy of it must not supersede us.
-- A run that waits is claimed only to be cancelled. One whose holder vanished is claimed whoever is
-- ahead: an earlier run that waited and was resumed meanwhile stays behind that lease, so each
-- would wait for the other.
-- A lease that was never released counts as a crash; a clean release leaves the count at zero.
UPDATE openeve.runs AS run
SET epoch = run.epoch + CASE WHEN run.lease_token = $2 THEN 0 ELSE 1 END,
    status = 'running',
    lease_token = $2,
    lease_expires_at = clock_timestamp() + $3 * INTERVAL '1 millisecond',
    not_before = NULL,
    blocked_code = NULL,
    blocked_message = NULL,
    step_count = run.step_count + CASE WHEN run.lease_token = $2 THEN 0 ELSE 1 END,
    stall_count = run.stall_count
        + CASE WHEN run.lease_token IS NOT NULL AND run.lease_token <> $2 THEN 1 ELSE 0 END,
    updated_at = clock_timestamp()
WHERE run.id = $1
    AND (run.status IN ('created', 'running')
        OR (run.cancel_requested_at IS NOT NULL AND run.finished_at IS NULL))
    AND (run.lease_token IS NULL OR run.lease_token = $2 OR run.lease_expires_at < clock_timestamp())
    AND (run.not_before IS NULL OR run.not_before <= clock_timestamp())
    AND (run.lease_token IS NOT NULL OR NOT EXISTS (
        SELECT FROM openeve.runs AS ahead
        WHERE ahead.conversation_id = run.conversation_id
            AND ahead.position < run.position
            AND ahead.status IN ('created', 'running')
            AND ahead.blocked_code IS NULL))
RETURNING run.epoch, run.commit_count, run.conversation_id, run.agent_revision, run.turn, run.status,
    run.step_count, run.stall_count, run.resume_count, run.model_failure_count, run.trace_parent,
    run.cancel_requested_at IS NOT NULL AS cancel_requested,
    greatest(0, extract(epoch FROM clock_timestamp() - run.wall_from) * 1000)::bigint AS wall_ms,
    run.input_tokens, run.cached_tokens, run.output_tokens, run.reasoning_tokens, run.cost_micros
