-- How a pause stands. Called by: whoever decides, when there was nothing to decide. Locks: none.
SELECT p.status, p.decision, p.decided_by
FROM openeve.pauses AS p
WHERE p.run_id = $1 AND p.tool_call_id = $2 AND p.generation = $3
