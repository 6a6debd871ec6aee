-- What needs something, by kind: how many rows and the oldest of them. Age counts from when the row
-- was last touched, for what is due from when it was. A row of dead tuples names the table with most.
-- Reads: partial indices of open rows, whatever the history; the statistics of the tables.
-- Called by: doctor. Locks: none. Rows: one a kind.
WITH open AS MATERIALIZED (
    SELECT id, status, lease_token, lease_expires_at, blocked_code, created_at, updated_at
    FROM openeve.runs
    WHERE status IN ('created', 'running') AND ($1::text IS NULL OR agent_id = $1)
), waiting AS MATERIALIZED (
    SELECT DISTINCT run.id, run.status, run.updated_at
    FROM openeve.pauses AS p
    JOIN openeve.runs AS run ON run.id = p.run_id
    WHERE p.status = 'pending' AND ($1::text IS NULL OR run.agent_id = $1)
), owed AS MATERIALIZED (
    SELECT d.id, d.status, d.created_at, d.updated_at
    FROM openeve.deliveries AS d
    JOIN openeve.runs AS run ON run.id = d.run_id
    WHERE d.status IN ('pending', 'sending') AND ($1::text IS NULL OR run.agent_id = $1)
), row AS (
    SELECT 1 AS place, 'created runs' AS kind, 'run_' || replace(id::text, '-', '') AS id, created_at AS since
    FROM open WHERE status = 'created' AND blocked_code IS NULL
    UNION ALL
    SELECT 2, 'running, unleased', 'run_' || replace(id::text, '-', ''), updated_at
    FROM open WHERE status = 'running' AND lease_token IS NULL AND blocked_code IS NULL
    UNION ALL
    SELECT 3, 'running, leased', 'run_' || replace(id::text, '-', ''), updated_at
    FROM open WHERE lease_token IS NOT NULL AND lease_expires_at >= clock_timestamp()
    UNION ALL
    SELECT 4, 'running, lease expired', 'run_' || replace(id::text, '-', ''), lease_expires_at
    FROM open WHERE lease_token IS NOT NULL AND lease_expires_at < clock_timestamp()
    UNION ALL
    SELECT 5, 'waiting for approval', 'run_' || replace(id::text, '-', ''), updated_at
    FROM waiting WHERE status = 'waiting_approval'
    UNION ALL
    SELECT 6, 'waiting for input', 'run_' || replace(id::text, '-', ''), updated_at
    FROM waiting WHERE status = 'waiting_input'
    UNION ALL
    SELECT 7, 'waiting for authorization', 'run_' || replace(id::text, '-', ''), updated_at
    FROM waiting WHERE status = 'waiting_authorization'
    UNION ALL
    SELECT 8, 'blocked runs', 'run_' || replace(id::text, '-', ''), updated_at
    FROM open WHERE blocked_code IS NOT NULL
    UNION ALL
    SELECT 9, 'deliveries pending', 'dlv_' || replace(id::text, '-', ''), created_at
    FROM owed WHERE status = 'pending'
    UNION ALL
    SELECT 10, 'deliveries sending', 'dlv_' || replace(id::text, '-', ''), updated_at
    FROM owed WHERE status = 'sending'
    UNION ALL
    SELECT 11, 'pauses expired', 'call_' || replace(p.tool_call_id::text, '-', ''), p.expires_at
    FROM openeve.pauses AS p
    JOIN openeve.runs AS run ON run.id = p.run_id
    WHERE p.status = 'pending' AND p.expires_at <= clock_timestamp()
        AND ($1::text IS NULL OR run.agent_id = $1)
    UNION ALL
    SELECT 12, 'keys to be swept', NULL, k.expires_at
    FROM openeve.idempotency_keys AS k
    WHERE k.expires_at < clock_timestamp()
)
SELECT kind, count(row.since) AS count,
    (array_agg(row.id ORDER BY row.since))[1] AS oldest_id,
    extract(epoch FROM clock_timestamp() - min(row.since))::float8 AS oldest_s
FROM (VALUES
    (1, 'created runs'), (2, 'running, unleased'), (3, 'running, leased'),
    (4, 'running, lease expired'), (5, 'waiting for approval'), (6, 'waiting for input'),
    (7, 'waiting for authorization'), (8, 'blocked runs'), (9, 'deliveries pending'),
    (10, 'deliveries sending'), (11, 'pauses expired'), (12, 'keys to be swept')) AS k (place, kind)
LEFT JOIN row USING (place, kind)
GROUP BY place, kind
UNION ALL
SELECT 'dead rows', coalesce(sum(t.n_dead_tup), 0)::bigint,
    (array_agg(t.relname::text ORDER BY t.n_dead_tup DESC) FILTER (WHERE t.n_dead_tup > 0))[1],
    extract(epoch FROM clock_timestamp() - (array_agg(
        greatest(t.last_vacuum, t.last_autovacuum) ORDER BY t.n_dead_tup DESC))[1])::float8
FROM pg_stat_user_tables AS t
WHERE t.schemaname = 'openeve'
