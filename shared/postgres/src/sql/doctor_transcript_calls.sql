-- The tool calls of some runs without arguments and results. Called by: doctor, in the transaction
-- that chose the runs. Locks: none. Reads: tool_calls by its index on runs.
SELECT run_id, id, entry_seq, ordinal, provider_call_id, name, side_effects, sequential, status
FROM openeve.tool_calls
WHERE run_id = ANY ($1)
ORDER BY run_id, entry_seq, ordinal
