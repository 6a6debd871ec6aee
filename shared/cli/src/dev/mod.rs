//! `openeve dev FOLDER`: one process, everything real but the cloud.
//!
//! It validates, builds, starts a private Postgres unless `DATABASE_URL` names one, applies
//! migrations, runs the same handlers as the functions with an in-process doorbell, serves the
//! agent's routes on loopback, follows runs on the terminal and reloads on change. Ctrl-C lets
//! begun iterations finish; a process that was killed is resumed by the next start.

mod asks;
mod bells;
mod database;
mod follow;
mod host;
mod model;
pub(crate) mod packages;
mod send;
mod server;
mod watch;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use clap::Args;
use openeve_compiler::emit;
use openeve_domain::manifest::Manifest;
use openeve_host::artifact::Artifact;
use openeve_host::environment;
use openeve_host::logs::{self, Form};
use tokio::sync::mpsc::unbounded_channel;

use crate::commands::compiled;
use crate::output;
pub(crate) use database::recorded;
use follow::Follow;
use host::Host;
pub(crate) use host::ca;

/// How to run.
#[derive(Args)]
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
}

/// Runs until Ctrl-C, or until the reply with `--once`.
pub(crate) async fn run(arguments: DevArguments) -> anyhow::Result<ExitCode> {
    let values = host::values()?;
    // What matters is said below and in the runs' own lines; logs are for what goes wrong.
    logs::start(Form::Readable, &log_level(&values.text("OPENEVE_LOG")));
    packages::install(&arguments.folder)?;
    let Some(artifact) = built(&arguments.folder).await? else {
        return Ok(ExitCode::FAILURE);
    };
    let database = database::Database::open(&arguments.folder, &values)?;
    let model = model::Model::choose(&values).await?;
    let (asking, asked) = unbounded_channel();
    let follow = Arc::new(Follow::new(asking));
    let host = Host::start(&values, &artifact, &database, &model, follow).await?;
    let server = server::Server::start(&host, arguments.port).await?;
    announce(&artifact.manifest, &server, &model);
    let (url, again) = (server.url().to_owned(), asks::again(&arguments.folder));
    tokio::spawn(asks::tell(Arc::clone(&host), url, again, asked));

    let ended = converse(&arguments, &host, &artifact.manifest).await;
    server.stop();
    host.drain(interrupted()).await;
    database.close();
    ended
}

/// Sends the first message, if there is one, and watches until Ctrl-C.
async fn converse(
    arguments: &DevArguments,
    host: &Arc<Host>,
    manifest: &Manifest,
) -> anyhow::Result<ExitCode> {
    if let Some(text) = &arguments.message {
        let answered = tokio::select! {
            answered = send::message(host, manifest, text) => answered,
            () = interrupted() => return Ok(ExitCode::SUCCESS),
        };
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
        ended = watch::reload_on_change(&arguments.folder, host) => ended?,
        () = interrupted() => {}
    }
    Ok(ExitCode::SUCCESS)
}

/// Compiles and writes the artifact; `None` if the folder cannot be built.
async fn built(folder: &Path) -> anyhow::Result<Option<Artifact>> {
    let Some(compilation) = compiled(folder).await else {
        return Ok(None);
    };
    let out = folder.join(".openeve");
    emit(&compilation, &out).context("the artifact could not be written")?;
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
async fn interrupted() {
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
