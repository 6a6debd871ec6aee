//! Live subscribers: what happens, as it happens. Nothing durable depends on them [C.14].

use openeve_domain::event::Event;
use openeve_domain::ids::RunId;

/// Somebody who watches runs in this process. Calls must return at once.
pub trait Observer: Send + Sync {
    /// An event that was committed, or that is harmless to repeat and rides on the next commit.
    fn event(&self, run_id: RunId, event: &Event);

    /// Text as the model writes it. Ephemeral: never stored, and void if the request fails.
    fn delta(&self, run_id: RunId, text: &str);
}

/// Nobody watches.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoObserver;

impl Observer for NoObserver {
    fn event(&self, _: RunId, _: &Event) {}
    fn delta(&self, _: RunId, _: &str) {}
}
