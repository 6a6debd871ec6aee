-- I2: no two leases on one run overlap in the epochs that write.
-- Proves, as far as rows tell: recoveries come under ever higher epochs, none above the run's; each
-- claim and each first write has begun an epoch; what only commits write (answers of the model,
-- recoveries, releases, checkpoints) is no more than the commits that were counted, each of which
-- carries one at most.
-- Excuses: nothing; the commit that writes them counts itself.
-- Reads: the newest runs by runs_by_age, their events and checkpoints by primary key.
-- Called by: doctor. Locks: none. Rows: at most $3.
WITH looked AS MATERIALIZED (
    SELECT id, epoch, commit_count, step_count, lease_token
    FROM openeve.runs
    WHERE $1::text IS NULL OR agent_id = $1
    ORDER BY created_at DESC
    LIMIT $2
), written AS (
    SELECT e.run_id, e.seq, e.kind,
        CASE WHEN e.kind = 'run.recovery_claimed' AND jsonb_typeof(e.payload -> 'epoch') = 'number'
            THEN (e.payload ->> 'epoch')::numeric END AS epoch
    FROM looked AS run
    JOIN openeve.run_events AS e ON e.run_id = run.id
    WHERE e.kind IN ('model.responded', 'run.recovery_claimed', 'run.chained', 'run.parked')
), recovered AS (
    SELECT run_id, seq, epoch, lag(epoch) OVER (PARTITION BY run_id ORDER BY seq) AS before
    FROM written
    WHERE kind = 'run.recovery_claimed'
), commits AS (
    SELECT run.id, run.commit_count, coalesce(log.count, 0) AS logged,
        coalesce((SELECT max(c.seq) FROM openeve.checkpoints AS c WHERE c.run_id = run.id), 0)
            AS checkpointed
    FROM looked AS run
    LEFT JOIN (SELECT run_id, count(*) FROM written GROUP BY run_id) AS log ON log.run_id = run.id
)
(SELECT 'run_' || replace(recovered.run_id::text, '-', '') AS id,
    format('event %s recovered it under epoch %s, after %s; the run is at %s',
        recovered.seq, coalesce(recovered.epoch::text, 'none'),
        coalesce(recovered.before::text, 'none'), run.epoch) AS detail
FROM recovered
JOIN looked AS run ON run.id = recovered.run_id
WHERE recovered.epoch IS NULL
    OR recovered.epoch <= coalesce(recovered.before, 0)
    OR recovered.epoch > run.epoch
LIMIT $3)
UNION ALL
(SELECT 'run_' || replace(id::text, '-', ''),
    format('is at epoch %s after %s claims and %s commits', epoch, step_count, commit_count)
FROM looked
WHERE step_count > epoch OR (epoch = 0 AND (commit_count > 0 OR lease_token IS NOT NULL))
LIMIT $3)
UNION ALL
(SELECT 'run_' || replace(id::text, '-', ''),
    format('counts %s commits; its log tells of %s and its checkpoints of %s',
        commit_count, logged, checkpointed)
FROM commits
WHERE greatest(logged, checkpointed) > commit_count
LIMIT $3)
LIMIT $3
