//! What each worker reaches the simulated world through.

use std::sync::Arc;

use openeve_runtime::delivery::DeliveryDeps;
use openeve_runtime::ingress::IngressDeps;
use openeve_runtime::ports::NoObserver;
use openeve_runtime::resume::ResumeDeps;
use openeve_runtime::step::StepDeps;
use openeve_runtime::tick::TickDeps;

use super::core::{Worker, WorkerId};
use super::driver::Driver;
use super::ports::Ports;
use crate::tap::TappedStore;

impl Driver {
    pub(super) fn ports(&self, id: WorkerId) -> Ports {
        Ports {
            worker: Worker {
                core: self.core.clone(),
                id,
            },
            memory: self.memory.clone(),
            script: self.script.clone(),
        }
    }

    pub(super) fn store(&self, ports: &Ports) -> Arc<TappedStore<Ports>> {
        Arc::new(TappedStore {
            store: self.memory.clone(),
            tap: ports.clone(),
        })
    }

    pub(super) fn step_deps(&self, ports: &Ports) -> StepDeps {
        StepDeps {
            store: self.store(ports),
            engine: Arc::new(ports.clone()),
            tools: Arc::new(ports.clone()),
            arguments: Arc::default(),
            sender: Arc::new(ports.clone()),
            doorbell: Arc::new(ports.clone()),
            clock: Arc::new(ports.clone()),
            ids: Arc::new(ports.clone()),
            observer: Arc::new(NoObserver),
            manifest: self.script.manifest.clone(),
            settings: self.script.settings.clone(),
            draining: Arc::default(),
        }
    }

    pub(super) fn delivery_deps(&self, ports: &Ports) -> DeliveryDeps {
        DeliveryDeps {
            store: self.store(ports),
            sender: Arc::new(ports.clone()),
            doorbell: Arc::new(ports.clone()),
            clock: Arc::new(ports.clone()),
            ids: Arc::new(ports.clone()),
            observer: Arc::new(NoObserver),
            manifest: self.script.manifest.clone(),
            settings: self.script.settings.clone(),
        }
    }

    pub(super) fn tick_deps(&self, ports: &Ports) -> TickDeps {
        TickDeps {
            store: self.store(ports),
            doorbell: Arc::new(ports.clone()),
            clock: Arc::new(ports.clone()),
            ids: Arc::new(ports.clone()),
            observer: Arc::new(NoObserver),
            manifest: self.script.manifest.clone(),
            settings: self.script.settings.clone(),
            registered: Arc::new(true.into()),
        }
    }

    pub(super) fn ingress_deps(&self, ports: &Ports) -> IngressDeps {
        IngressDeps {
            store: self.store(ports),
            doorbell: Arc::new(ports.clone()),
            clock: Arc::new(ports.clone()),
            ids: Arc::new(ports.clone()),
            observer: Arc::new(NoObserver),
            manifest: self.script.manifest.clone(),
            settings: self.script.settings.clone(),
            env: Arc::default(),
            admin_token: None,
            scheduler_secret: None,
        }
    }

    pub(super) fn resume_deps(&self, ports: &Ports) -> ResumeDeps {
        ResumeDeps {
            store: self.store(ports),
            doorbell: Arc::new(ports.clone()),
            ids: Arc::new(ports.clone()),
            observer: Arc::new(NoObserver),
            agent_id: self.script.manifest.agent.id.clone(),
        }
    }
}
