//! The delivery function: a doorbell in, one reply to a channel out. Wiring only.

use std::sync::Arc;

use openeve_aws::lambda::serve_queue;
use openeve_domain::bell::{Bell, Place};
use openeve_runtime::channels::ChannelSender;
use openeve_runtime::delivery::{DeliveryDeps, deliver};
use openeve_runtime::ports::NoObserver;

fn main() -> anyhow::Result<()> {
    openeve_boot::run(|boot| {
        let watch = boot.watch_deliveries();
        let sender = ChannelSender {
            http: boot.http()?,
            clock: boot.clock.clone(),
            env: boot.env.clone(),
            mode: boot.settings.mode,
        };
        let deps = Arc::new(DeliveryDeps {
            sender: Arc::new(sender),
            store: boot.store,
            doorbell: boot.doorbell,
            clock: boot.clock,
            ids: boot.ids,
            observer: Arc::new(NoObserver),
            manifest: boot.artifact.manifest,
            settings: boot.settings,
        });
        Ok(serve_queue(watch, move |bell: Bell, _| {
            let deps = Arc::clone(&deps);
            async move {
                match bell.at {
                    Place::Delivery { delivery_id } => deliver(&deps, delivery_id).await,
                    Place::Run { .. } => Ok(()),
                }
            }
        }))
    })
}
