//! All handlers in one process, behind one doorbell channel.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use anyhow::Context as _;
use openeve_domain::bell::{Bell, Place};
use openeve_domain::limits::STEP_FUNCTION_TIMEOUT_MS;
use openeve_domain::secret::Secret;
use openeve_host::artifact::Artifact;
use openeve_host::clock::SystemClock;
use openeve_host::environment;
use openeve_host::ids::SystemIds;
use openeve_http::Http;
use openeve_postgres::{PgStore, Pool};
use openeve_runtime::channels::ChannelSender;
use openeve_runtime::config::{Mode, Settings, Values};
use openeve_runtime::delivery::{DeliveryDeps, deliver};
use openeve_runtime::engine::ModelEngine;
use openeve_runtime::ingress::IngressDeps;
use openeve_runtime::ports::{Observer, Store as _};
use openeve_runtime::step::{StepDeps, step};
use openeve_runtime::sweep::{SweepDeps, sweep};
use openeve_runtime::tick::{TickDeps, tick};
use openeve_script::ScriptTools;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{Semaphore, watch};

use super::bells::ChannelDoorbell;
use super::database::Database;
use super::model::Model;
use crate::output;

/// Connections of this process.
const CONNECTIONS: usize = 8;
/// Bells answered at once.
const BELLS_AT_ONCE: usize = 16;
/// A killed `dev` is resumed by the next one as soon as its leases have run out, so they are short.
const LEASE_MS: u64 = 4_000;
/// How often the tick looks. One process on one machine can afford to look often.
const TICK_PAUSE: Duration = Duration::from_secs(2);
/// How often the sweep looks.
const SWEEP_PAUSE: Duration = Duration::from_mins(1);
/// How long begun work may take to finish after Ctrl-C.
const DRAIN: Duration = Duration::from_secs(20);

/// The handlers of one revision of the agent.
#[derive(Clone)]
struct Handlers {
    ingress: IngressDeps,
    step: StepDeps,
    delivery: DeliveryDeps,
    tick: TickDeps,
}

/// A running host.
pub(super) struct Host {
    shared: Shared,
    handlers: RwLock<Arc<Handlers>>,
    working: watch::Sender<usize>,
    limit: Semaphore,
}

/// What outlives a reload.
struct Shared {
    store: Arc<PgStore>,
    http: Arc<Http>,
    bells: UnboundedSender<Bell>,
    observer: Arc<dyn Observer>,
    settings: Settings,
    base_url: String,
    api_key: Option<Secret>,
    admin_token: Option<Secret>,
    draining: Arc<AtomicBool>,
}

/// The knobs as `dev` reads them: development mode and short leases unless the environment says
/// otherwise.
pub(super) fn values() -> anyhow::Result<Values> {
    let values = Values::read(|name| {
        environment::variable(name)
            .filter(|value| !value.is_empty())
            .or_else(|| match name {
                "OPENEVE_MODE" => Some("development".to_owned()),
                "OPENEVE_RUN_LEASE_MS" => Some(LEASE_MS.to_string()),
                "OPENEVE_RUN_HEARTBEAT_MS" => Some((LEASE_MS / 4).to_string()),
                _ => None,
            })
    })?;
    Ok(values)
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
    pub(super) async fn start(
        values: &Values,
        artifact: &Artifact,
        database: &Database,
        model: &Model,
        observer: Arc<dyn Observer>,
    ) -> anyhow::Result<Arc<Self>> {
        let store = PgStore::new(Pool::new(
            database.url(),
            CONNECTIONS,
            ca(values)?.as_deref(),
        )?);
        if values.flag("OPENEVE_AUTO_MIGRATE") {
            store
                .migrate()
                .await
                .context("the database's schema could not be brought up to date")?;
        }
        store.register(&artifact.manifest).await?;
        let (bells, rung) = unbounded_channel();
        let shared = Shared {
            store: Arc::new(store),
            http: Arc::new(Http::new()?),
            bells,
            observer,
            settings: Settings::of(values),
            base_url: model.base_url(),
            api_key: model.api_key(),
            admin_token: values.given("OPENEVE_ADMIN_TOKEN").map(Secret::new),
            draining: Arc::default(),
        };
        let handlers = RwLock::new(Arc::new(shared.handlers(artifact)));
        let host = Arc::new(Self {
            shared,
            handlers,
            working: watch::Sender::new(0),
            limit: Semaphore::new(BELLS_AT_ONCE),
        });
        tokio::spawn(answer_bells(Arc::clone(&host), rung));
        tokio::spawn(tick_loop(Arc::clone(&host)));
        tokio::spawn(sweep_loop(Arc::clone(&host)));
        Ok(host)
    }

    /// Takes a new revision: what begins from now on runs with it.
    pub(super) async fn reload(&self, artifact: &Artifact) -> anyhow::Result<()> {
        self.shared.store.register(&artifact.manifest).await?;
        let handlers = Arc::new(self.shared.handlers(artifact));
        *self
            .handlers
            .write()
            .unwrap_or_else(PoisonError::into_inner) = handlers;
        Ok(())
    }

    /// What answers requests now.
    pub(super) fn ingress(&self) -> IngressDeps {
        self.handlers().ingress.clone()
    }

    /// Hands every run on at its next boundary and waits for that, for a while or until `hurry`.
    pub(super) async fn drain(&self, hurry: impl Future<Output = ()>) {
        self.shared.draining.store(true, Ordering::Relaxed);
        let mut working = self.working.subscribe();
        let begun = *working.borrow();
        if begun > 0 {
            output::say(&format!(
                "finishing what has begun ({begun}); Ctrl-C again ends at once, the next start resumes it"
            ));
        }
        let idle = async { drop(working.wait_for(|working| *working == 0).await) };
        tokio::select! {
            () = idle => {}
            () = hurry => {}
            () = pause(DRAIN) => {}
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
}

impl Shared {
    fn tools(&self, artifact: &Artifact, env: &BTreeMap<String, Secret>) -> ScriptTools {
        let tools = ScriptTools::new(
            artifact.root.clone(),
            self.http.clone(),
            environment::tool_env(&artifact.manifest, env),
        );
        // A reload writes over the artifact; begun turns keep their own modules.
        tools.preload(artifact.manifest.tools.iter().map(|tool| &tool.module));
        tools
    }

    fn handlers(&self, artifact: &Artifact) -> Handlers {
        let env = Arc::new(environment::declared(&artifact.manifest, &BTreeMap::new()));
        let doorbell = Arc::new(ChannelDoorbell(self.bells.clone()));
        let (clock, ids) = (Arc::new(SystemClock::new()), Arc::new(SystemIds));
        let sender = Arc::new(ChannelSender {
            http: self.http.clone(),
            clock: clock.clone(),
            env: Arc::clone(&env),
            mode: Mode::Development,
        });
        let (manifest, settings) = (Arc::clone(&artifact.manifest), self.settings.clone());
        let (store, observer) = (self.store.clone(), Arc::clone(&self.observer));
        let tools = self.tools(artifact, &env);
        let step = StepDeps {
            tools: Arc::new(tools),
            arguments: Arc::default(),
            engine: Arc::new(ModelEngine {
                http: self.http.clone(),
                clock: clock.clone(),
                base_url: self.base_url.clone(),
                api_key: self.api_key.clone(),
            }),
            sender: sender.clone(),
            store: store.clone(),
            doorbell: doorbell.clone(),
            clock: clock.clone(),
            ids: ids.clone(),
            observer: observer.clone(),
            manifest: manifest.clone(),
            settings: settings.clone(),
            draining: Arc::clone(&self.draining),
        };
        let delivery = DeliveryDeps {
            sender,
            store: store.clone(),
            doorbell: doorbell.clone(),
            clock: clock.clone(),
            ids: ids.clone(),
            observer: observer.clone(),
            manifest: manifest.clone(),
            settings: settings.clone(),
        };
        let tick = TickDeps {
            store: store.clone(),
            doorbell: doorbell.clone(),
            clock: clock.clone(),
            ids: ids.clone(),
            observer: observer.clone(),
            manifest: manifest.clone(),
            settings: settings.clone(),
            registered: Arc::new(AtomicBool::new(true)),
        };
        let ingress = IngressDeps {
            store,
            doorbell,
            clock,
            ids,
            observer,
            manifest,
            settings,
            env,
            admin_token: self.admin_token.clone(),
        };
        Handlers {
            ingress,
            step,
            delivery,
            tick,
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
            host.working.send_modify(|working| *working += 1);
            // A panic must not leave the count up, or Ctrl-C would wait for nothing.
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
    let mut failing = false;
    while !host.shared.draining.load(Ordering::Relaxed) {
        match tick(&host.handlers().tick).await {
            Ok(_) => failing = false,
            Err(error) if !failing => {
                failing = true;
                tracing::warn!(error.code = error.code, error = %error, "the tick failed; it tries again");
            }
            Err(_) => {}
        }
        pause(TICK_PAUSE).await;
    }
}

async fn sweep_loop(host: Arc<Host>) {
    loop {
        pause(SWEEP_PAUSE).await;
        let deps = SweepDeps {
            store: host.shared.store.clone(),
            letters: None,
        };
        if let Err(error) = sweep(&deps).await {
            tracing::warn!(error.code = error.code, error = %error, "the sweep failed; it tries again");
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a host of one process has timers where Lambda has EventBridge"
)]
async fn pause(time: Duration) {
    tokio::time::sleep(time).await;
}
