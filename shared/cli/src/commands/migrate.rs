//! `openeve migrate [--plan]`: the schema of a database, brought to this build's or only compared.

use std::process::ExitCode;

use anyhow::Context as _;
use clap::Args;
use openeve_domain::secret::Secret;
use openeve_host::environment;
use openeve_postgres::migrate::{Planned, State};
use openeve_postgres::{PgStore, Pool};
use serde_json::{Value, json};

use crate::output;

/// Whether to do it.
#[derive(Args)]
#[command(after_help = "\
The database is the one that DATABASE_URL names.

Example:
  openeve migrate --plan
  openeve migrate")]
pub(crate) struct MigrateArguments {
    /// Say what would be done and change nothing.
    #[arg(long)]
    plan: bool,
    /// Print JSON, for scripts.
    #[arg(long)]
    json: bool,
}

/// Applies what is pending, or says what would be. Exits 1 when a checksum differs.
pub(crate) async fn run(arguments: &MigrateArguments) -> anyhow::Result<ExitCode> {
    let plan = arguments.plan;
    let values = environment::values()?;
    let url = values.given("DATABASE_URL").map(Secret::new);
    let url =
        url.context("DATABASE_URL is not set; set it to postgres://user:password@host:5432/name")?;
    let ca = crate::host::ca(&values)?;
    let store = PgStore::new(Pool::new(&url, 1, ca.as_deref())?);
    let found = if plan {
        store.plan_migrations().await?
    } else {
        store.migrate().await?
    };
    if arguments.json {
        let found: Vec<Value> = found.iter().map(|one| told(one, plan)).collect();
        output::json(&json!({"migrations": found}));
    } else {
        for one in &found {
            output::answer(&line(one, plan));
        }
    }
    let drift = found.iter().any(|one| one.state == State::ChecksumMismatch);
    Ok(if drift {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

fn told(one: &Planned, plan: bool) -> Value {
    let state = match (one.state, plan) {
        (State::Applied, _) => "applied_before",
        (State::Pending, true) => "pending",
        (State::Pending, false) => "applied_now",
        (State::ChecksumMismatch, _) => "checksum_mismatch",
        (State::Unknown, _) => "of_a_newer_build",
    };
    json!({"id": one.id, "description": one.description, "state": state})
}

fn line(one: &Planned, plan: bool) -> String {
    let state = match (one.state, plan) {
        (State::Applied, _) => "applied before",
        (State::Pending, true) => "pending",
        (State::Pending, false) => "applied now",
        (State::ChecksumMismatch, _) => "CHECKSUM MISMATCH: the file changed after it was applied",
        (State::Unknown, _) => "applied by a newer build",
    };
    format!("{:<16} {state} ({})", one.id, one.description)
}
