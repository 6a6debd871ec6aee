//! The stage: everything that runs, each part real, all of it on loopback.

use std::collections::BTreeMap;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use openeve_cluster::{Binaries, Cluster, FindOptions, Settings};
use openeve_domain::limits::{
    DELIVERY_BATCH, DELIVERY_CONCURRENCY, DELIVERY_FUNCTION_TIMEOUT_MS,
    INGRESS_FUNCTION_TIMEOUT_MS, QUEUE_RECEIVES_MAX, STEP_FUNCTION_TIMEOUT_MS,
    SWEEP_FUNCTION_TIMEOUT_MS, TICK_FUNCTION_TIMEOUT_MS, VISIBILITY_FACTOR,
};
use openeve_domain::secret::Secret;
use openeve_postgres::{PgStore, Pool};
use openeve_testkit::lambda::{LambdaFunction, LambdaOptions};
use openeve_testkit::scripted_model::ScriptedModel;
use openeve_testkit::sqs::local::LocalSqs;
use openeve_testkit::sqs::poller::{Mapping, Poller, PollerStats};
use openeve_testkit::sqs::{Depth, Queue, SqsServer};
use openeve_tests::paths::{built_agent, repository, variable};
use openeve_tests::shipped::recursive_loop;
use serde_json::json;
use tempfile::TempDir;
use tokio_postgres::NoTls;

use crate::clock::pause;
use crate::options::Options;
use crate::thinking::{Garbled, script};
use crate::traces::{Replies, Traces};

/// The channel's token.
pub(crate) const SOAK_TOKEN: &str = "token-of-the-soak";
const SIGNING: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
/// The functions, by the names of their programs.
pub(crate) const FUNCTIONS: [&str; 5] = ["ingress", "tick", "step", "delivery", "sweep"];
/// The memory that the template gives the step function, and the others, in MB.
pub(crate) const STEP_MEMORY_MB: u32 = 512;
/// See [`STEP_MEMORY_MB`].
pub(crate) const OTHER_MEMORY_MB: u32 = 256;
/// Steps at once; shipped are 50, which two processors do not carry.
const STEPS_AT_ONCE: usize = 16;
/// Requests at once.
const REQUESTS_AT_ONCE: usize = 24;
/// How often the sweep runs; shipped is an hour.
const SWEEP_MS: u64 = 15_000;
/// The database's name.
pub(crate) const DATABASE: &str = "soak";

/// Everything that runs.
pub(crate) struct Stage {
    /// Postgres.
    pub(crate) home: Arc<Home>,
    /// HTTP in.
    pub(crate) ingress: LambdaFunction,
    /// What tools did.
    pub(crate) traces: Traces,
    /// Where replies arrive.
    pub(crate) replies: Replies,
    functions: BTreeMap<&'static str, LambdaFunction>,
    url: String,
    bin: PathBuf,
    garbled: Garbled,
    sqs: SqsServer,
    dead: [Queue; 2],
    pollers: Vec<Poller>,
    _model: ScriptedModel,
    _queues: LocalSqs,
}

/// Postgres and the folder that it lives in, which outlives it even if a fault is under way.
pub(crate) struct Home {
    /// Postgres.
    pub(crate) cluster: Mutex<Cluster>,
    folder: Mutex<TempDir>,
}

impl Home {
    /// Leaves the folder behind, for whoever looks into it; where the database's files are.
    fn keep(&self) -> PathBuf {
        self.folder.lock().unwrap().disable_cleanup(true);
        self.cluster.lock().unwrap().data_dir().to_owned()
    }
}

/// Tick and sweep, by a clock of the soak. They stop when it is dropped.
pub(crate) struct Clockwork(Vec<tokio::task::JoinHandle<()>>);

impl Drop for Clockwork {
    fn drop(&mut self) {
        for task in &self.0 {
            task.abort();
        }
    }
}

/// The addresses that functions are given.
struct Addresses<'a> {
    database: &'a str,
    artifact: PathBuf,
    queues: &'a str,
    step_queue: &'a Queue,
    delivery_queue: &'a Queue,
    model: &'a str,
    recorder: &'a str,
    receiver: &'a str,
}

impl Stage {
    /// Starts everything; nothing has been asked yet.
    #[expect(clippy::too_many_lines, reason = "a list of what a stage is made of")]
    pub(crate) async fn start(options: &Options) -> Self {
        let folder = tempfile::Builder::new()
            .prefix("openeve-soak-")
            .permissions(Permissions::from_mode(0o755))
            .tempdir()
            .unwrap();
        let bin = copy_programs(&options.binaries, folder.path());
        let artifact = built_agent(&options.binaries.join("openeve"), "soak", folder.path());
        let cluster = start_postgres(folder.path());
        let url = cluster.url(DATABASE);
        let store = PgStore::new(Pool::new(&Secret::new(url.as_str()), 1, None).unwrap());
        store.migrate().await.expect("the migrations apply");
        let queues = LocalSqs::start().await;
        let sqs = queues.client();
        let visible_s = |timeout_ms: u64| timeout_ms * VISIBILITY_FACTOR / 1_000;
        let (step_queue, step_dead) = sqs
            .create_pair(
                "step",
                visible_s(STEP_FUNCTION_TIMEOUT_MS),
                QUEUE_RECEIVES_MAX,
            )
            .await;
        let (delivery_queue, delivery_dead) = sqs
            .create_pair(
                "delivery",
                visible_s(DELIVERY_FUNCTION_TIMEOUT_MS),
                QUEUE_RECEIVES_MAX,
            )
            .await;
        let garbled = Garbled::default();
        let model = ScriptedModel::start(script(Arc::clone(&garbled))).await;
        let (traces, replies) = (Traces::start().await, Replies::start(SIGNING).await);
        let addresses = Addresses {
            database: &url,
            artifact,
            queues: sqs.endpoint(),
            step_queue: &step_queue,
            delivery_queue: &delivery_queue,
            model: model.url(),
            recorder: traces.url(),
            receiver: replies.url(),
        };
        let functions: BTreeMap<&'static str, LambdaFunction> = FUNCTIONS
            .map(|name| (name, function(name, &bin, options, &addresses)))
            .into();
        let pollers = vec![
            Poller::start(
                &sqs,
                &step_queue,
                &functions["step"],
                mapping(1, STEPS_AT_ONCE),
            ),
            Poller::start(
                &sqs,
                &delivery_queue,
                &functions["delivery"],
                mapping(count(DELIVERY_BATCH), count(DELIVERY_CONCURRENCY)),
            ),
        ];
        Self {
            home: Arc::new(Home {
                cluster: Mutex::new(cluster),
                folder: Mutex::new(folder),
            }),
            ingress: functions["ingress"].clone(),
            traces,
            replies,
            functions,
            url,
            bin,
            garbled,
            sqs,
            dead: [step_dead, delivery_dead],
            pollers,
            _model: model,
            _queues: queues,
        }
    }

    /// Starts the clock of tick and sweep.
    pub(crate) fn clockwork(&self, tick_ms: u64) -> Clockwork {
        let every = |name: &str, every_ms: u64| {
            let function = self.functions[name].clone();
            tokio::spawn(async move {
                loop {
                    pause(every_ms).await;
                    // A pass that fails is made up for by the next one.
                    drop(function.invoke_json(&json!({"source": "aws.events"})).await);
                }
            })
        };
        Clockwork(vec![every("tick", tick_ms), every("sweep", SWEEP_MS)])
    }

    /// The folder of the functions' programs, which nobody else runs.
    pub(crate) fn binaries(&self) -> &Path {
        &self.bin
    }

    /// A connection to the database.
    pub(crate) async fn connect(&self) -> tokio_postgres::Client {
        let (client, connection) = tokio_postgres::connect(&self.url, NoTls)
            .await
            .expect("Postgres answers");
        tokio::spawn(connection);
        client
    }

    /// Requests that no provider would take.
    pub(crate) fn garbled(&self) -> Vec<String> {
        self.garbled.lock().unwrap().clone()
    }

    /// A function.
    pub(crate) fn function(&self, name: &str) -> &LambdaFunction {
        &self.functions[name]
    }

    /// What each function's processes printed.
    pub(crate) fn logs(&self) -> Vec<(&'static str, String)> {
        let logs = self.functions.iter();
        logs.map(|(name, function)| (*name, function.logs()))
            .collect()
    }

    /// Messages in the dead-letter queues of step and delivery.
    pub(crate) async fn dead_letters(&self) -> [Depth; 2] {
        let [step, delivery] = &self.dead;
        [self.sqs.depth(step).await, self.sqs.depth(delivery).await]
    }

    /// What happened between the queues of step and delivery and their functions.
    pub(crate) fn doorbells(&self) -> Vec<PollerStats> {
        self.pollers.iter().map(Poller::stats).collect()
    }

    /// Ends everything in order. Where there is something to look into, the database's files stay.
    pub(crate) async fn end(self, keeps_data: bool) -> Option<PathBuf> {
        drop(self.pollers);
        for function in self.functions.values() {
            function.kill_all().await;
        }
        keeps_data.then(|| self.home.keep())
    }
}

fn count(limit: u64) -> usize {
    usize::try_from(limit).unwrap_or(1)
}

/// As shipped: a message whose function was killed comes back after the queue's time-out, which is
/// longer than the soak; until then the tick alone helps.
fn mapping(batch_size: usize, max_concurrency: usize) -> Mapping {
    Mapping {
        batch_size,
        max_concurrency,
        ..Mapping::default()
    }
}

/// The programs are copied, so that a build beside the soak changes nothing and so that a process
/// of ours is known by its path.
fn copy_programs(from: &Path, folder: &Path) -> PathBuf {
    let bin = folder.join("bin");
    std::fs::create_dir(&bin).unwrap();
    for name in FUNCTIONS {
        let program = from.join(name);
        let copied = std::fs::copy(&program, bin.join(name));
        assert!(
            copied.is_ok(),
            "{} cannot be copied; build it with `cargo build --workspace --bins`",
            program.display()
        );
    }
    bin.canonicalize().expect("the folder exists")
}

/// Postgres as in production: a commit is on disk before it is answered.
fn start_postgres(folder: &Path) -> Cluster {
    let find = FindOptions {
        explicit: variable("OPENEVE_POSTGRES_BIN").map(PathBuf::from),
        path: variable("PATH").unwrap_or_default().into(),
        cache: Some(repository().join("target/test-postgres/programs")),
        may_install: false,
    };
    let settings = Settings {
        max_connections: 150,
        ..Settings::dev()
    };
    let mut say = |line: &str| println!("{line}");
    let cluster = Binaries::find(&find, &mut say)
        .and_then(|binaries| Cluster::start(&folder.join("pg"), &binaries, &settings, &mut say))
        .unwrap_or_else(|error| unusable(&error.to_string()));
    cluster
        .create_database(DATABASE, None)
        .expect("a database is created");
    cluster
}

#[expect(clippy::panic, reason = "without a database there is no soak")]
fn unusable(why: &str) -> ! {
    panic!("no Postgres: {why}")
}

fn function(name: &str, bin: &Path, options: &Options, at: &Addresses<'_>) -> LambdaFunction {
    let mut env = vec![
        ("DATABASE_URL", at.database.to_owned()),
        ("OPENEVE_ARTIFACT_ROOT", at.artifact.display().to_string()),
        ("OPENEVE_AWS_ENDPOINT_URL", at.queues.to_owned()),
        ("OPENEVE_STEP_QUEUE_URL", at.step_queue.url.clone()),
        ("OPENEVE_DELIVERY_QUEUE_URL", at.delivery_queue.url.clone()),
        ("OPENEVE_RUN_LEASE_MS", options.lease_ms.to_string()),
        ("OPENEVE_RUN_HEARTBEAT_MS", options.heartbeat_ms.to_string()),
        (
            "OPENEVE_DELIVERY_QUEUE_LEASE_MS",
            options.lease_ms.to_string(),
        ),
        ("OPENEVE_DELIVERY_INLINE", "false".to_owned()),
        ("AWS_REGION", "us-east-1".to_owned()),
        ("AWS_ACCESS_KEY_ID", "test".to_owned()),
        ("AWS_SECRET_ACCESS_KEY", "test".to_owned()),
    ];
    let (timeout_ms, at_once) = match name {
        "ingress" => {
            env.push(("SOAK_TOKEN", SOAK_TOKEN.to_owned()));
            (INGRESS_FUNCTION_TIMEOUT_MS, REQUESTS_AT_ONCE)
        }
        "step" => {
            env.push(("OPENEVE_MODEL_BASE_URL", at.model.to_owned()));
            env.push(("OPENEVE_MODEL_API_KEY", "sk-of-the-soak".to_owned()));
            env.push(("SOAK_RECORDER_URL", at.recorder.to_owned()));
            (STEP_FUNCTION_TIMEOUT_MS, STEPS_AT_ONCE)
        }
        "delivery" => {
            env.push(("SOAK_REPLY_URL", format!("{}/reply", at.receiver)));
            env.push(("SOAK_REPLY_SECRET", SIGNING.to_owned()));
            (DELIVERY_FUNCTION_TIMEOUT_MS, count(DELIVERY_CONCURRENCY))
        }
        "tick" => (TICK_FUNCTION_TIMEOUT_MS, 1),
        _ => (SWEEP_FUNCTION_TIMEOUT_MS, 1),
    };
    let lambda = LambdaOptions {
        name: name.to_owned(),
        timeout_ms,
        max_concurrency: at_once,
        memory_mb: if name == "step" {
            STEP_MEMORY_MB
        } else {
            OTHER_MEMORY_MB
        },
        recursive_loop: recursive_loop(name),
        ..LambdaOptions::default()
    };
    let env = env
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value));
    LambdaFunction::start(bin.join(name), env, lambda)
}
