//! `openeve serve [FOLDER]`: a built agent as one long-lived process, for a VM or a container.
//!
//! It serves the artifact that `openeve build` wrote and compiles nothing. HTTP, steps, deliveries,
//! tick and sweep run in this process over the Postgres that `DATABASE_URL` names; as many processes
//! as one likes may share it. It is always in production mode: the offline demo model cannot answer
//! here, and nothing starts while a secret is missing. SIGTERM lets begun work come to its next
//! boundary; whatever a killed process leaves is found by the next tick of any other.

pub(crate) mod checks;
mod listener;
pub(crate) mod needs;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;
use openeve_domain::secret::Secret;
use openeve_host::artifact::Artifact;
use openeve_host::logs::{self, Form};
use openeve_runtime::config::{ConfigErrors, Values};
use openeve_runtime::ports::NoObserver;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::host::{self, Host, Plan};
use crate::output::Usage;
use listener::Listening;
use needs::Configuration;

/// Retention is looked after this often, as the sweep function does it.
const SWEEP_PAUSE: Duration = Duration::from_hours(1);

/// What to serve, and where.
#[derive(Args)]
#[command(after_help = "\
The database is the one that DATABASE_URL names.

Example:
  openeve serve my-agent --port 8080
  openeve serve my-agent --once")]
pub(crate) struct ServeArguments {
    /// The agent folder, already built; by default `OPENEVE_ARTIFACT_ROOT`, else this folder.
    folder: Option<PathBuf>,
    /// The address to listen on.
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::UNSPECIFIED))]
    host: IpAddr,
    /// The port; `PORT` says it too.
    #[arg(long, env = "PORT", hide_env_values = true, default_value_t = 8080)]
    port: u16,
    /// Check that it could be served, open no socket to listen on, and end.
    #[arg(long)]
    once: bool,
    /// With `--once`: print JSON, for scripts.
    #[arg(long, requires = "once")]
    json: bool,
}

/// Serves until a signal; with `--once` only checks.
pub(crate) async fn run(arguments: ServeArguments) -> anyhow::Result<ExitCode> {
    let configuration = needs::configuration();
    let root = root(arguments.folder.as_deref(), &configuration.values);
    if arguments.once {
        return checks::run(&root, &configuration, arguments.json).await;
    }
    let address = SocketAddr::new(arguments.host, arguments.port);
    serve(&root, configuration, address).await
}

/// Serves an artifact until a signal.
pub(crate) async fn serve(
    root: &Path,
    configuration: Configuration,
    address: SocketAddr,
) -> anyhow::Result<ExitCode> {
    // First of all: a process that is its container's first has no default for signals.
    let mut signals = Signals::new()?;
    let artifact = loaded(root)?;
    let problems = configuration.all_problems(&artifact.manifest);
    if !problems.is_empty() {
        return Err(Usage(ConfigErrors(problems).to_string()).into());
    }
    let changed = needs::changed_files(root, &artifact.manifest);
    if !changed.is_empty() {
        let changed = changed.join("; ");
        anyhow::bail!("the artifact is not whole: {changed}; run `openeve build` again");
    }
    let values = &configuration.values;
    logs::start(form(values), &values.text("OPENEVE_LOG"));
    for note in configuration.notes(&artifact.manifest) {
        tracing::warn!("{note}");
    }
    let listener = listener::bind(address).await?;
    let host = tokio::select! {
        host = Host::start(values, &artifact, plan(&configuration, &artifact)) => host?,
        () = signals.next() => return Ok(ExitCode::SUCCESS),
    };
    let mut listening = Listening::start(listener, &host)?;
    tracing::info!(
        agent = %artifact.manifest.agent.id,
        revision = %artifact.manifest.revision,
        address = %listening.address(),
        fires_schedules = needs::fires_schedules(&artifact.manifest),
        "serving"
    );
    let ended = tokio::select! {
        () = signals.next() => ExitCode::SUCCESS,
        () = host.exhausted() => {
            tracing::error!("scripts that cannot be stopped hold this process's threads; it ends, so that a fresh one can go on");
            ExitCode::FAILURE
        }
        () = listening.ended() => {
            tracing::error!("the server ended by itself");
            ExitCode::FAILURE
        }
    };
    let most = Duration::from_millis(values.number("OPENEVE_SERVE_DRAIN_MS"));
    drain(&host, listening, most, &mut signals).await;
    Ok(ended)
}

/// Takes no more requests, answers those that have begun and hands every run on.
async fn drain(host: &Host, listening: Listening, most: Duration, signals: &mut Signals) {
    tracing::info!(
        begun = host.begun(),
        most_ms = u64::try_from(most.as_millis()).unwrap_or(u64::MAX),
        "draining; a second signal ends at once"
    );
    let work = async {
        let handed_on = host.drain(most, std::future::pending());
        let ((), left) = tokio::join!(listening.close(), handed_on);
        left
    };
    let left = tokio::select! {
        left = work => left,
        () = host::pause(most) => host.begun(),
        () = signals.next() => host.begun(),
    };
    if left > 0 {
        tracing::warn!(
            left,
            "some work did not come to a boundary; it is resumed when its leases end"
        );
    }
    tracing::info!("stopped");
}

fn plan(configuration: &Configuration, artifact: &Artifact) -> Plan {
    let values = &configuration.values;
    let concurrency = values.number("OPENEVE_SERVE_CONCURRENCY");
    Plan {
        database: Secret::new(values.text("DATABASE_URL")),
        base_url: values.text("OPENEVE_MODEL_BASE_URL"),
        api_key: values.given("OPENEVE_MODEL_API_KEY").map(Secret::new),
        secrets: configuration.secrets.clone(),
        observer: Arc::new(NoObserver),
        bells_at_once: usize::try_from(concurrency).unwrap_or(1),
        fires_schedules: needs::fires_schedules(&artifact.manifest),
        sweep_pause: SWEEP_PAUSE,
    }
}

/// The artifact's folder.
pub(crate) fn root(folder: Option<&Path>, values: &Values) -> PathBuf {
    match folder {
        Some(folder) => folder.join(".openeve"),
        None => PathBuf::from(values.text("OPENEVE_ARTIFACT_ROOT")),
    }
}

/// The artifact; one that is absent or cannot be read was not given.
fn loaded(root: &Path) -> anyhow::Result<Artifact> {
    Artifact::load(root).map_err(|error| Usage(error.to_string()).into())
}

fn form(values: &Values) -> Form {
    if values.text("OPENEVE_LOG_FORM") == "readable" {
        Form::Readable
    } else {
        Form::Json
    }
}

/// Ctrl-C and the terminate signal, from when it was made.
struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    fn new() -> anyhow::Result<Self> {
        let why = "the system lets nobody listen to signals";
        Ok(Self {
            interrupt: signal(SignalKind::interrupt()).context(why)?,
            terminate: signal(SignalKind::terminate()).context(why)?,
        })
    }

    /// The next one.
    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}
