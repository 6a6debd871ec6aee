-- I17: every row that needs work is found by the tick within one interval plus its lease.
-- Proves: nothing that due.sql would find has been due for longer than $3 milliseconds (a run, a
-- pause, an end that was asked for) or $4 (a delivery): the tick's interval, the lease, the grace.
-- Excuses: what is not due yet, what a step or sender holds, what is behind another run of its
-- conversation or was freed by one a moment ago. A run that an operator has just redriven may be
-- listed until its bell is heard.
-- Reads: runs_unfinished, runs_to_cancel, deliveries_due, pauses_pending; few rows whatever the
-- history.
-- Called by: doctor. Locks: none. Rows: at most $2.
(SELECT 'run_' || replace(run.id::text, '-', '') AS id,
    format('is %s and has been due since %s', run.status, due.since) AS detail
FROM openeve.runs AS run
CROSS JOIN LATERAL (
    SELECT greatest(run.updated_at, run.lease_expires_at, run.not_before, run.cancel_requested_at,
        (SELECT max(greatest(other.updated_at, other.finished_at)) FROM openeve.runs AS other
            WHERE other.conversation_id = run.conversation_id AND other.id <> run.id
                AND (other.position < run.position OR other.epoch > 0))) AS since
) AS due
WHERE run.status IN ('created', 'running')
    AND ($1::text IS NULL OR run.agent_id = $1)
    AND run.updated_at < clock_timestamp() - $3 * INTERVAL '1 millisecond'
    AND due.since < clock_timestamp() - $3 * INTERVAL '1 millisecond'
    AND (run.lease_token IS NOT NULL OR NOT EXISTS (
        SELECT FROM openeve.runs AS ahead
        WHERE ahead.conversation_id = run.conversation_id
            AND ahead.position < run.position
            AND ahead.status IN ('created', 'running')
            AND ahead.blocked_code IS NULL))
    AND NOT EXISTS (
        SELECT FROM openeve.runs AS holder
        WHERE holder.conversation_id = run.conversation_id
            AND holder.lease_token IS NOT NULL
            AND holder.lease_expires_at >= clock_timestamp())
LIMIT $2)
UNION ALL
(SELECT 'run_' || replace(run.id::text, '-', ''),
    format('is %s and was asked to end at %s', run.status, run.cancel_requested_at)
FROM openeve.runs AS run
WHERE run.cancel_requested_at < clock_timestamp() - $3 * INTERVAL '1 millisecond'
    AND run.finished_at IS NULL
    AND run.status IN ('waiting_approval', 'waiting_input', 'waiting_authorization')
    AND ($1::text IS NULL OR run.agent_id = $1)
    AND NOT EXISTS (
        SELECT FROM openeve.runs AS ahead
        WHERE ahead.conversation_id = run.conversation_id
            AND ahead.position < run.position
            AND ahead.status IN ('created', 'running')
            AND ahead.blocked_code IS NULL)
    AND NOT EXISTS (
        SELECT FROM openeve.runs AS holder
        WHERE holder.conversation_id = run.conversation_id
            AND holder.lease_token IS NOT NULL
            AND holder.lease_expires_at >= clock_timestamp())
LIMIT $2)
UNION ALL
(SELECT 'dlv_' || replace(d.id::text, '-', ''),
    format('is %s and has been due since %s', d.status,
        coalesce(d.next_attempt_at, d.lease_expires_at))
FROM openeve.deliveries AS d
JOIN openeve.runs AS run ON run.id = d.run_id AND ($1::text IS NULL OR run.agent_id = $1)
WHERE d.status IN ('pending', 'sending')
    AND coalesce(d.next_attempt_at, d.lease_expires_at)
        < clock_timestamp() - $4 * INTERVAL '1 millisecond'
LIMIT $2)
UNION ALL
(SELECT 'call_' || replace(p.tool_call_id::text, '-', ''),
    format('waits (generation %s) although it expired at %s', p.generation, p.expires_at)
FROM openeve.pauses AS p
JOIN openeve.runs AS run
    ON run.id = p.run_id AND run.finished_at IS NULL AND ($1::text IS NULL OR run.agent_id = $1)
WHERE p.status = 'pending'
    AND p.expires_at < clock_timestamp() - $3 * INTERVAL '1 millisecond'
LIMIT $2)
LIMIT $2
