//! Clusters with the real programs: data survives, orphans are adopted, neighbours do not meet.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails loudly, its helpers too"
)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use openeve_cluster::{Binaries, Cluster, ClusterError, FindOptions, Settings};
use tempfile::TempDir;

fn binaries() -> Binaries {
    // Where a machine has no Postgres, the small package serves.
    let options = FindOptions {
        path: "/usr/local/bin:/usr/bin".into(),
        cache: Some(Path::new(env!("CARGO_TARGET_TMPDIR")).join("programs")),
        ..FindOptions::default()
    };
    Binaries::find(&options, &mut |_| ()).unwrap()
}

/// A folder that every user may enter, as a project's folder usually is.
fn folder() -> TempDir {
    folder_of_mode(0o755)
}

fn folder_of_mode(mode: u32) -> TempDir {
    let mode = fs::Permissions::from_mode(mode);
    tempfile::Builder::new()
        .permissions(mode)
        .tempdir()
        .unwrap()
}

fn start(dir: &Path, settings: &Settings) -> (Cluster, Vec<String>) {
    let mut said = Vec::new();
    let cluster = Cluster::start(dir, &binaries(), settings, &mut |line| {
        said.push(line.to_owned());
    })
    .unwrap();
    (cluster, said)
}

fn value(cluster: &Cluster, database: &str, sql: &str) -> String {
    cluster.query(database, sql).unwrap()[0][0].clone().unwrap()
}

#[test]
fn data_survives_a_stop_a_crash_and_an_orphaned_server() {
    let dir = folder();
    let (cluster, _) = start(dir.path(), &Settings::dev());
    cluster.create_database("kept", None).unwrap();
    cluster
        .query("kept", "CREATE TABLE n (n int); INSERT INTO n VALUES (1)")
        .unwrap();
    assert_eq!(value(&cluster, "postgres", "SHOW fsync"), "on");
    assert_eq!(value(&cluster, "postgres", "SHOW listen_addresses"), "");
    cluster.stop();

    let (mut cluster, _) = start(dir.path(), &Settings::test().with("work_mem", "5MB"));
    assert!(!cluster.is_adopted());
    assert_eq!(value(&cluster, "postgres", "SHOW fsync"), "off");
    assert_eq!(value(&cluster, "postgres", "SHOW work_mem"), "5MB");
    cluster.kill();
    assert!(matches!(
        cluster.query("kept", "SELECT 1"),
        Err(ClusterError::Stopped)
    ));
    cluster.restart().unwrap();
    cluster.query("kept", "INSERT INTO n VALUES (2)").unwrap();
    let pid = cluster.pid();
    cluster.leave_running();

    let (cluster, said) = start(dir.path(), &Settings::dev());
    assert!(cluster.is_adopted());
    assert_eq!(cluster.pid(), pid);
    assert!(
        said.iter().any(|line| line.contains("taking over")),
        "{said:?}"
    );
    assert_eq!(value(&cluster, "kept", "SELECT sum(n) FROM n"), "3");
    cluster.stop();

    let (cluster, _) = start(dir.path(), &Settings::test());
    assert!(!cluster.is_adopted());
    assert_eq!(value(&cluster, "kept", "SELECT sum(n) FROM n"), "3");
}

#[test]
fn two_clusters_run_side_by_side_whatever_the_length_of_their_paths() {
    let root = folder();
    let long = root.path().join("long".repeat(30)).join("path".repeat(30));
    let (near, _) = start(&root.path().join("near"), &Settings::test());
    let (far, _) = start(&long, &Settings::test());
    near.create_database("here", None).unwrap();
    near.create_database("copy", Some("here")).unwrap();
    assert!(matches!(
        far.query("here", "SELECT 1"),
        Err(ClusterError::Session(_))
    ));
    assert!(
        near.url("here")
            .ends_with(" port=5432 user=openeve dbname='here'")
    );
    near.drop_database("here").unwrap();
    near.drop_database("here").unwrap();
    let names = "SELECT string_agg(datname, ' ' ORDER BY datname) FROM pg_database";
    assert_eq!(
        value(&near, "postgres", names),
        "copy postgres template0 template1"
    );
    assert_eq!(
        value(&far, "postgres", names),
        "postgres template0 template1"
    );
}

#[test]
fn a_second_start_is_refused_and_a_bad_setting_is_quoted_from_the_log() {
    let dir = folder();
    let bad = Settings::test().with("no_such_setting", "1");
    let Err(error) = Cluster::start(dir.path(), &binaries(), &bad, &mut |_| ()) else {
        panic!("a setting that does not exist is refused");
    };
    assert!(error.to_string().contains("no_such_setting"), "{error}");

    let (_cluster, _) = start(dir.path(), &Settings::test());
    let second = Cluster::start(dir.path(), &binaries(), &Settings::test(), &mut |_| ());
    assert!(matches!(second, Err(ClusterError::InUse { .. })));
}

/// Runs as root in a container; elsewhere there is nothing to drop and nothing to move.
#[test]
fn root_drops_its_privileges_and_moves_data_out_of_private_folders() {
    let private = folder_of_mode(0o700);
    let (cluster, said) = start(private.path(), &Settings::test());
    let pid = cluster.pid().unwrap();
    let owner = Command::new("ps")
        .args(["-o", "uid=", "-p", &pid.to_string()])
        .output();
    let uid = owner.map(|owner| String::from_utf8_lossy(&owner.stdout).trim().to_owned());
    if let Ok(uid) = uid {
        assert_ne!(uid, "0");
    }
    let data = cluster.data_dir().to_owned();
    if rustix::process::geteuid().is_root() {
        assert!(!data.starts_with(private.path()), "{data:?}");
        assert!(
            said.iter().any(|line| line.contains("cannot enter")),
            "{said:?}"
        );
    } else {
        assert!(data.starts_with(private.path()), "{data:?}");
    }
    cluster.stop();
    if !data.starts_with(private.path()) {
        fs::remove_dir_all(data.parent().unwrap()).unwrap();
    }
}
