//! Processor time, memory, the stop flag and the open question, looked at by the engine every few
//! thousand operations.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use rquickjs::{Ctx, Error, Runtime};
use rustix::time::{ClockId, clock_gettime};

use super::failure::{Failure, describe_error};
use super::memory::Gauge;
use crate::host::Host;
use crate::threads::Alive;

/// Why a script was interrupted. Once tripped, a budget stays so: the script cannot go on by
/// catching the error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trip {
    /// Too much processor time since control was last with the event loop.
    Cpu,
    /// More memory than its limit.
    Memory,
    /// It asked a question that nobody has answered yet.
    Paused,
    /// The caller is gone.
    Stopped,
}

/// The budget of one script; lives on its thread.
#[derive(Debug)]
pub(crate) struct Budget<'a> {
    meter: Rc<Meter>,
    alive: &'a Alive,
}

#[derive(Debug)]
struct Meter {
    cpu_ns_max: u64,
    begun_ns: Cell<u64>,
    tripped: Cell<Option<Trip>>,
    memory: Rc<Gauge>,
    host: Rc<Host>,
}

impl<'a> Budget<'a> {
    pub(super) fn new(
        host: &Rc<Host>,
        memory: &Rc<Gauge>,
        alive: &'a Arc<Alive>,
        runtime: &Runtime,
    ) -> Self {
        let meter = Rc::new(Meter {
            cpu_ns_max: host.limits.cpu_ms.saturating_mul(1_000_000),
            begun_ns: Cell::new(nanoseconds(ClockId::ThreadCPUTime)),
            tripped: Cell::new(None),
            memory: Rc::clone(memory),
            host: Rc::clone(host),
        });
        let (asked, flag) = (Rc::clone(&meter), Arc::clone(alive));
        runtime.set_interrupt_handler(Some(Box::new(move || asked.check(&flag))));
        Self { meter, alive }
    }

    /// Control is with the event loop: the count begins again.
    pub(crate) fn reset(&self) {
        self.meter.begun_ns.set(nanoseconds(ClockId::ThreadCPUTime));
    }

    /// Why an operation of the engine failed: it was interrupted, or the script threw.
    pub(super) fn failure(&self, ctx: &Ctx<'_>, error: &Error) -> Failure {
        match self.tripped() {
            Some(trip) => Failure::Interrupted(trip),
            None => Failure::Thrown(describe_error(ctx, error)),
        }
    }

    /// Whether the script must stop, asked between jobs.
    pub(crate) fn tripped(&self) -> Option<Trip> {
        self.meter.check(self.alive);
        self.meter.tripped.get()
    }
}

impl Meter {
    fn check(&self, alive: &Alive) -> bool {
        if self.tripped.get().is_none() {
            self.tripped.set(self.trip(alive));
        }
        self.tripped.get().is_some()
    }

    fn trip(&self, alive: &Alive) -> Option<Trip> {
        if alive.stopped() {
            return Some(Trip::Stopped);
        }
        if self.memory.passed() {
            return Some(Trip::Memory);
        }
        if self.host.paused() {
            return Some(Trip::Paused);
        }
        let used = nanoseconds(ClockId::ThreadCPUTime).saturating_sub(self.begun_ns.get());
        (used > self.cpu_ns_max).then_some(Trip::Cpu)
    }
}

/// Time for timers, in nanoseconds since some moment. Not the `Clock` port: a script's timers are
/// real time that its thread waits through, never durable.
pub(crate) fn monotonic_ns() -> u64 {
    nanoseconds(ClockId::Monotonic)
}

pub(super) fn nanoseconds(clock: ClockId) -> u64 {
    let now = clock_gettime(clock);
    let seconds = u64::try_from(now.tv_sec).unwrap_or(0);
    seconds * 1_000_000_000 + u64::try_from(now.tv_nsec).unwrap_or(0)
}
