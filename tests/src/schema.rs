//! The dumped schema, and the files that are made from the code.

use std::path::PathBuf;
use std::process::Command;

use openeve_cluster::{Binaries, FindOptions};
use openeve_testkit::database::TestServer;

use crate::migrated_database;
use crate::paths::{repository, variable};

/// `migrations/schema.sql`.
pub fn file() -> PathBuf {
    repository().join("migrations/schema.sql")
}

/// `docs/configuration.md`.
pub fn configuration_file() -> PathBuf {
    repository().join("docs/configuration.md")
}

/// The schema of a database with every migration applied, as `pg_dump` words it, without what
/// differs from version to version of that program.
pub async fn dump() -> String {
    let database = migrated_database(TestServer::shared()).await;
    let find = FindOptions {
        explicit: variable("OPENEVE_POSTGRES_BIN").map(PathBuf::from),
        path: variable("PATH").unwrap_or_default().into(),
        ..FindOptions::default()
    };
    let binaries = Binaries::find(&find, &mut |_| {}).expect("Postgres is here");
    let dumped = Command::new(binaries.dir().join("pg_dump"))
        .args([
            "--schema-only",
            "--no-owner",
            "--no-privileges",
            "--schema=openeve",
        ])
        .arg(format!("--dbname={}", database.url()))
        .output()
        .expect("pg_dump runs");
    assert!(
        dumped.status.success(),
        "{}",
        String::from_utf8_lossy(&dumped.stderr)
    );
    let text = String::from_utf8(dumped.stdout).expect("a schema is text");
    let mut lines = vec![
        "-- Every migration applied, as pg_dump words it. Written by `tests/run --update`; a test compares.".to_owned(),
    ];
    for line in text.lines() {
        let noise = line.is_empty()
            || line.starts_with("--")
            || line.starts_with("SET ")
            || line.starts_with("SELECT pg_catalog")
            || line.starts_with('\\');
        if !noise {
            lines.push(line.to_owned());
        }
    }
    lines.join("\n") + "\n"
}
