-- The first schema: every table of the run protocol, and of the ledger's section O.
--
-- Rules that hold for all of it: forward only; expand, then contract. A row that needs work says
-- so itself (status, due time, lease), so that the tick can find it; there is no outbox table.
-- Leases are judged by clock_timestamp() of this database alone. The schema refuses impossible
-- rows: a CHECK ties each state to its timestamps, and no statement leaves a terminal status.
--
-- Lock order, for every statement that locks more than one row:
-- a waiting run that is answered, idempotency_keys, conversations, runs, tool_calls, pauses,
-- deliveries.

CREATE SCHEMA IF NOT EXISTS openeve;

CREATE TABLE openeve.agents (
    id text PRIMARY KEY CHECK (id <> ''),
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE openeve.agent_revisions (
    agent_id text NOT NULL REFERENCES openeve.agents (id),
    revision text NOT NULL CHECK (revision <> ''),
    -- Hash of what a continuation can reach: tool names, schemas, side-effect classes, engine.
    surface_hash text NOT NULL,
    registered_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (agent_id, revision)
);

CREATE TABLE openeve.conversations (
    id uuid PRIMARY KEY,
    agent_id text NOT NULL,
    channel text NOT NULL,
    external_key text NOT NULL,
    tenant text NOT NULL DEFAULT '',
    -- The position the newest run of the conversation was given; arrival order.
    run_position bigint NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (agent_id, channel, external_key)
);

CREATE TABLE openeve.runs (
    id uuid PRIMARY KEY,
    agent_id text NOT NULL,
    agent_revision text NOT NULL,
    conversation_id uuid NOT NULL REFERENCES openeve.conversations (id),
    position bigint NOT NULL,
    root_run_id uuid NOT NULL,
    parent_run_id uuid REFERENCES openeve.runs (id),
    trigger text NOT NULL CHECK (trigger IN (
        'message', 'schedule', 'api', 'subagent', 'routine', 'redrive')),
    channel text NOT NULL,
    turn jsonb NOT NULL,
    status text NOT NULL CHECK (status IN (
        'created', 'running', 'waiting_approval', 'waiting_input', 'waiting_authorization',
        'completed', 'failed', 'cancelled')),
    epoch bigint NOT NULL DEFAULT 0,
    lease_token uuid,
    lease_expires_at timestamptz,
    not_before timestamptz,
    -- The newest commit applied, so that a lost answer can be read back, and how many there were:
    -- a commit names the number it follows, so that a late copy of one is refused.
    commit_id uuid,
    commit_count bigint NOT NULL DEFAULT 0,
    step_count integer NOT NULL DEFAULT 0,
    stall_count integer NOT NULL DEFAULT 0,
    resume_count integer NOT NULL DEFAULT 0,
    model_failure_count integer NOT NULL DEFAULT 0,
    event_seq bigint NOT NULL DEFAULT 0,
    cancel_requested_at timestamptz,
    failure_code text,
    failure_message text,
    -- No build that claimed the run could read it; it is tried again from not_before on, keeps no
    -- other run of its conversation waiting, and is what an operator looks at.
    blocked_code text,
    blocked_message text,
    -- From when the bound on wall time counts: arrival, or the last time a person resumed it.
    wall_from timestamptz NOT NULL DEFAULT clock_timestamp(),
    redriven_from uuid REFERENCES openeve.runs (id),
    input_tokens bigint NOT NULL DEFAULT 0,
    cached_tokens bigint NOT NULL DEFAULT 0,
    output_tokens bigint NOT NULL DEFAULT 0,
    reasoning_tokens bigint NOT NULL DEFAULT 0,
    cost_micros bigint NOT NULL DEFAULT 0,
    metadata jsonb NOT NULL DEFAULT '{}',
    trace_parent text,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz,
    UNIQUE (conversation_id, position),
    CONSTRAINT runs_terminal_is_finished
        CHECK ((status IN ('completed', 'failed', 'cancelled')) = (finished_at IS NOT NULL)),
    CONSTRAINT runs_lease_is_whole CHECK ((lease_token IS NULL) = (lease_expires_at IS NULL)),
    CONSTRAINT runs_lease_means_running CHECK (lease_token IS NULL OR status = 'running'),
    CONSTRAINT runs_failed_has_reason CHECK ((status = 'failed') = (failure_code IS NOT NULL))
) WITH (fillfactor = 70);

-- At most one run of a conversation holds a lease (I11). The claim relies on it.
CREATE UNIQUE INDEX runs_one_lease_per_conversation
    ON openeve.runs (conversation_id) WHERE lease_token IS NOT NULL;
-- What the tick and the claim look through: few rows, whatever the history.
CREATE INDEX runs_unfinished ON openeve.runs (conversation_id, position)
    WHERE status IN ('created', 'running');
-- Waiting runs that somebody asked to end.
CREATE INDEX runs_to_cancel ON openeve.runs (cancel_requested_at)
    WHERE cancel_requested_at IS NOT NULL AND finished_at IS NULL;
CREATE INDEX runs_of_tree ON openeve.runs (root_run_id) WHERE parent_run_id IS NOT NULL;
CREATE INDEX runs_by_age ON openeve.runs (created_at DESC);

CREATE FUNCTION openeve.refuse_to_leave_terminal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% % is % for good and cannot become %', TG_TABLE_NAME, OLD.id, OLD.status, NEW.status
        USING ERRCODE = 'OE002';
END
$$;

CREATE TRIGGER runs_terminal_is_final BEFORE UPDATE OF status ON openeve.runs FOR EACH ROW
    WHEN (OLD.status IN ('completed', 'failed', 'cancelled') AND NEW.status <> OLD.status)
    EXECUTE FUNCTION openeve.refuse_to_leave_terminal();

-- Opens every commit: no row was updated under the writer's epoch, so nothing may be written.
CREATE FUNCTION openeve.require_epoch(rows_updated bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF rows_updated <> 1 THEN
        RAISE EXCEPTION 'superseded: another epoch has begun' USING ERRCODE = 'OE001';
    END IF;
END
$$;

-- The transcript: append-only. Results of tools are on the tool call's own row.
CREATE TABLE openeve.messages (
    conversation_id uuid NOT NULL REFERENCES openeve.conversations (id),
    run_position bigint NOT NULL,
    seq integer NOT NULL CHECK (seq >= 0),
    run_id uuid NOT NULL REFERENCES openeve.runs (id),
    kind text NOT NULL CHECK (kind IN ('user', 'tool_batch', 'answer')),
    body text NOT NULL,
    extra jsonb,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (conversation_id, run_position, seq)
);

CREATE TABLE openeve.run_events (
    run_id uuid NOT NULL REFERENCES openeve.runs (id),
    seq bigint NOT NULL CHECK (seq > 0),
    kind text NOT NULL CHECK (kind <> ''),
    payload jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (run_id, seq)
);

CREATE TABLE openeve.checkpoints (
    run_id uuid NOT NULL REFERENCES openeve.runs (id),
    seq integer NOT NULL CHECK (seq >= 0),
    v integer NOT NULL,
    engine text NOT NULL,
    engine_version integer NOT NULL,
    agent_revision text NOT NULL,
    surface text NOT NULL DEFAULT '',
    body jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (run_id, seq)
);

CREATE TABLE openeve.tool_calls (
    id uuid PRIMARY KEY,
    run_id uuid NOT NULL REFERENCES openeve.runs (id),
    entry_seq integer NOT NULL,
    ordinal integer NOT NULL,
    provider_call_id text NOT NULL,
    name text NOT NULL,
    arguments text NOT NULL,
    side_effects text NOT NULL CHECK (side_effects IN ('none', 'idempotent', 'unsafe')),
    sequential boolean NOT NULL DEFAULT false,
    -- What a person is asked before it runs.
    gate jsonb,
    status text NOT NULL CHECK (status IN (
        'requested', 'awaiting_approval', 'started', 'succeeded', 'failed', 'interrupted',
        'skipped', 'rejected', 'cancelled')),
    result jsonb,
    model_output text,
    requested_at timestamptz NOT NULL DEFAULT now(),
    started_at timestamptz,
    settled_at timestamptz,
    UNIQUE (run_id, entry_seq, ordinal),
    CONSTRAINT tool_calls_settled_has_time CHECK (
        (status NOT IN ('requested', 'awaiting_approval', 'started')) = (settled_at IS NOT NULL)),
    -- I6: no outcome without a start, cancelled, skipped and rejected excepted.
    CONSTRAINT tool_calls_outcome_has_start CHECK (
        status NOT IN ('started', 'succeeded', 'failed', 'interrupted') OR started_at IS NOT NULL)
) WITH (fillfactor = 70);

CREATE TRIGGER tool_calls_have_one_outcome BEFORE UPDATE OF status ON openeve.tool_calls FOR EACH ROW
    WHEN (OLD.settled_at IS NOT NULL AND NEW.status <> OLD.status)
    EXECUTE FUNCTION openeve.refuse_to_leave_terminal();

-- Approval gates, questions and authorization waits; one row a generation.
CREATE TABLE openeve.pauses (
    run_id uuid NOT NULL REFERENCES openeve.runs (id),
    tool_call_id uuid NOT NULL REFERENCES openeve.tool_calls (id),
    generation integer NOT NULL CHECK (generation > 0),
    kind text NOT NULL CHECK (kind IN ('approval', 'input', 'authorization')),
    request jsonb NOT NULL,
    status text NOT NULL CHECK (status IN ('pending', 'decided', 'expired', 'withdrawn')),
    decision jsonb,
    decided_by text,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    decided_at timestamptz,
    PRIMARY KEY (run_id, tool_call_id, generation),
    CONSTRAINT pauses_decided_has_decision CHECK ((status = 'decided') = (decision IS NOT NULL)),
    CONSTRAINT pauses_ended_has_time CHECK ((status = 'pending') = (decided_at IS NULL))
);
CREATE INDEX pauses_pending ON openeve.pauses (expires_at) WHERE status = 'pending';

CREATE FUNCTION openeve.refuse_second_decision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the pause of call % has ended as % and cannot become %',
        OLD.tool_call_id, OLD.status, NEW.status USING ERRCODE = 'OE002';
END
$$;

CREATE TRIGGER pauses_are_decided_once BEFORE UPDATE OF status ON openeve.pauses FOR EACH ROW
    WHEN (OLD.status <> 'pending' AND NEW.status <> OLD.status)
    EXECUTE FUNCTION openeve.refuse_second_decision();

-- The status of a run whose pending pauses are of these kinds; it runs when there is none. A
-- question comes first, since the next message answers it.
CREATE FUNCTION openeve.waiting_status(kinds text[]) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE
        WHEN 'input' = ANY (kinds) THEN 'waiting_input'
        WHEN 'approval' = ANY (kinds) THEN 'waiting_approval'
        WHEN 'authorization' = ANY (kinds) THEN 'waiting_authorization'
        ELSE 'running' END
$$;

-- These three are volatile on purpose: each is called behind the lock on the run, and only a
-- volatile function sees what whoever held that lock before has committed.

-- A run's oldest question that this sender may answer. A word that approvers are written with is
-- nobody's name.
CREATE FUNCTION openeve.open_question(run uuid, sender text)
RETURNS TABLE (tool_call_id uuid, generation integer) LANGUAGE sql VOLATILE AS $$
    SELECT p.tool_call_id, p.generation
    FROM openeve.pauses AS p
    JOIN openeve.runs AS r ON r.id = p.run_id
    WHERE p.run_id = run AND p.kind = 'input' AND p.status = 'pending'
        AND (p.request -> 'approvers' ? 'anyone'
            OR (p.request -> 'approvers' ? sender
                AND sender NOT IN ('anyone', 'requester', 'operator') AND sender NOT LIKE 'role:%')
            OR (p.request -> 'approvers' ? 'requester'
                AND (r.turn ->> 'sender' IS NULL OR r.turn ->> 'sender' = sender)))
    ORDER BY p.created_at, p.tool_call_id
    LIMIT 1
$$;

-- The status of a run once its pending pauses and new ones of these kinds count.
CREATE FUNCTION openeve.status_with_pauses(run uuid, kinds text[]) RETURNS text
LANGUAGE sql VOLATILE AS $$
    SELECT openeve.waiting_status(
        kinds || array(SELECT p.kind FROM openeve.pauses AS p WHERE p.run_id = run AND p.status = 'pending'))
$$;

-- The status of a run once one of its pauses has ended.
CREATE FUNCTION openeve.status_while_pending(run uuid, call uuid, ended integer) RETURNS text
LANGUAGE sql VOLATILE AS $$
    SELECT openeve.waiting_status(array(
        SELECT p.kind FROM openeve.pauses AS p
        WHERE p.run_id = run AND p.status = 'pending' AND (p.tool_call_id, p.generation) <> (call, ended)))
$$;

CREATE TABLE openeve.deliveries (
    id uuid PRIMARY KEY,
    key text NOT NULL UNIQUE,
    run_id uuid NOT NULL REFERENCES openeve.runs (id),
    conversation_id uuid NOT NULL REFERENCES openeve.conversations (id),
    channel text NOT NULL,
    target jsonb NOT NULL,
    body text NOT NULL,
    status text NOT NULL CHECK (status IN ('pending', 'sending', 'sent', 'suppressed', 'failed')),
    reason text,
    lease_token uuid,
    lease_expires_at timestamptz,
    attempt_count integer NOT NULL DEFAULT 0,
    next_attempt_at timestamptz,
    parts_sent integer NOT NULL DEFAULT 0,
    provider_ids jsonb NOT NULL DEFAULT '[]',
    last_error text,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    settled_at timestamptz,
    CONSTRAINT deliveries_sending_is_leased CHECK ((status = 'sending') = (lease_token IS NOT NULL)),
    CONSTRAINT deliveries_lease_is_whole CHECK ((lease_token IS NULL) = (lease_expires_at IS NULL)),
    CONSTRAINT deliveries_pending_is_due CHECK ((status = 'pending') = (next_attempt_at IS NOT NULL)),
    CONSTRAINT deliveries_terminal_is_settled
        CHECK ((status IN ('sent', 'suppressed', 'failed')) = (settled_at IS NOT NULL))
) WITH (fillfactor = 70);
CREATE INDEX deliveries_due ON openeve.deliveries (coalesce(next_attempt_at, lease_expires_at))
    WHERE status IN ('pending', 'sending');
CREATE INDEX deliveries_of_run ON openeve.deliveries (run_id);

CREATE TRIGGER deliveries_terminal_is_final BEFORE UPDATE OF status ON openeve.deliveries FOR EACH ROW
    WHEN (OLD.settled_at IS NOT NULL AND NEW.status <> OLD.status)
    EXECUTE FUNCTION openeve.refuse_to_leave_terminal();

CREATE TABLE openeve.idempotency_keys (
    scope text NOT NULL,
    key text NOT NULL,
    run_id uuid,
    result jsonb,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (scope, key)
);
CREATE INDEX idempotency_keys_expiry ON openeve.idempotency_keys (expires_at);

CREATE TABLE openeve.usage_records (
    run_id uuid NOT NULL REFERENCES openeve.runs (id),
    seq integer NOT NULL,
    model text NOT NULL,
    input_tokens bigint NOT NULL,
    cached_tokens bigint NOT NULL,
    output_tokens bigint NOT NULL,
    reasoning_tokens bigint NOT NULL,
    cost_micros bigint NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (run_id, seq)
);

-- Schedules: static ones come from the manifest and have a row only once an operator paused them;
-- dynamic ones and routines live here.
CREATE TABLE openeve.schedules (
    id uuid PRIMARY KEY,
    agent_id text NOT NULL,
    name text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('static', 'dynamic', 'routine')),
    owner text NOT NULL DEFAULT '',
    spec jsonb NOT NULL,
    state jsonb NOT NULL DEFAULT '{}',
    paused_at timestamptz,
    next_due_at timestamptz,
    last_run_at timestamptz,
    last_outcome text CHECK (last_outcome IN ('ok', 'skipped', 'failed')),
    failure_streak integer NOT NULL DEFAULT 0,
    lease_token uuid,
    lease_expires_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (agent_id, owner, name),
    CONSTRAINT schedules_lease_is_whole CHECK ((lease_token IS NULL) = (lease_expires_at IS NULL))
);
CREATE INDEX schedules_due ON openeve.schedules (next_due_at) WHERE paused_at IS NULL;

CREATE TABLE openeve.schedule_runs (
    agent_id text NOT NULL,
    schedule text NOT NULL,
    occurrence_at timestamptz NOT NULL,
    run_id uuid NOT NULL REFERENCES openeve.runs (id),
    outcome text CHECK (outcome IN ('ok', 'skipped', 'failed')),
    reason text,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (agent_id, schedule, occurrence_at)
);

CREATE TABLE openeve.memory_documents (
    agent_id text NOT NULL,
    scope text NOT NULL,
    path text NOT NULL,
    content text NOT NULL,
    content_hash text NOT NULL,
    search tsvector GENERATED ALWAYS AS (to_tsvector('simple', path || ' ' || content)) STORED,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (agent_id, scope, path)
);
CREATE INDEX memory_documents_search ON openeve.memory_documents USING gin (search);

CREATE TABLE openeve.memory_file_indexes (
    agent_id text NOT NULL,
    scope text NOT NULL,
    path text NOT NULL,
    blob_key text NOT NULL,
    size_bytes bigint NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (agent_id, scope, path)
);

CREATE TABLE openeve.file_catalog (
    id uuid PRIMARY KEY,
    agent_id text NOT NULL,
    conversation_id uuid REFERENCES openeve.conversations (id),
    run_id uuid REFERENCES openeve.runs (id),
    path text NOT NULL,
    blob_sha256 text NOT NULL CHECK (length(blob_sha256) = 64),
    size_bytes bigint NOT NULL,
    media_type text,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (conversation_id, path)
);

CREATE TABLE openeve.skills (
    agent_id text NOT NULL,
    name text NOT NULL,
    body text NOT NULL,
    content_hash text NOT NULL,
    -- The hash it was seeded with; equal to content_hash while nobody has edited it.
    seed_hash text,
    deleted_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (agent_id, name)
);

CREATE TABLE openeve.connection_definitions (
    agent_id text NOT NULL,
    name text NOT NULL,
    definition jsonb NOT NULL,
    approved_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (agent_id, name)
);

CREATE TABLE openeve.connection_grants (
    agent_id text NOT NULL,
    connection text NOT NULL,
    subject text NOT NULL,
    -- AES-256-GCM: nonce, ciphertext and tag; the key never enters the database.
    sealed bytea NOT NULL,
    key_id text NOT NULL,
    expires_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (agent_id, connection, subject)
);

CREATE TABLE openeve.sandbox_sessions (
    id uuid PRIMARY KEY,
    agent_id text NOT NULL,
    conversation_id uuid NOT NULL REFERENCES openeve.conversations (id),
    backend text NOT NULL,
    provider_id text,
    status text NOT NULL CHECK (status IN ('creating', 'live', 'idle', 'dirty', 'lost', 'closed')),
    state jsonb NOT NULL DEFAULT '{}',
    lease_token uuid,
    lease_expires_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    closed_at timestamptz,
    CONSTRAINT sandbox_sessions_lease_is_whole
        CHECK ((lease_token IS NULL) = (lease_expires_at IS NULL)),
    CONSTRAINT sandbox_sessions_closed_has_time CHECK ((status = 'closed') = (closed_at IS NOT NULL))
);
CREATE UNIQUE INDEX sandbox_sessions_one_open
    ON openeve.sandbox_sessions (agent_id, conversation_id) WHERE status NOT IN ('lost', 'closed');

CREATE TABLE openeve.sandbox_sync_jobs (
    id uuid PRIMARY KEY,
    session_id uuid NOT NULL REFERENCES openeve.sandbox_sessions (id),
    run_id uuid NOT NULL REFERENCES openeve.runs (id),
    status text NOT NULL CHECK (status IN ('pending', 'leased', 'done', 'blocked_requires_operator')),
    lease_token uuid,
    lease_expires_at timestamptz,
    attempt_count integer NOT NULL DEFAULT 0,
    next_attempt_at timestamptz,
    manifest jsonb NOT NULL DEFAULT '{}',
    last_error text,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT sandbox_sync_jobs_leased_has_lease CHECK ((status = 'leased') = (lease_token IS NOT NULL)),
    CONSTRAINT sandbox_sync_jobs_lease_is_whole
        CHECK ((lease_token IS NULL) = (lease_expires_at IS NULL)),
    CONSTRAINT sandbox_sync_jobs_pending_is_due CHECK ((status = 'pending') = (next_attempt_at IS NOT NULL))
);
CREATE INDEX sandbox_sync_jobs_due ON openeve.sandbox_sync_jobs (next_attempt_at) WHERE status = 'pending';

CREATE TABLE openeve.sandbox_snapshots (
    id uuid PRIMARY KEY,
    session_id uuid NOT NULL REFERENCES openeve.sandbox_sessions (id),
    provider_id text NOT NULL,
    reason text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz
);

CREATE TABLE openeve.sandbox_templates (
    key text PRIMARY KEY CHECK (length(key) = 64),
    backend text NOT NULL,
    provider_id text,
    snapshot_id text,
    status text NOT NULL CHECK (status IN ('building', 'built', 'ready', 'failed')),
    command_id text,
    attempt_count integer NOT NULL DEFAULT 0,
    last_error text,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT sandbox_templates_ready_has_snapshot CHECK (status <> 'ready' OR snapshot_id IS NOT NULL)
);
