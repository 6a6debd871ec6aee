//! The doorbell of a command: the deployment's queues if they are named, else nobody.
//!
//! A bell that nobody hears costs a minute: the tick rings for every row that needs work. So a
//! command never fails for it, but says so.

use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use openeve_aws::{Account, SqsDoorbell};
use openeve_domain::bell::Bell;
use openeve_host::environment;
use openeve_runtime::config::Values;
use openeve_runtime::ports::{Doorbell, PortError};

/// Rings over SQS, or says why it cannot.
pub(super) struct CommandDoorbell {
    queues: Result<SqsDoorbell, String>,
    unheard: Mutex<Option<String>>,
}

impl CommandDoorbell {
    /// The doorbell of the queues that the environment names.
    pub(super) fn of(values: &Values) -> Self {
        let step = values.text("OPENEVE_STEP_QUEUE_URL");
        let delivery = values.text("OPENEVE_DELIVERY_QUEUE_URL");
        let queues = if step.is_empty() && delivery.is_empty() {
            Err(
                "neither OPENEVE_STEP_QUEUE_URL nor OPENEVE_DELIVERY_QUEUE_URL is set, so nobody was rung"
                    .to_owned(),
            )
        } else {
            account(values)
                .map(|account| SqsDoorbell::new(&account, step, delivery))
                .map_err(|why| format!("nobody was rung: {why}"))
        };
        Self::new(queues)
    }

    /// Nobody is to be rung, for this reason.
    pub(super) fn nobody(why: &str) -> Self {
        Self::new(Err(why.to_owned()))
    }

    /// Why a bell was not heard, if one was not.
    pub(super) fn unheard(&self) -> Option<String> {
        self.unheard
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    const fn new(queues: Result<SqsDoorbell, String>) -> Self {
        Self {
            queues,
            unheard: Mutex::new(None),
        }
    }

    fn note(&self, why: &str) {
        let mut unheard = self.unheard.lock().unwrap_or_else(PoisonError::into_inner);
        *unheard = Some(why.to_owned());
    }
}

/// The account of the environment, or what is missing.
pub(super) fn account(values: &Values) -> Result<Account, String> {
    let endpoint = values.given("OPENEVE_AWS_ENDPOINT_URL");
    Account::read(environment::variable, endpoint).map_err(|error| error.to_string())
}

#[async_trait]
impl Doorbell for CommandDoorbell {
    async fn ring(&self, bell: &Bell, delay_ms: u64) -> Result<(), PortError> {
        let rung = match &self.queues {
            Ok(queues) => queues.ring(bell, delay_ms).await,
            Err(why) => Err(PortError::refused("queue_not_configured", why.clone())),
        };
        if let Err(error) = &rung {
            self.note(&error.message);
        }
        rung
    }
}
