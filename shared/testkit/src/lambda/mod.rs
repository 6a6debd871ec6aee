//! AWS Lambda for one function: its real binary, frozen between events, killed at its deadline.
//!
//! Each environment is a child process with a Runtime API server of its own. An invocation takes
//! an idle environment, or starts one while fewer than the maximum are busy, or waits. Between
//! events the process is stopped with SIGSTOP, as Lambda freezes it: work left in the background
//! stands still. At the deadline it is killed with SIGKILL; a crashed one is replaced by the next
//! invocation. After its answer an environment stays busy until it asks for the next event, and
//! the deadline holds until then, as on AWS.
//!
//! A chain of requests that comes back to the same function more than 16 times is cut, as on AWS,
//! unless [`LambdaOptions::recursive_loop`] allows it; the header's `Lineage` field
//! carries the count.
//!
//! Retries are not this module's: a queue's redelivery is [`crate::sqs`]'s.

mod api;
mod environment;
mod lineage;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use bytes::Bytes;
use rustix::process::Signal;
use serde_json::Value;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};
use tokio::time::{Instant, timeout_at};

use api::Event;
use environment::{Environment, Start};
pub use lineage::{CHAIN_INVOCATIONS_MAX, RecursiveLoop};

/// A process that asks for its next event within this time after its answer is used again by a
/// caller that calls again at once.
const SOON: Duration = Duration::from_millis(20);

/// How a function is run.
#[derive(Debug, Clone)]
pub struct LambdaOptions {
    /// Its name.
    pub name: String,
    /// Its time-out, from handing over the event until it asks for the next one.
    pub timeout_ms: u64,
    /// Its time for initialising; on AWS ten seconds.
    pub init_timeout_ms: u64,
    /// Environments at most.
    pub max_concurrency: usize,
    /// Whether an environment is stopped between events.
    pub freeze: bool,
    /// The memory size it is told; nothing enforces it.
    pub memory_mb: u32,
    /// Whether its own chains may go on beyond [`CHAIN_INVOCATIONS_MAX`].
    pub recursive_loop: RecursiveLoop,
}

impl Default for LambdaOptions {
    fn default() -> Self {
        Self {
            name: "function".to_owned(),
            timeout_ms: 30_000,
            init_timeout_ms: 10_000,
            max_concurrency: 10,
            freeze: true,
            memory_mb: 512,
            recursive_loop: RecursiveLoop::Terminate,
        }
    }
}

/// How an invocation ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InvokeOutcome {
    /// The function answered with these bytes; those of a stream are joined.
    Response(Bytes),
    /// The function reported an error, while initialising, handling or streaming.
    FunctionError(Value),
    /// The process ended without an answer.
    Crashed,
    /// The deadline passed; the process was killed.
    TimedOut,
    /// It would have been one too many of its chain; the function never saw the event. On AWS the
    /// caller gets `RecursiveInvocationException`.
    LoopStopped,
}

impl InvokeOutcome {
    /// The answer's JSON. Panics if there was no answer.
    pub fn json(&self) -> Value {
        match self {
            Self::Response(bytes) => {
                serde_json::from_slice(bytes).expect("the function answers with JSON")
            }
            Self::FunctionError(_) | Self::Crashed | Self::TimedOut | Self::LoopStopped => {
                panic!("the function did not answer: {self:?}")
            }
        }
    }
}

/// What happened so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LambdaStats {
    /// Events handed over.
    pub invocations: u64,
    /// Environments started.
    pub cold_starts: u64,
    /// Invocations that ended by the process's end.
    pub crashes: u64,
    /// Invocations that ended at the deadline.
    pub timeouts: u64,
    /// Invocations that were refused as links of a recursive loop.
    pub loops_stopped: u64,
    /// Milliseconds from starting each process to its first request for an event.
    pub init_ms: Vec<f64>,
    /// Resident memory in KiB after each answered event; empty where `/proc` is missing.
    pub rss_kib: Vec<u64>,
    /// The most that any process held resident at any time, in KiB, as of its last answered event.
    pub peak_kib: u64,
}

/// One deployed function. Copies are the same function; dropping the last one kills its processes.
#[derive(Clone)]
pub struct LambdaFunction {
    inner: Arc<Inner>,
}

struct Inner {
    binary: PathBuf,
    env: BTreeMap<String, String>,
    options: LambdaOptions,
    permits: Arc<Semaphore>,
    idle: Mutex<Vec<Environment>>,
    busy: Mutex<Vec<rustix::process::Pid>>,
    stats: Mutex<LambdaStats>,
    logs: Arc<Mutex<Vec<u8>>>,
}

/// An event on its way to a function.
struct Call {
    payload: Bytes,
    trace: String,
    chunks: Option<mpsc::UnboundedSender<Bytes>>,
    answer: oneshot::Sender<InvokeOutcome>,
}

impl LambdaFunction {
    /// Deploys a binary with its environment variables. Nothing runs until it is invoked.
    pub fn start(
        binary: impl AsRef<Path>,
        env: impl IntoIterator<Item = (String, String)>,
        options: LambdaOptions,
    ) -> Self {
        let binary = binary.as_ref().to_owned();
        assert!(
            binary.is_file(),
            "{} does not exist; build it first",
            binary.display()
        );
        Self {
            inner: Arc::new(Inner {
                binary,
                env: env.into_iter().collect(),
                permits: Arc::new(Semaphore::new(options.max_concurrency)),
                options,
                idle: Mutex::default(),
                busy: Mutex::default(),
                stats: Mutex::default(),
                logs: Arc::default(),
            }),
        }
    }

    /// Invokes it and waits for the outcome.
    pub async fn invoke(&self, payload: impl Into<Bytes>) -> InvokeOutcome {
        self.invoke_traced(payload, None).await
    }

    /// Invokes it with a JSON event.
    pub async fn invoke_json(&self, event: &Value) -> InvokeOutcome {
        self.invoke(event.to_string()).await
    }

    /// Invokes it with an X-Ray trace header, as a queue's message carries one.
    pub async fn invoke_traced(
        &self,
        payload: impl Into<Bytes>,
        trace: Option<String>,
    ) -> InvokeOutcome {
        self.call(payload.into(), trace, None).await
    }

    /// Invokes it and passes on each piece of its answer as it arrives.
    pub fn invoke_streaming(
        &self,
        payload: impl Into<Bytes>,
    ) -> (
        mpsc::UnboundedReceiver<Bytes>,
        tokio::task::JoinHandle<InvokeOutcome>,
    ) {
        let (sender, chunks) = mpsc::unbounded_channel();
        let (function, payload) = (self.clone(), payload.into());
        let outcome = tokio::spawn(async move { function.call(payload, None, Some(sender)).await });
        (chunks, outcome)
    }

    /// Kills every process at once, as a crash of the host would. In-flight calls end as crashed.
    pub async fn kill_all(&self) {
        self.signal_busy(Signal::KILL);
        let idle = std::mem::take(&mut *lock(&self.inner.idle));
        for environment in idle {
            environment.end().await;
        }
    }

    /// Stops every busy process where it is, until [`Self::resume_busy`]. Its deadline goes on.
    pub fn suspend_busy(&self) {
        self.signal_busy(Signal::STOP);
    }

    /// Lets the processes that [`Self::suspend_busy`] stopped go on.
    pub fn resume_busy(&self) {
        self.signal_busy(Signal::CONT);
    }

    /// What happened so far.
    pub fn stats(&self) -> LambdaStats {
        lock(&self.inner.stats).clone()
    }

    /// Environments that are busy now.
    pub fn busy(&self) -> usize {
        lock(&self.inner.busy).len()
    }

    /// Process ids of the environments that wait for an event.
    pub fn idle_pids(&self) -> Vec<u32> {
        lock(&self.inner.idle)
            .iter()
            .map(|idle| idle.pid().as_raw_pid().cast_unsigned())
            .collect()
    }

    /// Everything the processes wrote to stdout and stderr, in the order it was read.
    pub fn logs(&self) -> String {
        String::from_utf8_lossy(&lock(&self.inner.logs)).into_owned()
    }

    /// How often it was invoked in the chain that a trace header belongs to.
    pub fn invocations_in_chain(&self, trace: Option<&str>) -> u32 {
        lineage::invocations(trace, &self.inner.options.name)
    }

    async fn call(
        &self,
        payload: Bytes,
        trace: Option<String>,
        chunks: Option<mpsc::UnboundedSender<Bytes>>,
    ) -> InvokeOutcome {
        let options = &self.inner.options;
        if options.recursive_loop == RecursiveLoop::Terminate
            && self.invocations_in_chain(trace.as_deref()) >= CHAIN_INVOCATIONS_MAX
        {
            lock(&self.inner.stats).loops_stopped += 1;
            return InvokeOutcome::LoopStopped;
        }
        let trace = lineage::next(trace.as_deref(), &options.name);
        let permits = Arc::clone(&self.inner.permits);
        let permit = permits
            .acquire_owned()
            .await
            .expect("the semaphore is never closed");
        let (answer, outcome) = oneshot::channel();
        let call = Call {
            payload,
            trace,
            chunks,
            answer,
        };
        tokio::spawn(serve(Arc::clone(&self.inner), permit, call));
        outcome.await.expect("every call is answered")
    }

    fn signal_busy(&self, signal: Signal) {
        for pid in lock(&self.inner.busy).iter() {
            // One that has just ended needs no signal.
            rustix::process::kill_process(*pid, signal).ok();
        }
    }
}

/// One event's whole life: environment, hand-over, outcome, and the way back to idle.
async fn serve(inner: Arc<Inner>, permit: OwnedSemaphorePermit, call: Call) {
    let mut environment = inner.take().await;
    let Call {
        payload,
        trace,
        chunks,
        answer,
    } = call;
    let event = |deadline_ms| Event {
        payload,
        trace,
        chunks,
        deadline_ms,
    };
    let handled = match inner.initialise(&mut environment).await {
        Err(outcome) => Err(outcome),
        Ok(()) => inner.handle(&mut environment, event).await,
    };
    match handled {
        Ok((outcome, deadline)) => {
            if let Some((now, most)) = environment.memory_kib() {
                let mut stats = lock(&inner.stats);
                stats.rss_kib.push(now);
                stats.peak_kib = stats.peak_kib.max(most);
            }
            // The caller hears once the process asks for its next event, if that is soon, as it is
            // on AWS: then calls in a row use one process.
            let soon = (Instant::now() + SOON).min(deadline);
            let first = timeout_at(soon, environment.park()).await;
            if first.is_err() {
                answer.send(outcome).ok();
                let is_parked = matches!(timeout_at(deadline, environment.park()).await, Ok(Ok(_)));
                inner.settle(environment, is_parked, permit).await;
            } else {
                inner
                    .settle(environment, matches!(first, Ok(Ok(_))), permit)
                    .await;
                answer.send(outcome).ok();
            }
        }
        Err(outcome) => {
            {
                let mut stats = lock(&inner.stats);
                stats.crashes += u64::from(outcome == InvokeOutcome::Crashed);
                stats.timeouts += u64::from(outcome == InvokeOutcome::TimedOut);
            }
            inner.settle(environment, false, permit).await;
            answer.send(outcome).ok();
        }
    }
}

impl Inner {
    /// An idle environment that still lives, else a new one.
    async fn take(&self) -> Environment {
        loop {
            let Some(mut environment) = lock(&self.idle).pop() else {
                break;
            };
            if environment.is_alive() {
                lock(&self.busy).push(environment.pid());
                environment.thaw();
                return environment;
            }
        }
        let number = {
            let mut stats = lock(&self.stats);
            stats.cold_starts += 1;
            stats.cold_starts
        };
        let start = Start {
            binary: &self.binary,
            env: &self.env,
            options: &self.options,
            logs: &self.logs,
            number,
        };
        let environment = Environment::spawn(start).await;
        lock(&self.busy).push(environment.pid());
        environment
    }

    /// Waits for a new environment's first request for an event.
    async fn initialise(&self, environment: &mut Environment) -> Result<(), InvokeOutcome> {
        if environment.is_parked() {
            return Ok(());
        }
        let deadline = Instant::now() + Duration::from_millis(self.options.init_timeout_ms);
        let init_ms = timeout_at(deadline, environment.park())
            .await
            .unwrap_or(Err(InvokeOutcome::TimedOut))?;
        lock(&self.stats).init_ms.push(init_ms);
        Ok(())
    }

    /// Hands the event over and waits for the outcome. An error means that the process is of no
    /// further use.
    async fn handle(
        &self,
        environment: &mut Environment,
        event: impl FnOnce(u64) -> Event,
    ) -> Result<(InvokeOutcome, Instant), InvokeOutcome> {
        let deadline = Instant::now() + Duration::from_millis(self.options.timeout_ms);
        lock(&self.stats).invocations += 1;
        environment.hand_over(event(epoch_ms() + self.options.timeout_ms));
        let outcome = timeout_at(deadline, environment.outcome())
            .await
            .unwrap_or(InvokeOutcome::TimedOut);
        match outcome {
            InvokeOutcome::Response(_) | InvokeOutcome::FunctionError(_) => Ok((outcome, deadline)),
            InvokeOutcome::Crashed | InvokeOutcome::TimedOut | InvokeOutcome::LoopStopped => {
                Err(outcome)
            }
        }
    }

    /// Keeps an environment that waits for its next event; ends one that crashed or hangs.
    async fn settle(
        &self,
        mut environment: Environment,
        is_parked: bool,
        permit: OwnedSemaphorePermit,
    ) {
        if is_parked && self.options.freeze {
            environment.freeze();
        }
        let ended = {
            let mut idle = lock(&self.idle);
            lock(&self.busy).retain(|pid| *pid != environment.pid());
            if is_parked {
                idle.push(environment);
                None
            } else {
                Some(environment)
            }
        };
        if let Some(environment) = ended {
            environment.end().await;
        }
        drop(permit);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("no holder panics")
}

#[expect(
    clippy::disallowed_methods,
    reason = "Lambda tells a function its deadline in real time"
)]
fn epoch_ms() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(0, |since| {
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    })
}
