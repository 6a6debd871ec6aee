//! One call on its own thread: engine up, module in, the tool's function, answer out, engine down.

mod budget;
mod event_loop;
mod failure;
mod loader;
mod memory;
mod schema;
mod script;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::{io, thread};

use openeve_domain::limits::MIB;
use openeve_domain::manifest::ModuleRef;
use tokio::sync::mpsc::UnboundedSender;
use tracing::{Dispatch, Span, dispatcher};

use crate::environment::Environment;
use crate::limits::Limits;
use crate::modules::Modules;
use crate::threads::Alive;
use crate::wire::{Emitted, Fetched, FromScript};

pub(crate) use budget::monotonic_ns;
pub(crate) use failure::describe;
pub(crate) use loader::declare_builtin;
pub(crate) use schema::schema_json;

/// Native stack beside the script's own: the engine's C code and the host functions run on it.
const HOST_STACK_BYTES: usize = MIB;

/// Which of a tool's functions is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    /// `execute`.
    Run,
    /// `needsApproval`.
    Gate,
    /// None of them: the module is evaluated and its tool looked for.
    Load,
}

impl Work {
    /// The prelude's function that calls it, if any is called.
    fn function(self) -> Option<&'static str> {
        match self {
            Self::Run => Some("run"),
            Self::Gate => Some("gate"),
            Self::Load => None,
        }
    }

    /// What it is called in a message.
    pub(crate) fn subject(self) -> &'static str {
        match self {
            Self::Run => "the tool",
            Self::Gate => "the tool's needsApproval",
            Self::Load => "the tool's module",
        }
    }
}

/// One call, as its thread needs it.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) run_id: String,
    pub(crate) conversation_id: String,
    pub(crate) call_id: String,
    pub(crate) tool: String,
    /// The author's file; names the module in stacks.
    pub(crate) source: String,
    pub(crate) module: ModuleRef,
    /// The arguments as JSON.
    pub(crate) input: String,
    pub(crate) work: Work,
    /// How long the call may take in all, in milliseconds.
    pub(crate) timeout_ms: u64,
    /// What was answered to the call's earlier questions.
    pub(crate) answers: Vec<String>,
    pub(crate) limits: Limits,
    pub(crate) modules: Arc<Modules>,
    pub(crate) environment: Arc<Environment>,
    pub(crate) emitted: Emitted,
    pub(crate) to_caller: UnboundedSender<FromScript>,
    pub(crate) from_caller: Receiver<Fetched>,
}

/// Starts the call's thread and does not wait for it. The answer is sent, whatever happens.
pub(crate) fn spawn(job: Job, alive: Alive) -> io::Result<()> {
    let dispatch = dispatcher::get_default(Dispatch::clone);
    let span = Span::current();
    thread::Builder::new()
        .name("openeve-tool".to_owned())
        .stack_size(job.limits.stack_bytes + HOST_STACK_BYTES)
        .spawn(move || {
            dispatcher::with_default(&dispatch, || span.in_scope(|| main(&job, alive)));
        })?;
    Ok(())
}

fn main(job: &Job, alive: Alive) {
    // Shared with the engine's interrupt handler, and so held until the engine is down.
    let alive = Arc::new(alive);
    let to_caller = job.to_caller.clone();
    let environment = Arc::clone(&job.environment);
    answer_panics(&to_caller, &environment, || script::run(job, &alive));
}

/// Does the work; a panic in it becomes an error outcome.
fn answer_panics(
    to_caller: &UnboundedSender<FromScript>,
    environment: &Environment,
    work: impl FnOnce(),
) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(work)) {
        let why = environment.redact(&panic_text(&*panic));
        let message = format!("Error: the script engine failed: {why}");
        // A caller that is gone, or was answered before the engine's end panicked, misses nothing.
        let _ = to_caller.send(FromScript::Done(Err(message)));
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "it panicked".into())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use openeve_domain::secret::Secret;
    use tokio::sync::mpsc::unbounded_channel;

    use super::*;

    #[test]
    fn a_panic_inside_is_an_error_outcome_without_secrets() {
        let (to_caller, mut answers) = unbounded_channel();
        let env = BTreeMap::from([("KEY".to_owned(), Secret::new("sk-live-123"))]);
        answer_panics(&to_caller, &Environment::new(env), || {
            panic!("with sk-live-123")
        });
        let Ok(FromScript::Done(Err(message))) = answers.try_recv() else {
            panic!("no answer")
        };
        assert_eq!(message, "Error: the script engine failed: with [secret]");
    }
}
