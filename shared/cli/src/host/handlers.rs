//! The handlers of one revision, wired to the adapters of this process.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use openeve_domain::bell::Bell;
use openeve_domain::secret::Secret;
use openeve_host::artifact::Artifact;
use openeve_host::clock::SystemClock;
use openeve_host::environment;
use openeve_host::ids::SystemIds;
use openeve_http::Http;
use openeve_postgres::PgStore;
use openeve_runtime::channels::ChannelSender;
use openeve_runtime::config::Settings;
use openeve_runtime::delivery::DeliveryDeps;
use openeve_runtime::engine::ModelEngine;
use openeve_runtime::ingress::IngressDeps;
use openeve_runtime::ports::Observer;
use openeve_runtime::step::StepDeps;
use openeve_runtime::tick::TickDeps;
use openeve_script::ScriptTools;
use tokio::sync::mpsc::UnboundedSender;

use super::bells::ChannelDoorbell;

/// The handlers of one revision of the agent.
#[derive(Clone)]
pub(super) struct Handlers {
    pub(super) ingress: IngressDeps,
    pub(super) step: StepDeps,
    pub(super) delivery: DeliveryDeps,
    pub(super) tick: TickDeps,
    pub(super) tools: Arc<ScriptTools>,
}

/// What outlives a reload.
pub(super) struct Shared {
    pub(super) store: Arc<PgStore>,
    pub(super) http: Arc<Http>,
    pub(super) bells: UnboundedSender<Bell>,
    pub(super) observer: Arc<dyn Observer>,
    pub(super) settings: Settings,
    pub(super) base_url: String,
    pub(super) api_key: Option<Secret>,
    pub(super) secrets: BTreeMap<String, Secret>,
    pub(super) admin_token: Option<Secret>,
    pub(super) scheduler_secret: Option<Secret>,
    pub(super) draining: Arc<AtomicBool>,
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

    pub(super) fn handlers(&self, artifact: &Artifact) -> Handlers {
        let env = Arc::new(environment::declared(&artifact.manifest, &self.secrets));
        let doorbell = Arc::new(ChannelDoorbell(self.bells.clone()));
        let (clock, ids) = (Arc::new(SystemClock::new()), Arc::new(SystemIds));
        let sender = Arc::new(ChannelSender {
            http: self.http.clone(),
            clock: clock.clone(),
            env: Arc::clone(&env),
            mode: self.settings.mode,
        });
        let (manifest, settings) = (Arc::clone(&artifact.manifest), self.settings.clone());
        let (store, observer) = (self.store.clone(), Arc::clone(&self.observer));
        let tools = Arc::new(self.tools(artifact, &env));
        let step = StepDeps {
            tools: tools.clone(),
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
            scheduler_secret: self.scheduler_secret.clone(),
        };
        Handlers {
            ingress,
            step,
            delivery,
            tick,
            tools,
        }
    }
}
