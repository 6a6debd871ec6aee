//! One Postgres for all test processes, and a fresh database for each test.
//!
//! nextest runs every test in its own process. The first that needs a server starts it under
//! `target/test-postgres` and leaves it running; the others find it there. A file lock makes sure
//! that it is started once, and that each template is built once. `OPENEVE_TEST_DATABASE` names
//! another server, in tokio-postgres's form, whose user may create databases.
//!
//! A test's database is a copy of a template, made in about a tenth of a second and dropped with
//! its [`TestDatabase`].

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use openeve_cluster::{Binaries, Cluster, FindOptions, Settings};
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Config, NoTls};

use crate::loopback::Task;
use crate::patience::eventually;

/// Names another server than our own.
const DATABASE_VARIABLE: &str = "OPENEVE_TEST_DATABASE";
/// Names the folder of Postgres's programs.
const BIN_VARIABLE: &str = "OPENEVE_POSTGRES_BIN";

/// The server that all tests share.
#[derive(Debug, Clone)]
pub struct TestServer {
    /// Its administration database.
    url: String,
}

impl TestServer {
    /// The server named by the environment, else our own, started if need be.
    pub fn shared() -> Self {
        if let Some(url) = variable(DATABASE_VARIABLE) {
            return Self { url };
        }
        let dir = folder();
        let _lock = locked(&dir, "server");
        let cluster = own_cluster(&dir);
        let url = cluster.url("postgres");
        cluster.leave_running();
        Self { url }
    }

    /// A server of the test's own, by the address of its administration database.
    pub const fn at(url: String) -> Self {
        Self { url }
    }

    /// The address of one of its databases.
    pub fn url(&self, database: &str) -> String {
        // The last of several equal keys wins, in libpq as in tokio-postgres.
        format!(
            "{} dbname='{}'",
            self.url,
            database.replace('\\', "\\\\").replace('\'', "\\'")
        )
    }

    /// Ends our own server, if one runs. For the end of a test command.
    pub fn stop_shared() {
        let dir = folder();
        let _lock = locked(&dir, "server");
        if dir.join("postgres.log").exists() {
            own_cluster(&dir).stop();
        }
    }

    /// The template of a key, built by the closure if it is new, and its name.
    ///
    /// The key is a hash of everything that the closure applies, so that a changed migration is
    /// another template. The closure gets the address of an empty database.
    pub async fn template(&self, key: &str, build: impl AsyncFnOnce(String)) -> String {
        let name = format!("template_{key}");
        let admin = self.admin().await;
        if admin.has(&name).await {
            return name;
        }
        let dir = folder();
        let _lock = tokio::task::spawn_blocking(move || locked(&dir, "template"))
            .await
            .expect("locking does not panic");
        if admin.has(&name).await {
            return name;
        }
        // Built under another name: a half-built template is never found.
        let unfinished = format!("unfinished_{key}");
        admin.drop_database(&unfinished).await;
        admin
            .run(&format!("CREATE DATABASE {}", quoted(&unfinished)))
            .await;
        build(self.url(&unfinished)).await;
        let rename = format!(
            "ALTER DATABASE {} RENAME TO {}",
            quoted(&unfinished),
            quoted(&name)
        );
        admin.run_when_free(&unfinished, &rename).await;
        name
    }

    async fn admin(&self) -> Admin {
        let config: Config = self
            .url
            .parse()
            .expect("the test server's address is readable");
        let (client, connection) = config
            .connect(NoTls)
            .await
            .expect("the test server can be reached");
        let task = Task::spawn(async move {
            connection.await.ok();
        });
        Admin {
            client,
            _connection: task,
        }
    }
}

/// A database of one test. It is dropped with this value.
#[derive(Debug)]
pub struct TestDatabase {
    server: TestServer,
    name: String,
}

static NEXT: AtomicU64 = AtomicU64::new(1);

impl TestDatabase {
    /// A copy of a template of the shared server; `template0` is an empty database.
    pub async fn create(template: &str) -> Self {
        Self::create_on(TestServer::shared(), template).await
    }

    /// A copy of a template of this server.
    pub async fn create_on(server: TestServer, template: &str) -> Self {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("test_{}_{number}", std::process::id());
        let admin = server.admin().await;
        // A killed test process with our number may have left one.
        admin.drop_database(&name).await;
        let create = format!(
            "CREATE DATABASE {} TEMPLATE {}",
            quoted(&name),
            quoted(template)
        );
        admin.run_when_free(template, &create).await;
        Self { server, name }
    }

    /// The address, for tokio-postgres.
    pub fn url(&self) -> String {
        self.server.url(&self.name)
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A new connection. Panics if there is none to be had.
    pub async fn connect(&self) -> Client {
        let config: Config = self.url().parse().expect("the address is readable");
        let (client, connection) = config.connect(NoTls).await.expect("the database answers");
        tokio::spawn(async move {
            connection.await.ok();
        });
        client
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        let (server, name) = (self.server.clone(), self.name.clone());
        // A thread of its own: this may be inside a runtime that must not block.
        let dropping = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build();
            if let Ok(runtime) = runtime {
                runtime.block_on(async { server.admin().await.drop_database(&name).await });
            }
        });
        // Best effort: what stays behind is dropped by the next process with the same number.
        dropping.join().ok();
    }
}

/// A connection for administration.
struct Admin {
    client: Client,
    _connection: Task,
}

impl Admin {
    async fn run(&self, sql: &str) {
        self.client
            .batch_execute(sql)
            .await
            .unwrap_or_else(|error| panic!("{sql}: {error:?}"));
    }

    /// Runs a statement that needs a database without clients, once its clients are gone.
    async fn run_when_free(&self, database: &str, sql: &str) {
        eventually(
            &format!("{database} to have no clients"),
            async || match self.client.batch_execute(sql).await {
                Ok(()) => Some(()),
                Err(error) if error.code() == Some(&SqlState::OBJECT_IN_USE) => None,
                Err(error) => panic!("{sql}: {error:?}"),
            },
        )
        .await;
    }

    async fn has(&self, name: &str) -> bool {
        let sql = "SELECT 1 FROM pg_database WHERE datname = $1";
        let rows = self
            .client
            .query(sql, &[&name])
            .await
            .expect("the catalogue can be read");
        !rows.is_empty()
    }

    async fn drop_database(&self, name: &str) {
        self.run(&format!(
            "DROP DATABASE IF EXISTS {} WITH (FORCE)",
            quoted(name)
        ))
        .await;
    }
}

fn own_cluster(dir: &Path) -> Cluster {
    let options = FindOptions {
        explicit: variable(BIN_VARIABLE).map(PathBuf::from),
        path: variable("PATH").unwrap_or_default().into(),
        cache: Some(dir.join("programs")),
        may_install: false,
    };
    let mut said = Vec::new();
    let mut say = |line: &str| said.push(line.to_owned());
    Binaries::find(&options, &mut say)
        .and_then(|binaries| Cluster::start(dir, &binaries, &Settings::test(), &mut say))
        .unwrap_or_else(|error| panic!("no test database: {error}; {}", said.join("; ")))
}

/// The folder of the server and its locks, in the workspace's target folder.
fn folder() -> PathBuf {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/test-postgres");
    fs::create_dir_all(&dir).expect("the target folder can be written");
    dir
}

/// Holds a lock that all test processes respect, until the file is dropped.
fn locked(dir: &Path, name: &str) -> File {
    let path = dir.join(format!("{name}.lock"));
    let file = File::options()
        .create(true)
        .append(true)
        .open(path)
        .expect("a lock file opens");
    file.lock().expect("a lock can be waited for");
    file
}

#[expect(
    clippy::disallowed_methods,
    reason = "tests are told their server by the environment"
)]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
