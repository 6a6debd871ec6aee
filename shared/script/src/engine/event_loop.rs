//! Runs a promise to its end: jobs, then timers and answers, until it settles or never can.

use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::time::Duration;

use rquickjs::promise::PromiseState;
use rquickjs::{ArrayBuffer, Ctx, Function, Object, Promise, Value};

use super::budget::{Budget, Trip, monotonic_ns};
use super::failure::Failure;
use crate::host::Host;
use crate::wire::{Fetched, News};

/// The event loop of one script.
pub(crate) struct EventLoop<'a, 'js> {
    pub(crate) ctx: Ctx<'js>,
    pub(crate) host: &'a Host,
    pub(crate) budget: &'a Budget<'a>,
    pub(crate) from_caller: &'a Receiver<Fetched>,
    /// The prelude's `fire(id)`.
    pub(crate) fire: Function<'js>,
    /// The prelude's `settled(id, what, value, last)`.
    pub(crate) settled: Function<'js>,
}

impl<'js> EventLoop<'_, 'js> {
    /// Runs until the promise settles. The processor-time budget begins anew whenever no job is
    /// left, so that a chain of awaits that never waits counts as one piece of work.
    pub(crate) fn settle(&self, promise: &Promise<'js>) -> Result<Value<'js>, Failure> {
        loop {
            self.run_jobs()?;
            match promise.state() {
                PromiseState::Pending => {}
                PromiseState::Resolved | PromiseState::Rejected => return self.result(promise),
            }
            self.budget.reset();
            self.wait()?;
        }
    }

    fn run_jobs(&self) -> Result<(), Failure> {
        loop {
            if let Some(trip) = self.budget.tripped() {
                return Err(Failure::Interrupted(trip));
            }
            if !self.ctx.execute_pending_job() {
                return Ok(());
            }
        }
    }

    fn result(&self, promise: &Promise<'js>) -> Result<Value<'js>, Failure> {
        match promise.result::<Value<'js>>() {
            Some(Ok(value)) => Ok(value),
            Some(Err(error)) => Err(self.budget.failure(&self.ctx, &error)),
            None => Err(Failure::NeverSettles),
        }
    }

    /// Waits for the next answer or timer and hands it to the script.
    fn wait(&self) -> Result<(), Failure> {
        match self.from_caller.try_recv() {
            Ok(fetched) => return self.answer(fetched),
            Err(TryRecvError::Disconnected) => return Err(Failure::Interrupted(Trip::Stopped)),
            Err(TryRecvError::Empty) => {}
        }
        let next = self.host.timers.next_due_ns();
        let now = monotonic_ns();
        match next {
            None if self.host.requests_pending() == 0 => Err(Failure::NeverSettles),
            None => match self.from_caller.recv() {
                Ok(fetched) => self.answer(fetched),
                Err(_) => Err(Failure::Interrupted(Trip::Stopped)),
            },
            Some(due) if due <= now => self.fire(),
            Some(due) => match self
                .from_caller
                .recv_timeout(Duration::from_nanos(due - now))
            {
                Ok(fetched) => self.answer(fetched),
                Err(RecvTimeoutError::Timeout) => self.fire(),
                Err(RecvTimeoutError::Disconnected) => Err(Failure::Interrupted(Trip::Stopped)),
            },
        }
    }

    fn fire(&self) -> Result<(), Failure> {
        let Some(id) = self.host.timers.take_due() else {
            return Ok(());
        };
        let Err(error) = self.fire.call::<_, ()>((id,)) else {
            return Ok(());
        };
        match self.budget.failure(&self.ctx, &error) {
            // Nobody can catch what a timer's function throws; it is kept with the rejections
            // nobody handled.
            Failure::Thrown(text) => self.host.unhandled.add(0, &text),
            failure @ (Failure::NeverSettles | Failure::Interrupted(_)) => return Err(failure),
        }
        Ok(())
    }

    fn answer(&self, fetched: Fetched) -> Result<(), Failure> {
        let ends = match &fetched.news {
            News::Head(_) | News::Piece { last: false, .. } => false,
            News::Piece { last: true, .. } | News::Failed(_) => true,
        };
        if !self.host.request_answered(fetched.id, ends) {
            return Ok(());
        }
        self.hand_over(fetched)
            .map_err(|error| self.budget.failure(&self.ctx, &error))
    }

    fn hand_over(&self, fetched: Fetched) -> rquickjs::Result<()> {
        let id = fetched.id;
        match fetched.news {
            News::Failed(problem) => self.settled.call((id, "problem", problem)),
            News::Piece { bytes, last } => {
                let bytes = ArrayBuffer::new_copy(self.ctx.clone(), bytes)?;
                self.settled.call((id, "chunk", bytes, last))
            }
            News::Head(response) => {
                let head = Object::new(self.ctx.clone())?;
                head.set("status", response.status)?;
                let reason = http::StatusCode::from_u16(response.status).ok();
                let reason = reason.and_then(|status| status.canonical_reason());
                head.set("statusText", reason.unwrap_or_default())?;
                head.set("headers", response.headers)?;
                self.settled.call((id, "head", head))
            }
        }
    }
}
