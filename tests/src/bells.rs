//! A doorbell that remembers who was rung.

use std::sync::Mutex;

use async_trait::async_trait;
use openeve_domain::bell::{Bell, Place};
use openeve_runtime::ports::{Doorbell, PortError};

/// Remembers bells in order; can be made deaf.
#[derive(Debug, Default)]
pub struct RecordingDoorbell {
    rung: Mutex<Vec<(Place, u64)>>,
}

impl RecordingDoorbell {
    /// Every bell since the last call, with its delay.
    pub fn take(&self) -> Vec<(Place, u64)> {
        std::mem::take(&mut *self.rung.lock().unwrap())
    }
}

#[async_trait]
impl Doorbell for RecordingDoorbell {
    async fn ring(&self, bell: &Bell, delay_ms: u64) -> Result<(), PortError> {
        self.rung.lock().unwrap().push((bell.at, delay_ms));
        Ok(())
    }
}
