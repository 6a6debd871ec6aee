//! The database of `dev`: the one `DATABASE_URL` names, else a private cluster of our own.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use openeve_cluster::{Binaries, Cluster, FindOptions, Settings};
use openeve_domain::secret::Secret;
use openeve_host::environment;
use openeve_runtime::config::Values;

use crate::output;

/// The private cluster's database.
const NAME: &str = "openeve";
/// Where an artifact folder keeps the address of the private database while it runs.
const RECORD: &str = "dev/database";

/// A database to work with.
pub(super) struct Database {
    url: Secret,
    cluster: Option<Cluster>,
    record: Option<PathBuf>,
}

/// The address of the private database that `dev` runs beside an artifact, or ran when it was
/// killed. Whoever connects finds out whether it still answers. It holds no password.
pub(crate) fn recorded(artifact: &Path) -> Option<Secret> {
    let address = std::fs::read_to_string(artifact.join(RECORD)).ok()?;
    Some(Secret::new(address.trim())).filter(|address| !address.reveal().is_empty())
}

impl Database {
    /// Opens it; a private cluster lives in `FOLDER/.openeve/dev` and answers on a socket only.
    pub(super) fn open(folder: &Path, values: &Values) -> anyhow::Result<Self> {
        if let Some(url) = values.given("DATABASE_URL") {
            output::say("Postgres: using the database that DATABASE_URL names");
            return Ok(Self {
                url: Secret::new(url),
                cluster: None,
                record: None,
            });
        }
        let artifact = std::path::absolute(folder)?.join(".openeve");
        let dir = artifact.join("dev/postgres");
        let options = FindOptions {
            explicit: values.given("OPENEVE_POSTGRES_BIN").map(PathBuf::from),
            path: environment::variable("PATH")
                .map(OsString::from)
                .unwrap_or_default(),
            cache: Some(cache(folder)?),
            may_install: true,
        };
        let mut say = |line: &str| output::say(line);
        let binaries = Binaries::find(&options, &mut say).context("there is no Postgres to run")?;
        let cluster = Cluster::start(&dir, &binaries, &Settings::dev(), &mut say)
            .context("the private Postgres did not start")?;
        let exists = format!("SELECT 1 FROM pg_database WHERE datname = '{NAME}'");
        if cluster.query("postgres", &exists)?.is_empty() {
            cluster.create_database(NAME, None)?;
        }
        let (url, record) = (cluster.url(NAME), artifact.join(RECORD));
        std::fs::write(&record, &url)
            .with_context(|| format!("cannot write {}", record.display()))?;
        Ok(Self {
            url: Secret::new(url),
            cluster: Some(cluster),
            record: Some(record),
        })
    }

    /// Its address.
    pub(super) const fn url(&self) -> &Secret {
        &self.url
    }

    /// Stops a private cluster.
    pub(super) fn close(self) {
        if let Some(record) = self.record {
            // A record that stays is found out by whoever connects.
            std::fs::remove_file(record).ok();
        }
        if let Some(cluster) = self.cluster {
            cluster.stop();
        }
    }
}

/// Where a small Postgres package is kept once for all agent folders of a user.
fn cache(folder: &Path) -> anyhow::Result<PathBuf> {
    let home = environment::variable("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| environment::variable("HOME").map(|home| Path::new(&home).join(".cache")));
    Ok(match home {
        Some(cache) => cache.join("openeve/postgres"),
        None => std::path::absolute(folder)?.join(".openeve/dev/postgres-package"),
    })
}
