//! The step function: a doorbell in, some iterations of one run, a doorbell out. Wiring only.

use std::sync::Arc;

use openeve_aws::lambda::serve_queue;
use openeve_domain::bell::{Bell, Place};
use openeve_host::environment::tool_env;
use openeve_runtime::channels::ChannelSender;
use openeve_runtime::engine::ModelEngine;
use openeve_runtime::ports::NoObserver;
use openeve_runtime::step::{StepDeps, step};
use openeve_script::ScriptTools;

fn main() -> anyhow::Result<()> {
    openeve_boot::run(|boot| {
        let (http, watch) = (boot.http()?, boot.watch_steps());
        let engine = ModelEngine {
            http: http.clone(),
            clock: boot.clock.clone(),
            base_url: boot.values.text("OPENEVE_MODEL_BASE_URL"),
            api_key: boot.secret("OPENEVE_MODEL_API_KEY"),
        };
        let sender = ChannelSender {
            http: http.clone(),
            clock: boot.clock.clone(),
            env: boot.env.clone(),
            mode: boot.settings.mode,
        };
        // Authored code reads what tools declare, never what channels do.
        let env = tool_env(&boot.artifact.manifest, &boot.env);
        let tools = Arc::new(ScriptTools::new(boot.artifact.root, http, env));
        let deps = Arc::new(StepDeps {
            tools: tools.clone(),
            arguments: Arc::default(),
            engine: Arc::new(engine),
            sender: Arc::new(sender),
            store: boot.store,
            doorbell: boot.doorbell,
            clock: boot.clock,
            ids: boot.ids,
            observer: Arc::new(NoObserver),
            manifest: boot.artifact.manifest,
            settings: boot.settings,
            draining: Arc::default(),
        });
        Ok(serve_queue(watch, move |bell: Bell, remaining_ms| {
            // A script that no limit could stop holds the processor: a fresh process goes on.
            if tools.abandoned_threads() > 0 {
                std::process::exit(1);
            }
            let deps = Arc::clone(&deps);
            async move {
                match bell.at {
                    Place::Run { run_id } => step(&deps, run_id, remaining_ms).await.map(|_| ()),
                    Place::Delivery { .. } => Ok(()),
                }
            }
        }))
    })
}
