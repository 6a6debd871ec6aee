-- What this run's calls wait or have waited for. Called by: step, in the claim's transaction.
-- Locks: none.
SELECT tool_call_id, generation, request, status, decision, decided_by
FROM openeve.pauses
WHERE run_id = $1
ORDER BY created_at, tool_call_id, generation
