//! A running cluster and what can be done with it.

use std::path::{Path, PathBuf};

use crate::USER;
use crate::account::Account;
use crate::error::ClusterError;
use crate::find::Binaries;
use crate::launch::Launch;
use crate::place::Place;
use crate::postmaster::Postmaster;
use crate::session::{Row, Session};
use crate::settings::{PORT, Settings};

/// A private Postgres server. Dropping it stops the server.
pub struct Cluster {
    place: Place,
    binaries: Binaries,
    settings: Settings,
    account: Option<Account>,
    server: Option<Postmaster>,
    adopted: bool,
}

impl Cluster {
    /// Starts the cluster of a folder: creates it on first use, adopts a server that still runs.
    ///
    /// Blocks until the server answers: about two seconds the first time, a tenth of one later.
    /// `say` gets one plain sentence for each thing worth knowing.
    pub fn start(
        dir: &Path,
        binaries: &Binaries,
        settings: &Settings,
        say: &mut dyn FnMut(&str),
    ) -> Result<Self, ClusterError> {
        let account = Account::to_run_as()?;
        if let Some(account) = &account
            && !account.can_enter(binaries.dir())
        {
            let path = binaries.dir().to_owned();
            return Err(ClusterError::Unreachable {
                path,
                account: account.name.clone(),
            });
        }
        let place = Place::prepare(dir, account.as_ref(), say)?;
        let mut cluster = Self {
            place,
            binaries: binaries.clone(),
            settings: settings.clone(),
            account,
            server: None,
            adopted: false,
        };
        cluster.launch(say)?;
        Ok(cluster)
    }

    /// How a client reaches a database, in the key-value form that tokio-postgres and libpq read.
    pub fn url(&self, database: &str) -> String {
        let database = database.replace('\\', "\\\\").replace('\'', "\\'");
        let host = self.place.socket_dir.display();
        format!("host={host} port={PORT} user={USER} dbname='{database}'")
    }

    /// Where the data lies; not in the folder given to [`Self::start`] if root had to move it.
    pub fn data_dir(&self) -> &Path {
        &self.place.data
    }

    /// The server's log.
    pub fn log(&self) -> PathBuf {
        self.place.log.clone()
    }

    /// The server's process id; none after [`Self::kill`].
    pub fn pid(&self) -> Option<u32> {
        self.server
            .as_ref()
            .map(|server| server.pid().as_raw_pid().cast_unsigned())
    }

    /// Whether the server was already running when this process came.
    pub const fn is_adopted(&self) -> bool {
        self.adopted
    }

    /// Creates a database, as a copy of a template if one is named.
    pub fn create_database(&self, name: &str, template: Option<&str>) -> Result<(), ClusterError> {
        let template = template.map(|template| format!(" TEMPLATE {}", quoted(template)));
        let sql = format!(
            "CREATE DATABASE {}{}",
            quoted(name),
            template.unwrap_or_default()
        );
        self.query("postgres", &sql).map(|_| ())
    }

    /// Drops a database if it exists, sending its clients away.
    pub fn drop_database(&self, name: &str) -> Result<(), ClusterError> {
        let sql = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", quoted(name));
        self.query("postgres", &sql).map(|_| ())
    }

    /// Runs statements on a new connection and returns their rows as text.
    pub fn query(&self, database: &str, sql: &str) -> Result<Vec<Row>, ClusterError> {
        if self.server.is_none() {
            return Err(ClusterError::Stopped);
        }
        Ok(Session::open(&self.place.socket_dir, database)?.query(sql)?)
    }

    /// Stops the server in order: clients are sent away, nothing is lost.
    pub fn stop(mut self) {
        self.end();
    }

    /// Ends the server at once, as a crash would. [`Self::restart`] recovers it.
    pub fn kill(&mut self) {
        if let Some(mut server) = self.server.take() {
            server.kill();
        }
    }

    /// Stops the server if it runs, and starts it with the settings given at first.
    pub fn restart(&mut self) -> Result<(), ClusterError> {
        self.end();
        self.launch(&mut |_| ())
    }

    /// Lets the server outlive this process; the next [`Self::start`] on the folder adopts it.
    pub fn leave_running(mut self) {
        self.server = None;
    }

    fn launch(&mut self, say: &mut dyn FnMut(&str)) -> Result<(), ClusterError> {
        let launch = Launch {
            place: &self.place,
            binaries: &self.binaries,
            settings: &self.settings,
            account: self.account.as_ref(),
        };
        launch.ensure_data(say)?;
        let server = launch.run(say)?;
        self.adopted = matches!(server, Postmaster::Adopted(_));
        self.server = Some(server);
        Ok(())
    }

    fn end(&mut self) {
        if let Some(mut server) = self.server.take() {
            server.stop();
        }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.end();
        // Only an empty folder goes: one that still holds a socket belongs to a running server.
        std::fs::remove_dir(&self.place.socket_dir).ok();
    }
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
