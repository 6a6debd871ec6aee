-- This run's tool calls in call order, without their rich results, which no step reads.
-- Called by: step, in the claim's transaction. Locks: none.
SELECT id, entry_seq, ordinal, provider_call_id, name, arguments, side_effects, sequential,
    gate, status, model_output
FROM openeve.tool_calls
WHERE run_id = $1
ORDER BY entry_seq, ordinal
