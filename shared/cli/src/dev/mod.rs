//! `openeve dev FOLDER`: one process, everything real but the cloud.
//!
//! It validates, builds, starts a private Postgres unless `DATABASE_URL` names one, applies
//! migrations, runs the same handlers as the functions with an in-process doorbell, serves the
//! agent's routes on loopback, follows runs on the terminal and reloads on change. Ctrl-C lets
//! begun iterations finish; a process that was killed is resumed by the next start.

mod asks;
mod database;
mod follow;
mod model;
pub(crate) mod packages;
mod send;
mod server;
mod watch;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;
use openeve_compiler::{Compilation, Compiler, emit};
use openeve_domain::manifest::Manifest;
use openeve_host::artifact::Artifact;
use openeve_host::environment;
use openeve_host::logs::{self, Form};
use openeve_runtime::ports::{Pauses, RunView};
use serde_json::json;
use tokio::sync::mpsc::unbounded_channel;

use crate::commands::{compiled_apart, say_findings, types};
use crate::host::{self, Host, Plan};
use crate::output;
pub(crate) use database::recorded;
use follow::Follow;

/// The knobs as `dev` reads them unless the environment says otherwise: development mode, and leases
/// so short that a killed `dev` is resumed by the next one at once. One process on one machine can
/// afford to look often.
const DEFAULTS: [(&str, &str); 5] = [
    ("OPENEVE_MODE", "development"),
    ("OPENEVE_RUN_LEASE_MS", "4000"),
    ("OPENEVE_RUN_HEARTBEAT_MS", "1000"),
    ("OPENEVE_DATABASE_CONNECTIONS", "8"),
    ("OPENEVE_TICK_INTERVAL_MS", "2000"),
];
/// Bells answered at once.
const BELLS_AT_ONCE: usize = 16;
/// How often the sweep looks.
const SWEEP_PAUSE: Duration = Duration::from_mins(1);
/// How long begun work may take to finish after Ctrl-C.
const DRAIN: Duration = Duration::from_secs(20);

/// How to run.
#[derive(Args)]
#[command(after_help = "\
Example:
  openeve dev my-agent
  openeve dev my-agent --once --message \"hello\"")]
pub(crate) struct DevArguments {
    /// The agent folder.
    folder: PathBuf,
    /// The port on loopback; the next free one is taken if it is in use.
    #[arg(long, default_value_t = 7070)]
    port: u16,
    /// Send this message to the agent's first channel once it is up.
    #[arg(long)]
    message: Option<String>,
    /// End after the reply to `--message`; exits 1 if there was none.
    #[arg(long, requires = "message")]
    once: bool,
    /// Print what happens as JSON on standard output, one value a line.
    #[arg(long)]
    json: bool,
}

/// Runs until Ctrl-C, or until the reply with `--once`.
pub(crate) async fn run(arguments: DevArguments) -> anyhow::Result<ExitCode> {
    let values = host::values(&DEFAULTS)?;
    // What matters is said below and in the runs' own lines; logs are for what goes wrong.
    logs::start(Form::Readable, &log_level(&values.text("OPENEVE_LOG")));
    packages::install(&arguments.folder)?;
    let compiler = Arc::default();
    let compilation = compiled_apart(&arguments.folder, true, &compiler).await;
    let Some(artifact) = built(&arguments.folder, &compilation)? else {
        return Ok(ExitCode::FAILURE);
    };
    let database = database::Database::open(&arguments.folder, &values)?;
    let model = model::Model::choose(&values).await?;
    let (asking, asked) = unbounded_channel();
    let follow = Arc::new(Follow::new(asking, arguments.json));
    let host = Host::start(&values, &artifact, plan(&database, &model, follow)).await?;
    let server = server::Server::start(&host, arguments.port).await?;
    announce(&artifact.manifest, &server, &model);
    if arguments.json {
        let manifest = &artifact.manifest;
        output::json(&json!({
            "kind": "dev.up", "url": server.url(), "agent": manifest.agent.id,
            "revision": manifest.revision,
        }));
    }
    let (url, again) = (server.url().to_owned(), asks::again(&arguments.folder));
    tokio::spawn(asks::tell(Arc::clone(&host), url, again, asked));

    let ended = converse(&arguments, &host, &artifact.manifest, &compiler).await;
    server.stop();
    drain(&host).await;
    database.close();
    ended
}

fn plan(database: &database::Database, model: &model::Model, follow: Arc<Follow>) -> Plan {
    Plan {
        database: database.url().clone(),
        base_url: model.base_url(),
        api_key: model.api_key(),
        secrets: BTreeMap::new(),
        observer: follow,
        bells_at_once: BELLS_AT_ONCE,
        fires_schedules: true,
        sweep_pause: SWEEP_PAUSE,
    }
}

/// Lets begun work come to a boundary, for a while or until Ctrl-C.
async fn drain(host: &Host) {
    let begun = host.begun();
    if begun > 0 {
        output::say(&format!(
            "finishing what has begun ({begun}); Ctrl-C again ends at once, the next start resumes it"
        ));
    }
    host.drain(DRAIN, interrupted()).await;
}

/// What came of a single run.
pub(crate) enum Ran {
    /// There was none: the folder cannot be built, and why has been said.
    Unbuilt,
    /// Ctrl-C ended the wait for it; the next start of `dev` goes on with it.
    Stopped,
    /// It has ended, or waits for a person.
    Run(Box<RunView>, Option<Pauses>),
}

/// One run of a folder without a server: the message goes the way any other does. It ends
/// or waits for a person before this returns.
pub(crate) async fn one(folder: &Path, message: &str) -> anyhow::Result<Ran> {
    let values = host::values(&DEFAULTS)?;
    logs::start(Form::Readable, &log_level(&values.text("OPENEVE_LOG")));
    packages::install(folder)?;
    let compilation = compiled_apart(folder, true, &Arc::default()).await;
    let Some(artifact) = built(folder, &compilation)? else {
        return Ok(Ran::Unbuilt);
    };
    let database = database::Database::open(folder, &values)?;
    let model = model::Model::choose(&values).await?;
    output::say(&format!(
        "model: {}",
        model.describe(&artifact.manifest.agent.model)
    ));
    let (asking, _asked) = unbounded_channel();
    let follow = Arc::new(Follow::new(asking, false));
    let host = Host::start(&values, &artifact, plan(&database, &model, follow)).await?;
    let sent = tokio::select! {
        sent = send::message(&host, &artifact.manifest, message, true) => sent.map(Some),
        () = interrupted() => Ok(None),
    };
    let ran = match sent {
        Ok(Some(view)) => {
            let store = host.ingress().store;
            let pauses = store.pauses(&artifact.manifest.agent.id, view.run_id).await;
            pauses
                .map(|pauses| Ran::Run(Box::new(view), pauses))
                .map_err(Into::into)
        }
        Ok(None) => Ok(Ran::Stopped),
        Err(error) => Err(error),
    };
    drain(&host).await;
    database.close();
    ran
}

/// Sends the first message, if there is one, and watches until Ctrl-C.
async fn converse(
    arguments: &DevArguments,
    host: &Arc<Host>,
    manifest: &Manifest,
    compiler: &Arc<Compiler>,
) -> anyhow::Result<ExitCode> {
    if let Some(text) = &arguments.message {
        let answered = tokio::select! {
            answered = send::message(host, manifest, text, false) => answered,
            () = interrupted() => return Ok(ExitCode::SUCCESS),
        };
        let answered = answered.map(|view| {
            match &view.reply {
                Some(reply) if arguments.json => {
                    output::json(&json!({"kind": "dev.reply", "text": reply}));
                }
                Some(reply) => output::answer(reply),
                None => {}
            }
            view.reply.is_some()
        });
        if arguments.once {
            return Ok(if answered? {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            });
        }
        if let Err(error) = answered {
            output::say(&format!("{error:#}"));
        }
    }
    tokio::select! {
        ended = watch::reload_on_change(arguments, host, compiler) => ended?,
        () = interrupted() => {}
    }
    Ok(ExitCode::SUCCESS)
}

/// Says every finding and writes the artifact; `None` if the folder cannot be built.
fn built(folder: &Path, compilation: &Compilation) -> anyhow::Result<Option<Artifact>> {
    say_findings(folder, compilation);
    if !compilation.is_ok() {
        return Ok(None);
    }
    let out = folder.join(".openeve");
    emit(compilation, &out).context("the artifact could not be written")?;
    types::refresh(folder);
    Ok(Some(Artifact::load(&out)?))
}

fn announce(manifest: &Manifest, server: &server::Server, model: &model::Model) {
    output::say("");
    output::say(&format!(
        "{} is up at {}  (Ctrl-C ends it)",
        manifest.agent.id,
        server.url()
    ));
    output::say(&format!("model: {}", model.describe(&manifest.agent.model)));
    if let Some(channel) = manifest.channels.first() {
        let method = channel.methods.first().map_or("POST", String::as_str);
        output::say("send it a message from another terminal:");
        let auth = channel
            .auth
            .as_ref()
            .filter(|auth| {
                environment::variable(&auth.bearer.name).is_some_and(|value| !value.is_empty())
            })
            .map(|auth| format!(" -H \"Authorization: Bearer ${}\"", auth.bearer.name))
            .unwrap_or_default();
        output::say(&format!(
            "  curl -X {method}{auth} -d '{{\"message\": \"hello\"}}' {}{}",
            server.url(),
            channel.route
        ));
        output::say(&format!(
            "and read its answer here, or at {}/runs/<run_id>",
            server.url()
        ));
    }
    output::say("");
}

/// Ctrl-C, or the terminate signal.
pub(crate) async fn interrupted() {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut interrupt), Ok(mut terminate)) = (
        signal(SignalKind::interrupt()),
        signal(SignalKind::terminate()),
    ) else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
}

fn log_level(asked: &str) -> String {
    if asked == "info" {
        "warn".to_owned()
    } else {
        asked.to_owned()
    }
}
