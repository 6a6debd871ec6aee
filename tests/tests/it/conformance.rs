//! The conformance suite over Postgres, and mutants of its SQL: each safety clause, removed from the
//! statement on its way to the server or from the schema, fails the suite.

use std::sync::Arc;

use async_trait::async_trait;
use openeve_domain::secret::Secret;
use openeve_memory::snapshot::Snapshot;
use openeve_postgres::{PgStore, Pool};
use openeve_runtime::ports::Store;
use openeve_testkit::database::{TestDatabase, TestServer};
use openeve_testkit::wire::WireProxy;
use openeve_tests::conformance::{Bench, CHECKS, Check, Subject};
use openeve_tests::{migrated_database, snapshot};

/// A clause of the SQL: the check that examines it, and how it is removed.
struct Mutant {
    clause: &'static str,
    by: By,
}

enum By {
    /// This text of a statement becomes that one.
    Text(&'static str, &'static str),
    /// The schema changes.
    Schema(&'static str),
}

const fn text(clause: &'static str, from: &'static str, to: &'static str) -> Mutant {
    Mutant {
        clause,
        by: By::Text(from, to),
    }
}

const fn schema(clause: &'static str, sql: &'static str) -> Mutant {
    Mutant {
        clause,
        by: By::Schema(sql),
    }
}

/// One for each check of the suite.
const MUTANTS: &[Mutant] = &[
    text(
        "fence_epoch",
        "WHERE id = $1 AND epoch = $2 AND status",
        "WHERE id = $1 AND status",
    ),
    text("fence_commit_count", " AND commit_count = $19", ""),
    text(
        "fence_status_running",
        "epoch = $2 AND status = 'running' AND commit_count",
        "epoch = $2 AND commit_count",
    ),
    text(
        "cancel_wins",
        "\n        AND ($4 <> 'completed' OR cancel_requested_at IS NULL)",
        "",
    ),
    text(
        "claim_status",
        "(run.status IN ('created', 'running')\n        OR",
        "(true\n        OR",
    ),
    text(
        "claim_lease",
        "(run.lease_token IS NULL OR run.lease_token = $2 OR",
        "(true OR",
    ),
    text(
        "claim_order",
        "(run.lease_token IS NOT NULL OR NOT EXISTS",
        "(true OR NOT EXISTS",
    ),
    schema(
        "claim_one_lease",
        "DROP INDEX openeve.runs_one_lease_per_conversation",
    ),
    text(
        "claim_counts_stall",
        "run.lease_token <> $2 THEN 1 ELSE 0 END",
        "run.lease_token <> $2 THEN 0 ELSE 0 END",
    ),
    text(
        "idempotency_key_unique",
        "VALUES ($1, $2, coalesce",
        "VALUES ($1, $2 || gen_random_uuid()::text, coalesce",
    ),
    schema(
        "delivery_key_unique",
        "ALTER TABLE openeve.deliveries DROP CONSTRAINT deliveries_key_key; \
         CREATE UNIQUE INDEX ON openeve.deliveries (key, id)",
    ),
    text(
        "delivery_lease",
        "d.lease_expires_at < clock_timestamp() OR d.lease_token = $2",
        "true",
    ),
    text(
        "delivery_token",
        "WHERE id = $1 AND lease_token = $2\n    RETURNING id\n)",
        "WHERE id = $1\n    RETURNING id\n)",
    ),
    text(
        "part_token",
        "WHERE id = $1 AND lease_token = $2 AND status = 'sending'",
        "WHERE id = $1 AND status = 'sending'",
    ),
    text(
        "pause_pending",
        "p.generation = $3 AND p.status = 'pending'",
        "p.generation = $3",
    ),
    text(
        "due_runs",
        "WHERE run.status IN ('created', 'running')\n    AND run.agent_id = $3",
        "WHERE false AND run.agent_id = $3",
    ),
    text(
        "due_deliveries",
        "WHERE d.status IN ('pending', 'sending')",
        "WHERE d.status = 'pending'",
    ),
    text(
        "due_pauses",
        "WHERE p.status = 'pending' AND p.expires_at <= clock_timestamp()",
        "WHERE false",
    ),
    text(
        "withdraw_on_end",
        "WHERE run_id = $1 AND status = 'pending'",
        "WHERE false",
    ),
    text(
        "waiting_recomputed",
        "THEN openeve.status_with_pauses(id, $20::text[])",
        "THEN $4",
    ),
    text(
        "expired_only_when_due",
        "AND ($4 <> 'expired' OR p.expires_at <= clock_timestamp())",
        "",
    ),
    text(
        "heartbeat_epoch",
        "WHERE id = $1 AND epoch = $2 AND lease_token IS NOT NULL",
        "WHERE id = $1 AND lease_token IS NOT NULL",
    ),
    text(
        "events_dense",
        "run.event_seq - cardinality($2::text[]) + e.seq",
        "run.commit_count + e.seq",
    ),
];

/// A Postgres store under examination, on a database of its own.
struct Postgres {
    database: TestDatabase,
    proxy: Arc<WireProxy>,
    store: Arc<PgStore>,
}

impl Postgres {
    async fn new() -> Self {
        let database = migrated_database(TestServer::shared()).await;
        let proxy = Arc::new(WireProxy::start(&database.url()).await);
        let pool = Pool::new(&Secret::new(proxy.url()), 2, None).unwrap();
        Self {
            database,
            proxy,
            store: Arc::new(PgStore::new(pool)),
        }
    }
}

#[async_trait]
impl Bench for Postgres {
    fn store(&self) -> Arc<dyn Store> {
        self.store.clone()
    }

    async fn advance(&self, ms: i64) {
        let by = format!("INTERVAL '{ms} milliseconds'");
        let sql = format!(
            "UPDATE openeve.runs SET lease_expires_at = lease_expires_at - {by}, not_before = not_before - {by}, \
                 updated_at = updated_at - {by}; \
             UPDATE openeve.deliveries SET lease_expires_at = lease_expires_at - {by}, \
                 next_attempt_at = next_attempt_at - {by}; \
             UPDATE openeve.pauses SET expires_at = expires_at - {by}"
        );
        self.database
            .connect()
            .await
            .batch_execute(&sql)
            .await
            .unwrap();
    }

    async fn snapshot(&self) -> Snapshot {
        snapshot::read(&self.database.connect().await).await
    }
}

fn check(name: &str) -> &'static Check {
    let found = CHECKS.iter().find(|(check, _)| *check == name);
    found.unwrap_or_else(|| panic!("there is no check {name}"))
}

#[tokio::test]
async fn the_postgres_store_passes_the_conformance_suite() {
    for (name, check) in CHECKS {
        let subject = Subject::new(Postgres::new().await);
        let checked = check(&subject).await;
        assert_eq!(checked, Ok(()), "{name}");
    }
}

#[tokio::test]
async fn every_clause_missing_from_the_sql_is_noticed_by_its_own_check() {
    for mutant in MUTANTS {
        let postgres = Postgres::new().await;
        let proxy = postgres.proxy.clone();
        match mutant.by {
            By::Text(from, to) => proxy.rewrite(from, to),
            By::Schema(sql) => {
                let client = postgres.database.connect().await;
                client.batch_execute(sql).await.unwrap();
            }
        }
        let subject = Subject::new(postgres);
        let checked = check(mutant.clause).1(&subject).await;
        assert!(
            checked.is_err(),
            "nobody notices that {} is missing",
            mutant.clause
        );
        assert!(
            proxy.rewrote_all(),
            "{}: the text is in no statement",
            mutant.clause
        );
    }
}

#[test]
fn every_check_has_its_mutant_of_the_sql() {
    for (name, _) in CHECKS {
        let has = MUTANTS.iter().any(|mutant| mutant.clause == *name);
        assert!(has, "{name} has none");
    }
}

/// The schema's own backstops: what no statement of ours would do is refused all the same.
#[tokio::test]
async fn the_schema_refuses_what_no_statement_would_do() {
    let cases: &[(&str, &str, &str)] = &[
        (
            "I5",
            "UPDATE openeve.runs SET status = 'running', finished_at = NULL",
            "runs_terminal_is_final",
        ),
        (
            "I6",
            "UPDATE openeve.tool_calls SET status = 'failed'",
            "tool_calls_have_one_outcome",
        ),
        (
            "I9",
            "UPDATE openeve.deliveries SET status = 'failed'",
            "deliveries_terminal_is_final",
        ),
        (
            "I7",
            "UPDATE openeve.pauses SET status = 'expired', decision = NULL",
            "pauses_are_decided_once",
        ),
    ];
    for (invariant, sql, trigger) in cases {
        for removed in [false, true] {
            let database = migrated_database(TestServer::shared()).await;
            let client = database.connect().await;
            client.batch_execute(ENDED).await.unwrap();
            if removed {
                let table = sql.split_whitespace().nth(1).unwrap();
                let drop = format!("DROP TRIGGER {trigger} ON {table}");
                client.batch_execute(&drop).await.unwrap();
            }
            let refused = client.batch_execute(sql).await.is_err();
            assert_eq!(
                refused, !removed,
                "{invariant}, {trigger} removed: {removed}"
            );
        }
    }
}

/// A run that has ended, with a call, a pause and a delivery that have.
const ENDED: &str = "
    INSERT INTO openeve.conversations (id, agent_id, channel, external_key, run_position)
        VALUES ('00000000-0000-7000-8000-000000000001', 'a', 'c', 'k', 1);
    INSERT INTO openeve.runs (id, agent_id, agent_revision, conversation_id, position, root_run_id,
            trigger, channel, turn, status, finished_at)
        VALUES ('00000000-0000-7000-8000-000000000002', 'a', 'r', '00000000-0000-7000-8000-000000000001', 1,
            '00000000-0000-7000-8000-000000000002', 'message', 'c', '{}', 'completed', now());
    INSERT INTO openeve.tool_calls (id, run_id, entry_seq, ordinal, provider_call_id, name, arguments,
            side_effects, status, started_at, settled_at)
        VALUES ('00000000-0000-7000-8000-000000000003', '00000000-0000-7000-8000-000000000002', 1, 0,
            'c', 't', '{}', 'unsafe', 'succeeded', now(), now());
    INSERT INTO openeve.pauses (run_id, tool_call_id, generation, kind, request, status, decision,
            expires_at, decided_at)
        VALUES ('00000000-0000-7000-8000-000000000002', '00000000-0000-7000-8000-000000000003', 1,
            'approval', '{}', 'decided', '{\"verdict\": \"approve\"}', now(), now());
    INSERT INTO openeve.deliveries (id, key, run_id, conversation_id, channel, target, body, status,
            settled_at)
        VALUES ('00000000-0000-7000-8000-000000000004', 'final:x', '00000000-0000-7000-8000-000000000002',
            '00000000-0000-7000-8000-000000000001', 'c', 'null', '', 'sent', now());
";
