//! The `ToolRunner` port: starts a thread per call and enforces wall time from outside it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use openeve_domain::ids::{ConversationId, RunId, ToolCallId};
use openeve_domain::limits::TOOL_WALL_MS;
use openeve_domain::manifest::{ModuleRef, ToolSpec};
use openeve_domain::run::settle_calls::{Outcome, Returned};
use openeve_domain::secret::Secret;
use openeve_runtime::ports::{Gate, HttpClient, Invocation, ToolRunner};
use serde_json::Value;
use tokio::sync::mpsc::unbounded_channel;
use tokio::time::{Instant, timeout_at};

use crate::call::Call;
use crate::engine::{self, Job, Work};
use crate::environment::Environment;
use crate::gate;
use crate::limits::Limits;
use crate::modules::Modules;
use crate::threads::Threads;
use crate::wire::Emitted;

/// Runs the authored tools of one artifact.
///
/// Needs a Tokio runtime with timers. Calls may run side by side; each has its own thread.
///
/// A tool's module default-exports `defineTool({ execute(input, ctx), toModelOutput?(result),
/// needsApproval? })` and imports nothing but `@openeve/core`
/// and the modules of Node that are offered. `ctx` has `runId`,
/// `conversationId`, `toolCallId`, `toolName`, `emit(name, payload)`, `idempotencyKey(label)` and
/// `askQuestion(prompt, { options, approvers })`; a `needsApproval` function's has the first four.
/// Beside the language itself there are `fetch`, `Headers`, `Response`, `URL`, `URLSearchParams`,
/// `AbortController`, `AbortSignal`, `TextEncoder`, `TextDecoder`, `structuredClone`,
/// `queueMicrotask`, timers, `console`, `crypto.randomUUID`, `crypto.getRandomValues`, `crypto.subtle`, `btoa`,
/// `atob`, `performance.now` and `process.env` with the declared variables.
pub struct ScriptTools {
    modules: Arc<Modules>,
    http: Arc<dyn HttpClient>,
    environment: Arc<Environment>,
    limits: Limits,
    threads: Arc<Threads>,
}

impl ScriptTools {
    /// Tools below an artifact's root. `env` holds the declared variables that have a value;
    /// scripts read them as `process.env`.
    pub fn new(root: PathBuf, http: Arc<dyn HttpClient>, env: BTreeMap<String, Secret>) -> Self {
        Self {
            modules: Arc::new(Modules::new(root)),
            http,
            environment: Arc::new(Environment::new(env)),
            limits: Limits::default(),
            threads: Arc::default(),
        }
    }

    /// The same with other limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Reads modules now, so that a later change of the artifact's folder does not concern calls
    /// of this revision. What cannot be read is reported by the call that needs it.
    pub fn preload<'a>(&self, modules: impl IntoIterator<Item = &'a ModuleRef>) {
        for module in modules {
            drop(self.modules.source(module));
        }
    }

    /// Whether a tool can be run at all: its module has the manifest's bytes, is evaluated in an
    /// engine of its own, and default-exports a tool. Nothing of the tool is called. What its
    /// module does when it is loaded is done, as it is by every call.
    ///
    /// # Errors
    /// Why not, in words for the author.
    pub async fn check(&self, tool: &ToolSpec) -> Result<(), String> {
        let nobody = uuid::Uuid::nil();
        let invocation = Invocation {
            run_id: RunId::new(nobody),
            conversation_id: ConversationId::new(nobody),
            call_id: ToolCallId::new(nobody),
            tool,
            input: Value::Null,
            timeout_ms: tool.timeout_ms.unwrap_or(TOOL_WALL_MS),
            answers: Vec::new(),
        };
        self.answer(invocation, Work::Load, &Emitted::default())
            .await
            .map(drop)
    }

    /// Threads of calls that were answered but whose scripts could not be stopped. They hold a
    /// processor; a process that has one should make room for a fresh one.
    pub fn abandoned_threads(&self) -> usize {
        self.threads.abandoned()
    }

    /// Whether so many threads are abandoned that no tool can run.
    pub fn is_exhausted(&self) -> bool {
        self.threads.abandoned() > self.limits.abandoned_threads
    }

    /// Counts as an abandoned thread until it is dropped.
    #[cfg(test)]
    pub(crate) fn stuck_thread(&self) -> crate::threads::Alive {
        self.threads.watch().1
    }

    async fn answer(
        &self,
        invocation: Invocation<'_>,
        work: Work,
        emitted: &Emitted,
    ) -> Result<Returned, String> {
        let abandoned = self.threads.abandoned();
        if abandoned > self.limits.abandoned_threads {
            return Err(format!(
                "no tool can run now: {abandoned} earlier calls were stopped but still hold \
                 their threads; try again later"
            ));
        }
        let wall = Duration::from_millis(invocation.timeout_ms);
        let deadline = Instant::now() + wall;
        let (to_caller, from_script) = unbounded_channel();
        let (to_script, from_caller) = std::sync::mpsc::channel();
        let (leash, alive) = self.threads.watch();
        let job = Job {
            run_id: invocation.run_id.to_string(),
            conversation_id: invocation.conversation_id.to_string(),
            call_id: invocation.call_id.to_string(),
            tool: invocation.tool.name.clone(),
            source: invocation.tool.source.clone(),
            module: invocation.tool.module.clone(),
            input: invocation.input.to_string(),
            work,
            timeout_ms: invocation.timeout_ms,
            answers: invocation.answers,
            limits: self.limits,
            modules: Arc::clone(&self.modules),
            environment: Arc::clone(&self.environment),
            emitted: emitted.clone(),
            to_caller,
            from_caller,
        };
        engine::spawn(job, alive)
            .map_err(|error| format!("no thread could be started for the tool: {error}"))?;
        let call = Call {
            http: Arc::clone(&self.http),
            deadline,
            body_bytes_max: self.limits.fetch_body_bytes,
            to_script,
            from_script,
        };
        let Ok(result) = timeout_at(deadline, call.serve()).await else {
            return Err(format!(
                "{} took longer than its {} ms and was stopped; what it had begun \
                 elsewhere may have happened",
                work.subject(),
                invocation.timeout_ms
            ));
        };
        leash.answered();
        result
    }
}

#[async_trait]
impl ToolRunner for ScriptTools {
    async fn run(&self, invocation: Invocation<'_>) -> Outcome {
        let id = invocation.call_id;
        let emitted = Emitted::default();
        let result = self.answer(invocation, Work::Run, &emitted).await;
        Outcome {
            id,
            result,
            emitted: emitted.take(),
        }
    }

    async fn gate(&self, mut invocation: Invocation<'_>) -> Result<Gate, String> {
        let Some(approval) = &invocation.tool.approval else {
            return Ok(Gate::Open);
        };
        let reason = approval.reason.clone();
        if !approval.predicate {
            return Ok(Gate::Ask { reason });
        }
        invocation.timeout_ms = invocation.timeout_ms.min(self.limits.gate_wall_ms);
        let said = self
            .answer(invocation, Work::Gate, &Emitted::default())
            .await?;
        gate::gate(said, reason)
    }
}
