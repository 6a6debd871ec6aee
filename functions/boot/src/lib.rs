//! What every function starts with: configuration, secrets, artifact, store and doorbell.
//!
//! The whole configuration is checked before the first event; a function that cannot work says
//! every problem at once and does not start. Nothing connects here but Secrets Manager, and that
//! only when a secret is given as an ARN: Postgres, SQS and S3 connect when first used.
//!
//! This crate wires adapters together for Lambda and decides nothing. The command line wires its
//! own, with a folder for blobs and a channel for doorbells.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;

use anyhow::Context as _;
use openeve_aws::{Account, Secrets, SqsDoorbell, SqsWatch, is_secret_arn};
use openeve_domain::secret::Secret;
use openeve_host::artifact::Artifact;
use openeve_host::clock::SystemClock;
use openeve_host::environment;
use openeve_host::ids::SystemIds;
use openeve_host::logs::{self, Form};
use openeve_http::Http;
use openeve_postgres::{PgStore, Pool};
use openeve_runtime::config::{KNOBS, Settings, Values};

/// What every function has.
#[derive(Clone)]
pub struct Boot {
    /// The agent.
    pub artifact: Artifact,
    /// All truth.
    pub store: Arc<PgStore>,
    /// Rings over SQS.
    pub doorbell: Arc<SqsDoorbell>,
    /// Time.
    pub clock: Arc<SystemClock>,
    /// Identity.
    pub ids: Arc<SystemIds>,
    /// The variables the agent's folder names.
    pub env: Arc<BTreeMap<String, Secret>>,
    /// The knobs the use cases read.
    pub settings: Settings,
    /// Every knob.
    pub values: Values,
}

impl Boot {
    /// Reads, checks and wires.
    async fn read() -> anyhow::Result<Self> {
        let raw = environment::values()?;
        logs::start(Form::Json, &raw.text("OPENEVE_LOG"));
        let account = Account::read(environment::variable, raw.given("OPENEVE_AWS_ENDPOINT_URL"))?;
        let values = resolved(&raw, &account).await?;
        let artifact = Artifact::load(values.text("OPENEVE_ARTIFACT_ROOT").as_ref())?;
        let extra = match values.given("OPENEVE_AGENT_SECRET") {
            Some(json) => {
                environment::agent_secret(&Secret::new(json)).map_err(anyhow::Error::msg)?
            }
            None => BTreeMap::new(),
        };
        let env = environment::declared(&artifact.manifest, &extra);
        let doorbell = SqsDoorbell::new(
            &account,
            values.text("OPENEVE_STEP_QUEUE_URL"),
            values.text("OPENEVE_DELIVERY_QUEUE_URL"),
        );
        Ok(Self {
            store: Arc::new(PgStore::new(pool(&values)?)),
            doorbell: Arc::new(doorbell),
            clock: Arc::new(SystemClock::new()),
            ids: Arc::new(SystemIds),
            env: Arc::new(env),
            settings: Settings::of(&values),
            artifact,
            values,
        })
    }

    /// A secret knob, if it is set.
    pub fn secret(&self, name: &str) -> Option<Secret> {
        self.values.given(name).map(Secret::new)
    }

    /// Watches over the bells of the step queue, for as long as a run's lease holds.
    pub fn watch_steps(&self) -> SqsWatch {
        let lease_ms = self.settings.run_lease_ms;
        self.doorbell.watch_steps(self.clock.clone(), lease_ms)
    }

    /// The same for deliveries.
    pub fn watch_deliveries(&self) -> SqsWatch {
        let lease_ms = self.settings.delivery_lease_ms;
        self.doorbell.watch_deliveries(self.clock.clone(), lease_ms)
    }

    /// The HTTP client.
    pub fn http(&self) -> anyhow::Result<Arc<Http>> {
        Ok(Arc::new(Http::new()?))
    }
}

/// Runs a function: boots, then serves until the platform ends the process.
///
/// # Errors
/// Whatever keeps the function from starting, with every configuration problem at once.
pub fn run<F, S>(serve: F) -> anyhow::Result<()>
where
    F: FnOnce(Boot) -> anyhow::Result<S>,
    S: Future<Output = Result<(), openeve_aws::lambda::Fatal>>,
{
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let boot = Boot::read().await?;
        serve(boot)?.await.map_err(anyhow::Error::from_boxed)
    })
}

fn pool(values: &Values) -> anyhow::Result<Pool> {
    let url = values.given("DATABASE_URL").map(Secret::new);
    let url =
        url.context("DATABASE_URL is not set; set it to postgres://user:password@host:5432/name")?;
    let ca = match values.given("OPENEVE_DATABASE_CA") {
        Some(path) => Some(
            std::fs::read_to_string(&path)
                .with_context(|| format!("cannot read OPENEVE_DATABASE_CA at {path}"))?,
        ),
        None => None,
    };
    let size = usize::try_from(values.number("OPENEVE_DATABASE_CONNECTIONS")).unwrap_or(1);
    Ok(Pool::new(&url, size, ca.as_deref())?)
}

/// Replaces every secret knob that is given as an ARN by the secret itself.
async fn resolved(raw: &Values, account: &Account) -> anyhow::Result<Values> {
    let arns: Vec<(&str, String)> = KNOBS
        .iter()
        .filter(|knob| knob.secret)
        .filter_map(|knob| {
            Some((
                knob.name,
                raw.given(knob.name).filter(|value| is_secret_arn(value))?,
            ))
        })
        .collect();
    if arns.is_empty() {
        return Ok(raw.clone());
    }
    let reader = Secrets::new(account);
    let mut found = BTreeMap::new();
    for (name, arn) in arns {
        found.insert(
            name,
            reader
                .read(&arn)
                .await
                .with_context(|| format!("{name} cannot be resolved"))?,
        );
    }
    let values = Values::read(|name| match found.get(name) {
        Some(secret) => Some(secret.reveal().to_owned()),
        None => environment::variable(name),
    })?;
    Ok(values)
}
