//! A barrier that a test holds closed: the way to put two things in a chosen order without sleeping.

use std::sync::Arc;

use tokio::sync::watch;

use crate::patience::within;

/// Closed at first; whoever passes waits until it is opened. Copies are the same gate.
#[derive(Debug, Clone)]
pub struct Gate(Arc<watch::Sender<State>>);

#[derive(Debug, Default)]
struct State {
    is_open: bool,
    arrived: usize,
}

impl Default for Gate {
    fn default() -> Self {
        Self::new()
    }
}

impl Gate {
    /// A closed gate.
    pub fn new() -> Self {
        Self(Arc::new(watch::Sender::new(State::default())))
    }

    /// Lets everyone pass, now and later.
    pub fn open(&self) {
        self.0.send_modify(|state| state.is_open = true);
    }

    /// Arrives at the gate and waits until it is open.
    pub async fn pass(&self) {
        self.0.send_modify(|state| state.arrived += 1);
        let mut states = self.0.subscribe();
        // The sender lives as long as this gate, so the wait ends only by opening.
        states.wait_for(|state| state.is_open).await.ok();
    }

    /// Waits until `count` have arrived at the gate since it was made.
    pub async fn arrived(&self, count: usize) {
        let mut states = self.0.subscribe();
        within(
            "someone to arrive at the gate",
            states.wait_for(|state| state.arrived >= count),
        )
        .await
        .expect("the gate outlives its watchers");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_gate_holds_until_it_is_opened() {
        let gate = Gate::new();
        let passing = tokio::spawn({
            let gate = gate.clone();
            async move { gate.pass().await }
        });
        gate.arrived(1).await;
        assert!(!passing.is_finished());
        gate.open();
        passing.await.unwrap();
        gate.pass().await;
    }
}
