-- Removes checkpoints of runs that ended an hour ago or more: nothing resumes them any longer.
-- Called by: sweep. Locks: the rows removed, at most $1.
DELETE FROM openeve.checkpoints
WHERE (run_id, seq) IN (
    SELECT c.run_id, c.seq
    FROM openeve.checkpoints AS c
    JOIN openeve.runs AS run ON run.id = c.run_id
    WHERE run.finished_at < clock_timestamp() - INTERVAL '1 hour'
    LIMIT $1
    FOR UPDATE OF c SKIP LOCKED)
