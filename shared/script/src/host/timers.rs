//! When timers are due; their functions stay in JavaScript.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use rquickjs::{Function, Object, Result};

use super::Host;
use crate::engine::monotonic_ns;

/// The timers of one script: by due time, then by the order they were set.
#[derive(Debug, Default)]
pub(crate) struct Timers {
    queue: RefCell<BTreeSet<(u64, u64, u32)>>,
    by_id: RefCell<HashMap<u32, (u64, u64)>>,
    sequence: Cell<u64>,
}

impl Timers {
    /// When the next one is due, on the monotonic clock.
    pub(crate) fn next_due_ns(&self) -> Option<u64> {
        self.queue.borrow().first().map(|(due, ..)| *due)
    }

    /// Takes the first one; the caller knows that it is due.
    pub(crate) fn take_due(&self) -> Option<u32> {
        let (.., id) = self.queue.borrow_mut().pop_first()?;
        self.by_id.borrow_mut().remove(&id);
        Some(id)
    }

    fn arm(&self, id: u32, due_ns: u64) {
        self.disarm(id);
        let sequence = self.sequence.get();
        self.sequence.set(sequence + 1);
        self.by_id.borrow_mut().insert(id, (due_ns, sequence));
        self.queue.borrow_mut().insert((due_ns, sequence, id));
    }

    fn disarm(&self, id: u32) {
        if let Some((due, sequence)) = self.by_id.borrow_mut().remove(&id) {
            self.queue.borrow_mut().remove(&(due, sequence, id));
        }
    }
}

pub(super) fn install(host: &Rc<Host>, object: &Object<'_>) -> Result<()> {
    let ctx = object.ctx();
    let state = Rc::clone(host);
    let arm = move |id: u32, delay_ms: u32| {
        state
            .timers
            .arm(id, monotonic_ns() + u64::from(delay_ms) * 1_000_000);
    };
    object.set("arm", Function::new(ctx.clone(), arm)?)?;
    let state = Rc::clone(host);
    let disarm = move |id: u32| state.timers.disarm(id);
    object.set("disarm", Function::new(ctx.clone(), disarm)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timers_fire_by_due_time_then_by_order_and_not_when_cleared() {
        let timers = Timers::default();
        timers.arm(1, 50);
        timers.arm(2, 10);
        timers.arm(3, 10);
        timers.arm(4, 5);
        timers.disarm(4);
        assert_eq!(timers.next_due_ns(), Some(10));
        let order: Vec<u32> = std::iter::from_fn(|| timers.take_due()).collect();
        assert_eq!(order, [2, 3, 1]);
        assert_eq!(timers.next_due_ns(), None);
    }
}
