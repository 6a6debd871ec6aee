-- Every migration applied, as pg_dump words it. Written by `tests/run --update`; a test compares.
CREATE SCHEMA openeve;
CREATE FUNCTION openeve.open_question(run uuid, sender text) RETURNS TABLE(tool_call_id uuid, generation integer)
    LANGUAGE sql
    AS $$
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
CREATE FUNCTION openeve.refuse_second_decision() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION 'the pause of call % has ended as % and cannot become %',
        OLD.tool_call_id, OLD.status, NEW.status USING ERRCODE = 'OE002';
END
$$;
CREATE FUNCTION openeve.refuse_to_leave_terminal() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION '% % is % for good and cannot become %', TG_TABLE_NAME, OLD.id, OLD.status, NEW.status
        USING ERRCODE = 'OE002';
END
$$;
CREATE FUNCTION openeve.require_epoch(rows_updated bigint) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF rows_updated <> 1 THEN
        RAISE EXCEPTION 'superseded: another epoch has begun' USING ERRCODE = 'OE001';
    END IF;
END
$$;
CREATE FUNCTION openeve.status_while_pending(run uuid, call uuid, ended integer) RETURNS text
    LANGUAGE sql
    AS $$
    SELECT openeve.waiting_status(array(
        SELECT p.kind FROM openeve.pauses AS p
        WHERE p.run_id = run AND p.status = 'pending' AND (p.tool_call_id, p.generation) <> (call, ended)))
$$;
CREATE FUNCTION openeve.status_with_pauses(run uuid, kinds text[]) RETURNS text
    LANGUAGE sql
    AS $$
    SELECT openeve.waiting_status(
        kinds || array(SELECT p.kind FROM openeve.pauses AS p WHERE p.run_id = run AND p.status = 'pending'))
$$;
CREATE FUNCTION openeve.waiting_status(kinds text[]) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$
    SELECT CASE
        WHEN 'input' = ANY (kinds) THEN 'waiting_input'
        WHEN 'approval' = ANY (kinds) THEN 'waiting_approval'
        WHEN 'authorization' = ANY (kinds) THEN 'waiting_authorization'
        ELSE 'running' END
$$;
CREATE TABLE openeve.agent_revisions (
    agent_id text NOT NULL,
    revision text NOT NULL,
    surface_hash text NOT NULL,
    registered_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT agent_revisions_revision_check CHECK ((revision <> ''::text))
);
CREATE TABLE openeve.agents (
    id text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT agents_id_check CHECK ((id <> ''::text))
);
CREATE TABLE openeve.checkpoints (
    run_id uuid NOT NULL,
    seq integer NOT NULL,
    v integer NOT NULL,
    engine text NOT NULL,
    engine_version integer NOT NULL,
    agent_revision text NOT NULL,
    surface text DEFAULT ''::text NOT NULL,
    body jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT checkpoints_seq_check CHECK ((seq >= 0))
);
CREATE TABLE openeve.connection_definitions (
    agent_id text NOT NULL,
    name text NOT NULL,
    definition jsonb NOT NULL,
    approved_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE openeve.connection_grants (
    agent_id text NOT NULL,
    connection text NOT NULL,
    subject text NOT NULL,
    sealed bytea NOT NULL,
    key_id text NOT NULL,
    expires_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE openeve.conversations (
    id uuid NOT NULL,
    agent_id text NOT NULL,
    channel text NOT NULL,
    external_key text NOT NULL,
    tenant text DEFAULT ''::text NOT NULL,
    run_position bigint DEFAULT 0 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE openeve.deliveries (
    id uuid NOT NULL,
    key text NOT NULL,
    run_id uuid NOT NULL,
    conversation_id uuid NOT NULL,
    channel text NOT NULL,
    target jsonb NOT NULL,
    body text NOT NULL,
    status text NOT NULL,
    reason text,
    lease_token uuid,
    lease_expires_at timestamp with time zone,
    attempt_count integer DEFAULT 0 NOT NULL,
    next_attempt_at timestamp with time zone,
    parts_sent integer DEFAULT 0 NOT NULL,
    provider_ids jsonb DEFAULT '[]'::jsonb NOT NULL,
    last_error text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    settled_at timestamp with time zone,
    CONSTRAINT deliveries_lease_is_whole CHECK (((lease_token IS NULL) = (lease_expires_at IS NULL))),
    CONSTRAINT deliveries_pending_is_due CHECK (((status = 'pending'::text) = (next_attempt_at IS NOT NULL))),
    CONSTRAINT deliveries_sending_is_leased CHECK (((status = 'sending'::text) = (lease_token IS NOT NULL))),
    CONSTRAINT deliveries_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'sending'::text, 'sent'::text, 'suppressed'::text, 'failed'::text]))),
    CONSTRAINT deliveries_terminal_is_settled CHECK (((status = ANY (ARRAY['sent'::text, 'suppressed'::text, 'failed'::text])) = (settled_at IS NOT NULL)))
)
WITH (fillfactor='70');
CREATE TABLE openeve.file_catalog (
    id uuid NOT NULL,
    agent_id text NOT NULL,
    conversation_id uuid,
    run_id uuid,
    path text NOT NULL,
    blob_sha256 text NOT NULL,
    size_bytes bigint NOT NULL,
    media_type text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT file_catalog_blob_sha256_check CHECK ((length(blob_sha256) = 64))
);
CREATE TABLE openeve.idempotency_keys (
    scope text NOT NULL,
    key text NOT NULL,
    run_id uuid,
    result jsonb,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL
);
CREATE TABLE openeve.memory_documents (
    agent_id text NOT NULL,
    scope text NOT NULL,
    path text NOT NULL,
    content text NOT NULL,
    content_hash text NOT NULL,
    search tsvector GENERATED ALWAYS AS (to_tsvector('simple'::regconfig, ((path || ' '::text) || content))) STORED,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE openeve.memory_file_indexes (
    agent_id text NOT NULL,
    scope text NOT NULL,
    path text NOT NULL,
    blob_key text NOT NULL,
    size_bytes bigint NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE openeve.messages (
    conversation_id uuid NOT NULL,
    run_position bigint NOT NULL,
    seq integer NOT NULL,
    run_id uuid NOT NULL,
    kind text NOT NULL,
    body text NOT NULL,
    extra jsonb,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT messages_kind_check CHECK ((kind = ANY (ARRAY['user'::text, 'tool_batch'::text, 'answer'::text]))),
    CONSTRAINT messages_seq_check CHECK ((seq >= 0))
);
CREATE TABLE openeve.openeve_schema_migrations (
    id text NOT NULL,
    checksum text NOT NULL,
    description text NOT NULL,
    package_version text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE openeve.pauses (
    run_id uuid NOT NULL,
    tool_call_id uuid NOT NULL,
    generation integer NOT NULL,
    kind text NOT NULL,
    request jsonb NOT NULL,
    status text NOT NULL,
    decision jsonb,
    decided_by text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    decided_at timestamp with time zone,
    CONSTRAINT pauses_decided_has_decision CHECK (((status = 'decided'::text) = (decision IS NOT NULL))),
    CONSTRAINT pauses_ended_has_time CHECK (((status = 'pending'::text) = (decided_at IS NULL))),
    CONSTRAINT pauses_generation_check CHECK ((generation > 0)),
    CONSTRAINT pauses_kind_check CHECK ((kind = ANY (ARRAY['approval'::text, 'input'::text, 'authorization'::text]))),
    CONSTRAINT pauses_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'decided'::text, 'expired'::text, 'withdrawn'::text])))
);
CREATE TABLE openeve.run_events (
    run_id uuid NOT NULL,
    seq bigint NOT NULL,
    kind text NOT NULL,
    payload jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT run_events_kind_check CHECK ((kind <> ''::text)),
    CONSTRAINT run_events_seq_check CHECK ((seq > 0))
);
CREATE TABLE openeve.runs (
    id uuid NOT NULL,
    agent_id text NOT NULL,
    agent_revision text NOT NULL,
    conversation_id uuid NOT NULL,
    "position" bigint NOT NULL,
    root_run_id uuid NOT NULL,
    parent_run_id uuid,
    trigger text NOT NULL,
    channel text NOT NULL,
    turn jsonb NOT NULL,
    status text NOT NULL,
    epoch bigint DEFAULT 0 NOT NULL,
    lease_token uuid,
    lease_expires_at timestamp with time zone,
    not_before timestamp with time zone,
    commit_id uuid,
    commit_count bigint DEFAULT 0 NOT NULL,
    step_count integer DEFAULT 0 NOT NULL,
    stall_count integer DEFAULT 0 NOT NULL,
    resume_count integer DEFAULT 0 NOT NULL,
    model_failure_count integer DEFAULT 0 NOT NULL,
    event_seq bigint DEFAULT 0 NOT NULL,
    cancel_requested_at timestamp with time zone,
    failure_code text,
    failure_message text,
    blocked_code text,
    blocked_message text,
    wall_from timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    redriven_from uuid,
    input_tokens bigint DEFAULT 0 NOT NULL,
    cached_tokens bigint DEFAULT 0 NOT NULL,
    output_tokens bigint DEFAULT 0 NOT NULL,
    reasoning_tokens bigint DEFAULT 0 NOT NULL,
    cost_micros bigint DEFAULT 0 NOT NULL,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    trace_parent text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    finished_at timestamp with time zone,
    CONSTRAINT runs_failed_has_reason CHECK (((status = 'failed'::text) = (failure_code IS NOT NULL))),
    CONSTRAINT runs_lease_is_whole CHECK (((lease_token IS NULL) = (lease_expires_at IS NULL))),
    CONSTRAINT runs_lease_means_running CHECK (((lease_token IS NULL) OR (status = 'running'::text))),
    CONSTRAINT runs_status_check CHECK ((status = ANY (ARRAY['created'::text, 'running'::text, 'waiting_approval'::text, 'waiting_input'::text, 'waiting_authorization'::text, 'completed'::text, 'failed'::text, 'cancelled'::text]))),
    CONSTRAINT runs_terminal_is_finished CHECK (((status = ANY (ARRAY['completed'::text, 'failed'::text, 'cancelled'::text])) = (finished_at IS NOT NULL))),
    CONSTRAINT runs_trigger_check CHECK ((trigger = ANY (ARRAY['message'::text, 'schedule'::text, 'api'::text, 'subagent'::text, 'routine'::text, 'redrive'::text])))
)
WITH (fillfactor='70');
CREATE TABLE openeve.sandbox_sessions (
    id uuid NOT NULL,
    agent_id text NOT NULL,
    conversation_id uuid NOT NULL,
    backend text NOT NULL,
    provider_id text,
    status text NOT NULL,
    state jsonb DEFAULT '{}'::jsonb NOT NULL,
    lease_token uuid,
    lease_expires_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    closed_at timestamp with time zone,
    CONSTRAINT sandbox_sessions_closed_has_time CHECK (((status = 'closed'::text) = (closed_at IS NOT NULL))),
    CONSTRAINT sandbox_sessions_lease_is_whole CHECK (((lease_token IS NULL) = (lease_expires_at IS NULL))),
    CONSTRAINT sandbox_sessions_status_check CHECK ((status = ANY (ARRAY['creating'::text, 'live'::text, 'idle'::text, 'dirty'::text, 'lost'::text, 'closed'::text])))
);
CREATE TABLE openeve.sandbox_snapshots (
    id uuid NOT NULL,
    session_id uuid NOT NULL,
    provider_id text NOT NULL,
    reason text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    deleted_at timestamp with time zone
);
CREATE TABLE openeve.sandbox_sync_jobs (
    id uuid NOT NULL,
    session_id uuid NOT NULL,
    run_id uuid NOT NULL,
    status text NOT NULL,
    lease_token uuid,
    lease_expires_at timestamp with time zone,
    attempt_count integer DEFAULT 0 NOT NULL,
    next_attempt_at timestamp with time zone,
    manifest jsonb DEFAULT '{}'::jsonb NOT NULL,
    last_error text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT sandbox_sync_jobs_lease_is_whole CHECK (((lease_token IS NULL) = (lease_expires_at IS NULL))),
    CONSTRAINT sandbox_sync_jobs_leased_has_lease CHECK (((status = 'leased'::text) = (lease_token IS NOT NULL))),
    CONSTRAINT sandbox_sync_jobs_pending_is_due CHECK (((status = 'pending'::text) = (next_attempt_at IS NOT NULL))),
    CONSTRAINT sandbox_sync_jobs_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'leased'::text, 'done'::text, 'blocked_requires_operator'::text])))
);
CREATE TABLE openeve.sandbox_templates (
    key text NOT NULL,
    backend text NOT NULL,
    provider_id text,
    snapshot_id text,
    status text NOT NULL,
    command_id text,
    attempt_count integer DEFAULT 0 NOT NULL,
    last_error text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT sandbox_templates_key_check CHECK ((length(key) = 64)),
    CONSTRAINT sandbox_templates_ready_has_snapshot CHECK (((status <> 'ready'::text) OR (snapshot_id IS NOT NULL))),
    CONSTRAINT sandbox_templates_status_check CHECK ((status = ANY (ARRAY['building'::text, 'built'::text, 'ready'::text, 'failed'::text])))
);
CREATE TABLE openeve.schedule_runs (
    agent_id text NOT NULL,
    schedule text NOT NULL,
    occurrence_at timestamp with time zone NOT NULL,
    run_id uuid NOT NULL,
    outcome text,
    reason text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT schedule_runs_outcome_check CHECK ((outcome = ANY (ARRAY['ok'::text, 'skipped'::text, 'failed'::text])))
);
CREATE TABLE openeve.schedules (
    id uuid NOT NULL,
    agent_id text NOT NULL,
    name text NOT NULL,
    kind text NOT NULL,
    owner text DEFAULT ''::text NOT NULL,
    spec jsonb NOT NULL,
    state jsonb DEFAULT '{}'::jsonb NOT NULL,
    paused_at timestamp with time zone,
    next_due_at timestamp with time zone,
    last_run_at timestamp with time zone,
    last_outcome text,
    failure_streak integer DEFAULT 0 NOT NULL,
    lease_token uuid,
    lease_expires_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT schedules_kind_check CHECK ((kind = ANY (ARRAY['static'::text, 'dynamic'::text, 'routine'::text]))),
    CONSTRAINT schedules_last_outcome_check CHECK ((last_outcome = ANY (ARRAY['ok'::text, 'skipped'::text, 'failed'::text]))),
    CONSTRAINT schedules_lease_is_whole CHECK (((lease_token IS NULL) = (lease_expires_at IS NULL)))
);
CREATE TABLE openeve.skills (
    agent_id text NOT NULL,
    name text NOT NULL,
    body text NOT NULL,
    content_hash text NOT NULL,
    seed_hash text,
    deleted_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE openeve.tool_calls (
    id uuid NOT NULL,
    run_id uuid NOT NULL,
    entry_seq integer NOT NULL,
    ordinal integer NOT NULL,
    provider_call_id text NOT NULL,
    name text NOT NULL,
    arguments text NOT NULL,
    side_effects text NOT NULL,
    sequential boolean DEFAULT false NOT NULL,
    gate jsonb,
    status text NOT NULL,
    result jsonb,
    model_output text,
    requested_at timestamp with time zone DEFAULT now() NOT NULL,
    started_at timestamp with time zone,
    settled_at timestamp with time zone,
    CONSTRAINT tool_calls_outcome_has_start CHECK (((status <> ALL (ARRAY['started'::text, 'succeeded'::text, 'failed'::text, 'interrupted'::text])) OR (started_at IS NOT NULL))),
    CONSTRAINT tool_calls_settled_has_time CHECK (((status <> ALL (ARRAY['requested'::text, 'awaiting_approval'::text, 'started'::text])) = (settled_at IS NOT NULL))),
    CONSTRAINT tool_calls_side_effects_check CHECK ((side_effects = ANY (ARRAY['none'::text, 'idempotent'::text, 'unsafe'::text]))),
    CONSTRAINT tool_calls_status_check CHECK ((status = ANY (ARRAY['requested'::text, 'awaiting_approval'::text, 'started'::text, 'succeeded'::text, 'failed'::text, 'interrupted'::text, 'skipped'::text, 'rejected'::text, 'cancelled'::text])))
)
WITH (fillfactor='70');
CREATE TABLE openeve.usage_records (
    run_id uuid NOT NULL,
    seq integer NOT NULL,
    model text NOT NULL,
    input_tokens bigint NOT NULL,
    cached_tokens bigint NOT NULL,
    output_tokens bigint NOT NULL,
    reasoning_tokens bigint NOT NULL,
    cost_micros bigint NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY openeve.agent_revisions
    ADD CONSTRAINT agent_revisions_pkey PRIMARY KEY (agent_id, revision);
ALTER TABLE ONLY openeve.agents
    ADD CONSTRAINT agents_pkey PRIMARY KEY (id);
ALTER TABLE ONLY openeve.checkpoints
    ADD CONSTRAINT checkpoints_pkey PRIMARY KEY (run_id, seq);
ALTER TABLE ONLY openeve.connection_definitions
    ADD CONSTRAINT connection_definitions_pkey PRIMARY KEY (agent_id, name);
ALTER TABLE ONLY openeve.connection_grants
    ADD CONSTRAINT connection_grants_pkey PRIMARY KEY (agent_id, connection, subject);
ALTER TABLE ONLY openeve.conversations
    ADD CONSTRAINT conversations_agent_id_channel_external_key_key UNIQUE (agent_id, channel, external_key);
ALTER TABLE ONLY openeve.conversations
    ADD CONSTRAINT conversations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY openeve.deliveries
    ADD CONSTRAINT deliveries_key_key UNIQUE (key);
ALTER TABLE ONLY openeve.deliveries
    ADD CONSTRAINT deliveries_pkey PRIMARY KEY (id);
ALTER TABLE ONLY openeve.file_catalog
    ADD CONSTRAINT file_catalog_conversation_id_path_key UNIQUE (conversation_id, path);
ALTER TABLE ONLY openeve.file_catalog
    ADD CONSTRAINT file_catalog_pkey PRIMARY KEY (id);
ALTER TABLE ONLY openeve.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (scope, key);
ALTER TABLE ONLY openeve.memory_documents
    ADD CONSTRAINT memory_documents_pkey PRIMARY KEY (agent_id, scope, path);
ALTER TABLE ONLY openeve.memory_file_indexes
    ADD CONSTRAINT memory_file_indexes_pkey PRIMARY KEY (agent_id, scope, path);
ALTER TABLE ONLY openeve.messages
    ADD CONSTRAINT messages_pkey PRIMARY KEY (conversation_id, run_position, seq);
ALTER TABLE ONLY openeve.openeve_schema_migrations
    ADD CONSTRAINT openeve_schema_migrations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY openeve.pauses
    ADD CONSTRAINT pauses_pkey PRIMARY KEY (run_id, tool_call_id, generation);
ALTER TABLE ONLY openeve.run_events
    ADD CONSTRAINT run_events_pkey PRIMARY KEY (run_id, seq);
ALTER TABLE ONLY openeve.runs
    ADD CONSTRAINT runs_conversation_id_position_key UNIQUE (conversation_id, "position");
ALTER TABLE ONLY openeve.runs
    ADD CONSTRAINT runs_pkey PRIMARY KEY (id);
ALTER TABLE ONLY openeve.sandbox_sessions
    ADD CONSTRAINT sandbox_sessions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY openeve.sandbox_snapshots
    ADD CONSTRAINT sandbox_snapshots_pkey PRIMARY KEY (id);
ALTER TABLE ONLY openeve.sandbox_sync_jobs
    ADD CONSTRAINT sandbox_sync_jobs_pkey PRIMARY KEY (id);
ALTER TABLE ONLY openeve.sandbox_templates
    ADD CONSTRAINT sandbox_templates_pkey PRIMARY KEY (key);
ALTER TABLE ONLY openeve.schedule_runs
    ADD CONSTRAINT schedule_runs_pkey PRIMARY KEY (agent_id, schedule, occurrence_at);
ALTER TABLE ONLY openeve.schedules
    ADD CONSTRAINT schedules_agent_id_owner_name_key UNIQUE (agent_id, owner, name);
ALTER TABLE ONLY openeve.schedules
    ADD CONSTRAINT schedules_pkey PRIMARY KEY (id);
ALTER TABLE ONLY openeve.skills
    ADD CONSTRAINT skills_pkey PRIMARY KEY (agent_id, name);
ALTER TABLE ONLY openeve.tool_calls
    ADD CONSTRAINT tool_calls_pkey PRIMARY KEY (id);
ALTER TABLE ONLY openeve.tool_calls
    ADD CONSTRAINT tool_calls_run_id_entry_seq_ordinal_key UNIQUE (run_id, entry_seq, ordinal);
ALTER TABLE ONLY openeve.usage_records
    ADD CONSTRAINT usage_records_pkey PRIMARY KEY (run_id, seq);
CREATE INDEX deliveries_due ON openeve.deliveries USING btree (COALESCE(next_attempt_at, lease_expires_at)) WHERE (status = ANY (ARRAY['pending'::text, 'sending'::text]));
CREATE INDEX deliveries_of_run ON openeve.deliveries USING btree (run_id);
CREATE INDEX idempotency_keys_expiry ON openeve.idempotency_keys USING btree (expires_at);
CREATE INDEX memory_documents_search ON openeve.memory_documents USING gin (search);
CREATE INDEX pauses_pending ON openeve.pauses USING btree (expires_at) WHERE (status = 'pending'::text);
CREATE INDEX runs_by_age ON openeve.runs USING btree (created_at DESC);
CREATE INDEX runs_of_tree ON openeve.runs USING btree (root_run_id) WHERE (parent_run_id IS NOT NULL);
CREATE UNIQUE INDEX runs_one_lease_per_conversation ON openeve.runs USING btree (conversation_id) WHERE (lease_token IS NOT NULL);
CREATE INDEX runs_to_cancel ON openeve.runs USING btree (cancel_requested_at) WHERE ((cancel_requested_at IS NOT NULL) AND (finished_at IS NULL));
CREATE INDEX runs_unfinished ON openeve.runs USING btree (conversation_id, "position") WHERE (status = ANY (ARRAY['created'::text, 'running'::text]));
CREATE UNIQUE INDEX sandbox_sessions_one_open ON openeve.sandbox_sessions USING btree (agent_id, conversation_id) WHERE (status <> ALL (ARRAY['lost'::text, 'closed'::text]));
CREATE INDEX sandbox_sync_jobs_due ON openeve.sandbox_sync_jobs USING btree (next_attempt_at) WHERE (status = 'pending'::text);
CREATE INDEX schedules_due ON openeve.schedules USING btree (next_due_at) WHERE (paused_at IS NULL);
CREATE TRIGGER deliveries_terminal_is_final BEFORE UPDATE OF status ON openeve.deliveries FOR EACH ROW WHEN (((old.settled_at IS NOT NULL) AND (new.status <> old.status))) EXECUTE FUNCTION openeve.refuse_to_leave_terminal();
CREATE TRIGGER pauses_are_decided_once BEFORE UPDATE OF status ON openeve.pauses FOR EACH ROW WHEN (((old.status <> 'pending'::text) AND (new.status <> old.status))) EXECUTE FUNCTION openeve.refuse_second_decision();
CREATE TRIGGER runs_terminal_is_final BEFORE UPDATE OF status ON openeve.runs FOR EACH ROW WHEN (((old.status = ANY (ARRAY['completed'::text, 'failed'::text, 'cancelled'::text])) AND (new.status <> old.status))) EXECUTE FUNCTION openeve.refuse_to_leave_terminal();
CREATE TRIGGER tool_calls_have_one_outcome BEFORE UPDATE OF status ON openeve.tool_calls FOR EACH ROW WHEN (((old.settled_at IS NOT NULL) AND (new.status <> old.status))) EXECUTE FUNCTION openeve.refuse_to_leave_terminal();
ALTER TABLE ONLY openeve.agent_revisions
    ADD CONSTRAINT agent_revisions_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES openeve.agents(id);
ALTER TABLE ONLY openeve.checkpoints
    ADD CONSTRAINT checkpoints_run_id_fkey FOREIGN KEY (run_id) REFERENCES openeve.runs(id);
ALTER TABLE ONLY openeve.deliveries
    ADD CONSTRAINT deliveries_conversation_id_fkey FOREIGN KEY (conversation_id) REFERENCES openeve.conversations(id);
ALTER TABLE ONLY openeve.deliveries
    ADD CONSTRAINT deliveries_run_id_fkey FOREIGN KEY (run_id) REFERENCES openeve.runs(id);
ALTER TABLE ONLY openeve.file_catalog
    ADD CONSTRAINT file_catalog_conversation_id_fkey FOREIGN KEY (conversation_id) REFERENCES openeve.conversations(id);
ALTER TABLE ONLY openeve.file_catalog
    ADD CONSTRAINT file_catalog_run_id_fkey FOREIGN KEY (run_id) REFERENCES openeve.runs(id);
ALTER TABLE ONLY openeve.messages
    ADD CONSTRAINT messages_conversation_id_fkey FOREIGN KEY (conversation_id) REFERENCES openeve.conversations(id);
ALTER TABLE ONLY openeve.messages
    ADD CONSTRAINT messages_run_id_fkey FOREIGN KEY (run_id) REFERENCES openeve.runs(id);
ALTER TABLE ONLY openeve.pauses
    ADD CONSTRAINT pauses_run_id_fkey FOREIGN KEY (run_id) REFERENCES openeve.runs(id);
ALTER TABLE ONLY openeve.pauses
    ADD CONSTRAINT pauses_tool_call_id_fkey FOREIGN KEY (tool_call_id) REFERENCES openeve.tool_calls(id);
ALTER TABLE ONLY openeve.run_events
    ADD CONSTRAINT run_events_run_id_fkey FOREIGN KEY (run_id) REFERENCES openeve.runs(id);
ALTER TABLE ONLY openeve.runs
    ADD CONSTRAINT runs_conversation_id_fkey FOREIGN KEY (conversation_id) REFERENCES openeve.conversations(id);
ALTER TABLE ONLY openeve.runs
    ADD CONSTRAINT runs_parent_run_id_fkey FOREIGN KEY (parent_run_id) REFERENCES openeve.runs(id);
ALTER TABLE ONLY openeve.runs
    ADD CONSTRAINT runs_redriven_from_fkey FOREIGN KEY (redriven_from) REFERENCES openeve.runs(id);
ALTER TABLE ONLY openeve.sandbox_sessions
    ADD CONSTRAINT sandbox_sessions_conversation_id_fkey FOREIGN KEY (conversation_id) REFERENCES openeve.conversations(id);
ALTER TABLE ONLY openeve.sandbox_snapshots
    ADD CONSTRAINT sandbox_snapshots_session_id_fkey FOREIGN KEY (session_id) REFERENCES openeve.sandbox_sessions(id);
ALTER TABLE ONLY openeve.sandbox_sync_jobs
    ADD CONSTRAINT sandbox_sync_jobs_run_id_fkey FOREIGN KEY (run_id) REFERENCES openeve.runs(id);
ALTER TABLE ONLY openeve.sandbox_sync_jobs
    ADD CONSTRAINT sandbox_sync_jobs_session_id_fkey FOREIGN KEY (session_id) REFERENCES openeve.sandbox_sessions(id);
ALTER TABLE ONLY openeve.schedule_runs
    ADD CONSTRAINT schedule_runs_run_id_fkey FOREIGN KEY (run_id) REFERENCES openeve.runs(id);
ALTER TABLE ONLY openeve.tool_calls
    ADD CONSTRAINT tool_calls_run_id_fkey FOREIGN KEY (run_id) REFERENCES openeve.runs(id);
ALTER TABLE ONLY openeve.usage_records
    ADD CONSTRAINT usage_records_run_id_fkey FOREIGN KEY (run_id) REFERENCES openeve.runs(id);
