//! One database, the handlers over it, and the scripts they follow.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, Method};
use jiff::Timestamp;
use openeve_domain::bell::Place;
use openeve_domain::ids::{DeliveryId, RunId};
use openeve_domain::manifest::Manifest;
use openeve_domain::secret::Secret;
use openeve_postgres::doctor::{INVARIANTS, Scope, Verdict};
use openeve_postgres::{PgStore, Pool, migrate};
use openeve_runtime::config::{Settings, Values};
use openeve_runtime::delivery::{DeliveryDeps, deliver};
use openeve_runtime::ingress::{IngressDeps, IngressRequest, IngressResponse, handle};
use openeve_runtime::ports::{NoObserver, PortError, RunView, Store as _, StoredEvent};
use openeve_runtime::resume::ResumeDeps;
use openeve_runtime::step::{StepDeps, Stepped, step};
use openeve_runtime::tick::{TickDeps, tick};
use openeve_testkit::clock::FakeClock;
use openeve_testkit::database::{TestDatabase, TestServer};
use openeve_testkit::ids::SequentialIds;
use openeve_testkit::wire::WireProxy;
use serde_json::{Value, json};

use crate::{ClosureTools, RecordingDoorbell, ScriptedEngine, ScriptedSender};

/// How long a step may take in these tests.
const STEP_MS: u64 = 300_000;

/// What differs from world to world.
pub struct WorldOptions {
    /// The agent.
    pub manifest: Manifest,
    /// What it thinks.
    pub engine: ScriptedEngine,
    /// What its tools do.
    pub tools: ClosureTools,
    /// Whether the step sends replies itself.
    pub inline: bool,
}

/// One database and the handlers over it. Several workers may share it.
pub struct World {
    /// The database.
    pub database: TestDatabase,
    /// What counts and breaks its traffic.
    pub proxy: WireProxy,
    /// All truth.
    pub store: Arc<PgStore>,
    /// Who was rung.
    pub bells: Arc<RecordingDoorbell>,
    /// What was sent.
    pub sender: Arc<ScriptedSender>,
    /// What was thought.
    pub engine: Arc<ScriptedEngine>,
    /// What was done.
    pub tools: Arc<ClosureTools>,
    /// The clock of this process; the database has its own.
    pub clock: Arc<FakeClock>,
    ids: Arc<SequentialIds>,
    manifest: Arc<Manifest>,
    /// The knobs.
    pub settings: Settings,
}

impl World {
    /// A world of its own.
    pub async fn new(options: WorldOptions) -> Self {
        Self::on(TestServer::shared(), options).await
    }

    /// A world on a server of its own.
    pub async fn on(server: TestServer, options: WorldOptions) -> Self {
        let database = migrated_database(server).await;
        let proxy = WireProxy::start(&database.url()).await;
        let store = Arc::new(PgStore::new(
            Pool::new(&Secret::new(proxy.url()), 4, None).unwrap(),
        ));
        let values = Values::read(|name| match name {
            "OPENEVE_MODE" => Some("development".into()),
            "OPENEVE_DELIVERY_INLINE" => Some(options.inline.to_string()),
            _ => None,
        });
        Self {
            database,
            proxy,
            store,
            bells: Arc::default(),
            sender: Arc::default(),
            engine: Arc::new(options.engine),
            tools: Arc::new(options.tools),
            clock: Arc::new(FakeClock::manual(Timestamp::UNIX_EPOCH)),
            ids: Arc::new(SequentialIds::new(1)),
            manifest: Arc::new(options.manifest),
            settings: Settings::of(&values.unwrap()),
        }
    }

    /// What a step reaches the world through.
    pub fn step_deps(&self) -> StepDeps {
        StepDeps {
            store: self.store.clone(),
            engine: self.engine.clone(),
            tools: self.tools.clone(),
            arguments: Arc::default(),
            sender: self.sender.clone(),
            doorbell: self.bells.clone(),
            clock: self.clock.clone(),
            ids: self.ids.clone(),
            observer: Arc::new(NoObserver),
            manifest: self.manifest.clone(),
            settings: self.settings.clone(),
            draining: Arc::default(),
        }
    }

    /// What the ingress reaches the world through.
    pub fn ingress_deps(&self) -> IngressDeps {
        IngressDeps {
            store: self.store.clone(),
            doorbell: self.bells.clone(),
            clock: self.clock.clone(),
            ids: self.ids.clone(),
            observer: Arc::new(NoObserver),
            manifest: self.manifest.clone(),
            settings: self.settings.clone(),
            env: Arc::default(),
            admin_token: None,
            scheduler_secret: None,
        }
    }

    /// What the delivery function reaches the world through.
    pub fn delivery_deps(&self) -> DeliveryDeps {
        DeliveryDeps {
            store: self.store.clone(),
            sender: self.sender.clone(),
            doorbell: self.bells.clone(),
            clock: self.clock.clone(),
            ids: self.ids.clone(),
            observer: Arc::new(NoObserver),
            manifest: self.manifest.clone(),
            settings: self.settings.clone(),
        }
    }

    /// What the tick reaches the world through.
    pub fn tick_deps(&self) -> TickDeps {
        TickDeps {
            store: self.store.clone(),
            doorbell: self.bells.clone(),
            clock: self.clock.clone(),
            ids: self.ids.clone(),
            observer: Arc::new(NoObserver),
            manifest: self.manifest.clone(),
            settings: self.settings.clone(),
            registered: Arc::new(true.into()),
        }
    }

    /// What deciding reaches the world through.
    pub fn resume_deps(&self) -> ResumeDeps {
        ResumeDeps {
            store: self.store.clone(),
            doorbell: self.bells.clone(),
            ids: self.ids.clone(),
            observer: Arc::new(NoObserver),
            agent_id: self.manifest.agent.id.clone(),
        }
    }

    /// Posts a body to a path, as a caller would.
    pub async fn post(&self, path: &str, body: impl Into<Bytes>) -> IngressResponse {
        let mut headers = HeaderMap::new();
        headers.insert("content-type", "application/json".parse().unwrap());
        let request = IngressRequest {
            method: Method::POST,
            path: path.into(),
            query: String::new(),
            headers,
            body: body.into(),
        };
        handle(&self.ingress_deps(), request).await
    }

    /// Says something in a conversation and returns its run.
    pub async fn say(&self, conversation: &str, text: &str) -> RunId {
        let body = json!({"message": text, "conversation": conversation}).to_string();
        let response = self.post("/message", body).await;
        let body: Value = serde_json::from_slice(&response.body).unwrap();
        assert_eq!(response.status, 202, "{body}");
        body["run_id"].as_str().unwrap().parse().unwrap()
    }

    /// Rings one run once.
    pub async fn step(&self, run_id: RunId) -> Result<Stepped, PortError> {
        step(&self.step_deps(), run_id, STEP_MS).await
    }

    /// Answers every bell, and the bells those ring, until it is quiet.
    pub async fn settle(&self) {
        loop {
            let bells = self.bells.take();
            if bells.is_empty() {
                return;
            }
            for (place, _) in bells {
                match place {
                    Place::Run { run_id } => drop(self.step(run_id).await.unwrap()),
                    Place::Delivery { delivery_id } => self.deliver(delivery_id).await,
                }
            }
        }
    }

    /// Rings one delivery once.
    pub async fn deliver(&self, id: DeliveryId) {
        deliver(&self.delivery_deps(), id).await.unwrap();
    }

    /// A run as people read it.
    pub async fn view(&self, run_id: RunId) -> RunView {
        self.store
            .run_view(&self.manifest.agent.id, run_id)
            .await
            .unwrap()
            .expect("the run exists")
    }

    /// A run's events.
    pub async fn events(&self, run_id: RunId) -> Vec<StoredEvent> {
        self.store
            .run_events(&self.manifest.agent.id, run_id, 0, 10_000)
            .await
            .unwrap()
    }

    /// The kinds of a run's events, in order.
    pub async fn kinds(&self, run_id: RunId) -> Vec<String> {
        self.events(run_id)
            .await
            .into_iter()
            .map(|event| event.kind)
            .collect()
    }

    /// Ticks as if a minute had passed, and answers what that rings.
    pub async fn tick_late(&self) {
        let client = self.database.connect().await;
        let age = "UPDATE openeve.runs SET updated_at = updated_at - INTERVAL '1 minute' WHERE finished_at IS NULL; \
                   UPDATE openeve.deliveries SET next_attempt_at = next_attempt_at - INTERVAL '1 minute'";
        client.batch_execute(age).await.unwrap();
        tick(&self.tick_deps()).await.unwrap();
        self.settle().await;
    }

    /// Makes the database believe that every lease ran out an hour ago.
    pub async fn expire_leases(&self) {
        let client = self.database.connect().await;
        for table in ["runs", "deliveries"] {
            let sql = format!(
                "UPDATE openeve.{table} SET lease_expires_at = clock_timestamp() - INTERVAL '1 hour' \
                 WHERE lease_token IS NOT NULL"
            );
            client.batch_execute(&sql).await.unwrap();
        }
    }

    /// Asserts what the doctor asserts of a live database, but for what is only late: tests age rows.
    pub async fn assert_invariants(&self) {
        // Past the proxy, whose traffic tests count and break.
        let url = Secret::new(self.database.url());
        let store = PgStore::new(Pool::new(&url, 1, None).unwrap());
        let scope = Scope::default();
        for invariant in INVARIANTS.iter().filter(|one| one.id != "I17") {
            let verdict = store.check(invariant, &scope).await.unwrap();
            let holds = matches!(verdict, Verdict::Ok { .. } | Verdict::NotApplicable { .. });
            assert!(holds, "{}: {}: {verdict:#?}", invariant.id, invariant.claim);
        }
    }
}

/// A database of its own with every migration applied.
pub async fn migrated_database(server: TestServer) -> TestDatabase {
    let template = server
        .template(&migrate::fingerprint(), async |url| {
            let pool = Pool::new(&Secret::new(url), 1, None).unwrap();
            PgStore::new(pool)
                .migrate()
                .await
                .expect("migrations apply");
        })
        .await;
    TestDatabase::create_on(server, &template).await
}

/// Where the server's write-ahead log stands, in bytes. Other tests write to it too, so compare
/// medians.
pub async fn wal_position(client: &tokio_postgres::Client) -> u64 {
    let sql = "SELECT (pg_current_wal_insert_lsn() - '0/0')::int8";
    let position: i64 = client.query_one(sql, &[]).await.unwrap().get(0);
    u64::try_from(position).unwrap()
}
