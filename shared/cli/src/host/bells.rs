//! The doorbell of one process: a channel instead of a queue.
//!
//! What it loses at the end of the process, the next start's tick rings again.

use std::time::Duration;

use async_trait::async_trait;
use openeve_domain::bell::Bell;
use openeve_runtime::ports::{Doorbell, PortError};
use tokio::sync::mpsc::UnboundedSender;

/// Rings into a channel, after a delay if asked.
#[derive(Debug, Clone)]
pub(crate) struct ChannelDoorbell(pub(crate) UnboundedSender<Bell>);

#[async_trait]
impl Doorbell for ChannelDoorbell {
    #[expect(
        clippy::disallowed_methods,
        reason = "a delayed bell of one process is a timer"
    )]
    async fn ring(&self, bell: &Bell, delay_ms: u64) -> Result<(), PortError> {
        let (bells, bell) = (self.0.clone(), bell.clone());
        if delay_ms == 0 {
            return bells
                .send(bell)
                .map_err(|_| PortError::retry("doorbell_closed", "the process is ending"));
        }
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(delay_ms)).await;
            drop(bells.send(bell));
        });
        Ok(())
    }
}
