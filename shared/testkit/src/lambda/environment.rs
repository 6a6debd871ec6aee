//! One environment: a child process and the Runtime API server that only it talks to.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, Command};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use super::api::{Api, Event, FromRuntime};
use super::{InvokeOutcome, LambdaOptions};
use crate::loopback::Task;

/// An answer that was sent before the process ended may still be on its way for this long.
const LAST_WORDS: Duration = Duration::from_millis(20);

/// What a new environment needs.
pub(super) struct Start<'a> {
    pub(super) binary: &'a Path,
    pub(super) env: &'a BTreeMap<String, String>,
    pub(super) options: &'a LambdaOptions,
    pub(super) logs: &'a Arc<Mutex<Vec<u8>>>,
    pub(super) number: u64,
}

/// A running process. Dropping it kills the process.
pub(super) struct Environment {
    child: Child,
    pid: Pid,
    started: Instant,
    inbox: mpsc::UnboundedReceiver<FromRuntime>,
    /// The runtime's open request for an event.
    parked: Option<oneshot::Sender<Event>>,
    is_frozen: bool,
    _server: Task,
}

impl Environment {
    pub(super) async fn spawn(start: Start<'_>) -> Self {
        let (api, inbox) = Api::new(&start.options.name, start.number);
        let (address, server) = crate::loopback::serve(move |request| {
            let api = Arc::clone(&api);
            async move { api.answer(request).await }
        })
        .await;
        let options = start.options;
        let folder = start.binary.parent().unwrap_or(Path::new("/"));
        let mut command = Command::new(start.binary);
        command
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("LANG", "en_US.UTF-8")
            .env("TZ", ":UTC")
            .env("AWS_REGION", super::api::REGION)
            .env("AWS_DEFAULT_REGION", super::api::REGION)
            // Nothing on this host is EC2; an SDK that asks would leave loopback.
            .env("AWS_EC2_METADATA_DISABLED", "true")
            .env("AWS_LAMBDA_RUNTIME_API", address.to_string())
            .env("AWS_LAMBDA_FUNCTION_NAME", &options.name)
            .env(
                "AWS_LAMBDA_FUNCTION_MEMORY_SIZE",
                options.memory_mb.to_string(),
            )
            .env("AWS_LAMBDA_FUNCTION_VERSION", "$LATEST")
            .env("AWS_LAMBDA_INITIALIZATION_TYPE", "on-demand")
            .env(
                "AWS_LAMBDA_LOG_GROUP_NAME",
                format!("/aws/lambda/{}", options.name),
            )
            .env(
                "AWS_LAMBDA_LOG_STREAM_NAME",
                format!("environment-{}", start.number),
            )
            .env("LAMBDA_TASK_ROOT", folder)
            .envs(start.env)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        let started = Instant::now();
        let mut child = command
            .spawn()
            .unwrap_or_else(|error| panic!("{} does not start: {error}", start.binary.display()));
        let pid = child.id().and_then(|pid| Pid::from_raw(pid.cast_signed()));
        collect(child.stdout.take(), start.logs);
        collect(child.stderr.take(), start.logs);
        Self {
            pid: pid.expect("a child that was not waited for has an id"),
            child,
            started,
            inbox,
            parked: None,
            is_frozen: false,
            _server: server,
        }
    }

    pub(super) const fn pid(&self) -> Pid {
        self.pid
    }

    pub(super) fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Whether the runtime waits for an event.
    pub(super) const fn is_parked(&self) -> bool {
        self.parked.is_some()
    }

    /// Waits until the runtime asks for an event; gives the milliseconds since the start.
    pub(super) async fn park(&mut self) -> Result<f64, InvokeOutcome> {
        let mut error = None;
        loop {
            match self.hear().await {
                Some(FromRuntime::Next { at, answer }) => {
                    self.parked = Some(answer);
                    return Ok((at - self.started).as_secs_f64() * 1_000.0);
                }
                Some(FromRuntime::InitError(value)) => {
                    error = Some(InvokeOutcome::FunctionError(value));
                }
                Some(FromRuntime::Outcome(_)) => {}
                None => return Err(error.unwrap_or(InvokeOutcome::Crashed)),
            }
        }
    }

    /// Gives the event to the runtime that waits.
    pub(super) fn hand_over(&mut self, event: Event) {
        if let Some(parked) = self.parked.take() {
            // If the process ended while it waited, the next thing heard is its end.
            parked.send(event).ok();
        }
    }

    /// Waits for the answer, the error or the end.
    pub(super) async fn outcome(&mut self) -> InvokeOutcome {
        loop {
            match self.hear().await {
                Some(FromRuntime::Outcome(outcome)) => return outcome,
                // A runtime that asks again without answering has lost the event.
                Some(FromRuntime::Next { answer, .. }) => self.parked = Some(answer),
                Some(FromRuntime::InitError(_)) => {}
                None => return InvokeOutcome::Crashed,
            }
        }
    }

    pub(super) fn freeze(&mut self) {
        self.is_frozen = true;
        kill_process(self.pid, Signal::STOP).ok();
    }

    pub(super) fn thaw(&mut self) {
        if self.is_frozen {
            self.is_frozen = false;
            kill_process(self.pid, Signal::CONT).ok();
        }
    }

    /// Kills the process and waits for its end.
    pub(super) async fn end(mut self) {
        self.child.kill().await.ok();
    }

    /// Resident memory in KiB, now and at most so far; none where `/proc` is missing.
    pub(super) fn memory_kib(&self) -> Option<(u64, u64)> {
        let path = format!("/proc/{}/status", self.pid.as_raw_pid());
        let status = std::fs::read_to_string(path).ok()?;
        let kib = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.trim().trim_end_matches(" kB").parse().ok()
        };
        Some((kib("VmRSS:")?, kib("VmHWM:")?))
    }

    /// What the runtime says next; none when the process has ended and all it said was heard.
    async fn hear(&mut self) -> Option<FromRuntime> {
        tokio::select! {
            biased;
            Some(said) = self.inbox.recv() => Some(said),
            _ = self.child.wait() => {
                tokio::time::timeout(LAST_WORDS, self.inbox.recv()).await.ok().flatten()
            }
        }
    }
}

/// Copies a pipe into the logs until its end.
fn collect(pipe: Option<impl AsyncRead + Unpin + Send + 'static>, logs: &Arc<Mutex<Vec<u8>>>) {
    let logs = Arc::clone(logs);
    tokio::spawn(async move {
        let Some(mut pipe) = pipe else { return };
        let mut chunk = vec![0; 8 * 1_024];
        while let Ok(count @ 1..) = pipe.read(&mut chunk).await {
            let mut logs = logs.lock().expect("no holder panics");
            logs.extend_from_slice(chunk.get(..count).unwrap_or_default());
        }
    });
}
