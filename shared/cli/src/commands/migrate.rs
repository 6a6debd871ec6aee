//! `openeve migrate [--plan]`.

use std::process::ExitCode;

use anyhow::Context as _;
use openeve_domain::secret::Secret;
use openeve_host::environment;
use openeve_postgres::migrate::{Planned, State};
use openeve_postgres::{PgStore, Pool};

use crate::output;

/// Applies what is pending, or says what would be. Exits 1 when a checksum differs.
pub(crate) async fn run(plan: bool) -> anyhow::Result<ExitCode> {
    let values = environment::values()?;
    let url = values.given("DATABASE_URL").map(Secret::new);
    let url =
        url.context("DATABASE_URL is not set; set it to postgres://user:password@host:5432/name")?;
    let ca = crate::dev::ca(&values)?;
    let store = PgStore::new(Pool::new(&url, 1, ca.as_deref())?);
    let found = if plan {
        store.plan_migrations().await?
    } else {
        store.migrate().await?
    };
    for one in &found {
        output::answer(&line(one, plan));
    }
    let drift = found.iter().any(|one| one.state == State::ChecksumMismatch);
    Ok(if drift {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
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
