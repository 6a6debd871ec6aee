//! All handlers of one agent in one process, behind one doorbell channel: what `dev` and `serve` share.
//!
//! The handlers are the library's own, the same that run on Lambda. A bell that this process loses
//! is rung again by a tick, its own, its successor's, or that of another process on the same
//! database. It decides nothing about a run, and does not know who watches, where the database came
//! from or how requests come in.

mod bells;
mod handlers;
pub(crate) mod http;

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use anyhow::Context as _;
use openeve_domain::bell::{Bell, Place};
use openeve_domain::limits::STEP_FUNCTION_TIMEOUT_MS;
use openeve_domain::secret::Secret;
use openeve_host::artifact::Artifact;
use openeve_host::environment;
use openeve_postgres::{PgStore, Pool};
use openeve_runtime::config::{ConfigErrors, Settings, Values};
use openeve_runtime::delivery::deliver;
use openeve_runtime::ingress::IngressDeps;
use openeve_runtime::ports::{Observer, Store as _};
use openeve_runtime::step::step;
use openeve_runtime::sweep::{SweepDeps, sweep};
use openeve_runtime::tick::{ring_again, tick};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::sync::{Semaphore, watch};

use handlers::{Handlers, Shared};

/// How often a host looks whether scripts hold threads that nobody can stop.
const LOOK_AT_THREADS: Duration = Duration::from_secs(10);

/// How one process hosts an agent.
pub(crate) struct Plan {
    /// The database.
    pub(crate) database: Secret,
    /// Where the model is.
    pub(crate) base_url: String,
    /// Its key.
    pub(crate) api_key: Option<Secret>,
    /// Variables of the agent's folder that are not in the environment.
    pub(crate) secrets: BTreeMap<String, Secret>,
    /// Whoever watches.
    pub(crate) observer: Arc<dyn Observer>,
    /// Bells answered at once.
    pub(crate) bells_at_once: usize,
    /// Whether its loop fires schedules; else an outside clock does.
    pub(crate) fires_schedules: bool,
    /// How often it sweeps.
    pub(crate) sweep_pause: Duration,
}

/// A running host.
pub(crate) struct Host {
    shared: Shared,
    handlers: RwLock<Arc<Handlers>>,
    working: watch::Sender<usize>,
    limit: Semaphore,
    fires_schedules: bool,
    sweep_pause: Duration,
}

/// The knobs, with other defaults than the registry's for some of them.
pub(crate) fn values(defaults: &[(&str, &str)]) -> Result<Values, ConfigErrors> {
    Values::read(|name| lookup(defaults, name))
}

/// One variable of the environment, or what stands in for it.
pub(crate) fn lookup(defaults: &[(&str, &str)], name: &str) -> Option<String> {
    let default = || {
        let found = defaults.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| (*value).to_owned())
    };
    environment::variable(name)
        .filter(|value| !value.trim().is_empty())
        .or_else(default)
}

/// The database's certificate authority, if one is named.
pub(crate) fn ca(values: &Values) -> anyhow::Result<Option<String>> {
    let Some(path) = values.given("OPENEVE_DATABASE_CA") else {
        return Ok(None);
    };
    let pem = std::fs::read_to_string(&path);
    pem.map(Some)
        .with_context(|| format!("cannot read OPENEVE_DATABASE_CA at {path}"))
}

impl Host {
    /// Migrates, wires and starts the loops.
    pub(crate) async fn start(
        values: &Values,
        artifact: &Artifact,
        plan: Plan,
    ) -> anyhow::Result<Arc<Self>> {
        let connections = values.number("OPENEVE_DATABASE_CONNECTIONS");
        let store = PgStore::new(Pool::new(
            &plan.database,
            usize::try_from(connections).unwrap_or(1),
            ca(values)?.as_deref(),
        )?);
        if values.flag("OPENEVE_AUTO_MIGRATE") {
            store
                .migrate()
                .await
                .context("the database's schema could not be brought up to date")?;
        } else {
            store.ready().await?;
        }
        store.register(&artifact.manifest).await?;
        let (bells, rung) = unbounded_channel();
        let shared = Shared {
            store: Arc::new(store),
            http: Arc::new(openeve_http::Http::new()?),
            bells,
            observer: plan.observer,
            settings: Settings::of(values),
            base_url: plan.base_url,
            api_key: plan.api_key,
            secrets: plan.secrets,
            admin_token: values.given("OPENEVE_ADMIN_TOKEN").map(Secret::new),
            scheduler_secret: values.given("OPENEVE_SCHEDULER_SECRET").map(Secret::new),
            draining: Arc::default(),
        };
        let handlers = RwLock::new(Arc::new(shared.handlers(artifact)));
        let host = Arc::new(Self {
            shared,
            handlers,
            working: watch::Sender::new(0),
            limit: Semaphore::new(plan.bells_at_once),
            fires_schedules: plan.fires_schedules,
            sweep_pause: plan.sweep_pause,
        });
        tokio::spawn(answer_bells(Arc::clone(&host), rung));
        tokio::spawn(tick_loop(Arc::clone(&host)));
        tokio::spawn(sweep_loop(Arc::clone(&host)));
        Ok(host)
    }

    /// Takes a new revision: what begins from now on runs with it.
    pub(crate) async fn reload(&self, artifact: &Artifact) -> anyhow::Result<()> {
        self.shared.store.register(&artifact.manifest).await?;
        let handlers = Arc::new(self.shared.handlers(artifact));
        *self
            .handlers
            .write()
            .unwrap_or_else(PoisonError::into_inner) = handlers;
        Ok(())
    }

    /// What answers requests now.
    pub(crate) fn ingress(&self) -> IngressDeps {
        self.handlers().ingress.clone()
    }

    /// How many runs and deliveries are worked on.
    pub(crate) fn begun(&self) -> usize {
        *self.working.borrow()
    }

    /// Begins nothing any more, hands every run on at its next boundary and waits for that, for so
    /// long or until `hurry`. Returns how many have not come to one.
    pub(crate) async fn drain(&self, most: Duration, hurry: impl Future<Output = ()>) -> usize {
        self.shared.draining.store(true, Ordering::Relaxed);
        let mut working = self.working.subscribe();
        let idle = async { drop(working.wait_for(|working| *working == 0).await) };
        tokio::select! {
            () = idle => {}
            () = hurry => {}
            () = pause(most) => {}
        }
        self.begun()
    }

    /// Comes to its end when so many scripts that cannot be stopped hold threads of this process
    /// that no tool can run any more: a fresh process can.
    pub(crate) async fn exhausted(&self) {
        while !self.handlers().tools.is_exhausted() {
            pause(LOOK_AT_THREADS).await;
        }
    }

    fn handlers(&self) -> Arc<Handlers> {
        Arc::clone(&self.handlers.read().unwrap_or_else(PoisonError::into_inner))
    }

    async fn answer(&self, bell: Bell) {
        let handlers = self.handlers();
        let outcome = match bell.at {
            Place::Run { run_id } => step(&handlers.step, run_id, STEP_FUNCTION_TIMEOUT_MS)
                .await
                .map(|_| ()),
            Place::Delivery { delivery_id } => deliver(&handlers.delivery, delivery_id).await,
        };
        // The row still says that it needs work; the tick rings again.
        if let Err(error) = outcome {
            tracing::warn!(error.code = error.code, error = %error, "a doorbell was not handled; it rings again");
        }
    }

    /// One pass over what is due.
    async fn pass(&self) -> Result<(), openeve_runtime::ports::PortError> {
        let deps = &self.handlers().tick;
        if self.fires_schedules {
            tick(deps).await.map(drop)
        } else {
            ring_again(deps).await.map(drop)
        }
    }
}

async fn answer_bells(host: Arc<Host>, mut rung: UnboundedReceiver<Bell>) {
    while let Some(bell) = rung.recv().await {
        if host.shared.draining.load(Ordering::Relaxed) {
            continue;
        }
        let host = Arc::clone(&host);
        tokio::spawn(async move {
            let Ok(_permit) = host.limit.acquire().await else {
                return;
            };
            // It may have waited here for its turn.
            if host.shared.draining.load(Ordering::Relaxed) {
                return;
            }
            host.working.send_modify(|working| *working += 1);
            // A panic must not leave the count up, or a drain would wait for nothing.
            let working = Working(&host.working);
            host.answer(bell).await;
            drop(working);
        });
    }
}

struct Working<'a>(&'a watch::Sender<usize>);

impl Drop for Working<'_> {
    fn drop(&mut self) {
        self.0
            .send_modify(|working| *working = working.saturating_sub(1));
    }
}

async fn tick_loop(host: Arc<Host>) {
    let interval = Duration::from_millis(host.shared.settings.tick_interval_ms);
    let mut failing = false;
    while !host.shared.draining.load(Ordering::Relaxed) {
        match host.pass().await {
            Ok(()) => failing = false,
            Err(error) if !failing => {
                failing = true;
                tracing::warn!(error.code = error.code, error = %error, "the tick failed; it tries again");
            }
            Err(_) => {}
        }
        pause(interval).await;
    }
}

async fn sweep_loop(host: Arc<Host>) {
    loop {
        pause(host.sweep_pause).await;
        let deps = SweepDeps {
            store: host.shared.store.clone(),
            letters: None,
        };
        if let Err(error) = sweep(&deps).await {
            tracing::warn!(error.code = error.code, error = %error, "the sweep failed; it tries again");
        }
    }
}

/// Waits.
#[expect(
    clippy::disallowed_methods,
    reason = "a host of one process has timers where Lambda has EventBridge"
)]
pub(crate) async fn pause(time: Duration) {
    tokio::time::sleep(time).await;
}
