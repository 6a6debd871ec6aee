-- Why a claim found no row; the final obligation's status, and what the rest of the tree spent. Called by: step, after the claim in
-- its transaction. Locks: none. Rows: one, or none when the run is unknown.
SELECT run.status,
    run.lease_token IS NOT NULL AND run.lease_expires_at >= clock_timestamp() AS leased,
    greatest(0, ceil(extract(epoch FROM run.not_before - clock_timestamp()) * 1000))::bigint AS wait_ms,
    run.cancel_requested_at IS NOT NULL AND run.finished_at IS NULL AS to_cancel,
    (SELECT status FROM openeve.deliveries WHERE key = $2) AS delivery,
    coalesce(nullif(c.tenant, ''), c.id::text) AS tenant,
    tree.input_tokens, tree.cached_tokens, tree.output_tokens, tree.reasoning_tokens,
    tree.cost_micros
FROM openeve.runs AS run
JOIN openeve.conversations AS c ON c.id = run.conversation_id
CROSS JOIN LATERAL (
    SELECT coalesce(sum(other.input_tokens), 0)::bigint AS input_tokens,
        coalesce(sum(other.cached_tokens), 0)::bigint AS cached_tokens,
        coalesce(sum(other.output_tokens), 0)::bigint AS output_tokens,
        coalesce(sum(other.reasoning_tokens), 0)::bigint AS reasoning_tokens,
        coalesce(sum(other.cost_micros), 0)::bigint AS cost_micros
    FROM openeve.runs AS other
    WHERE other.id <> run.id
        AND ((other.root_run_id = run.root_run_id AND other.parent_run_id IS NOT NULL)
            OR other.id = run.root_run_id)
) AS tree
WHERE run.id = $1
