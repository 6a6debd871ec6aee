-- Where a run of an agent stands. Called by: whoever found nothing to change. Locks: none.
SELECT status, blocked_code IS NOT NULL AS blocked FROM openeve.runs WHERE id = $1 AND agent_id = $2
