//! Where a cluster's files lie: data, log, lock and socket.

use std::fs::{self, DirBuilder, File};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::account::{Account, effective_uid};
use crate::error::ClusterError;

/// Where the data goes when root's folder cannot be entered by Postgres's user; the first that works.
const FALLBACK_ROOTS: [&str; 2] = ["/var/lib/openeve", "/tmp/openeve-data"];
/// A log longer than this is set aside when the server starts.
const LOG_BYTES_MAX: u64 = 16 * 1_024 * 1_024;

/// The paths of one cluster.
#[derive(Debug)]
pub(crate) struct Place {
    /// Postgres's data folder.
    pub(crate) data: PathBuf,
    /// The server's log.
    pub(crate) log: PathBuf,
    /// The socket's folder. Always a short path: a socket's whole path may have about 100 bytes.
    pub(crate) socket_dir: PathBuf,
    /// Held while a [`crate::Cluster`] uses the folder; the system frees it when we die.
    _lock: File,
}

impl Place {
    /// Creates the folders and takes the lock.
    pub(crate) fn prepare(
        dir: &Path,
        account: Option<&Account>,
        say: &mut dyn FnMut(&str),
    ) -> Result<Self, ClusterError> {
        fs::create_dir_all(dir).map_err(ClusterError::io("create", dir))?;
        let dir = fs::canonicalize(dir).map_err(ClusterError::io("resolve", dir))?;
        let lock = lock(&dir)?;
        let name = short_name(&dir);
        let home = match account {
            Some(account) if !account.can_enter(&dir) => elsewhere(&dir, account, &name, say)?,
            Some(_) | None => dir.clone(),
        };
        let socket_dir = PathBuf::from(format!("/tmp/openeve-{name}-{}", effective_uid(account)));
        private_folder(&socket_dir, account)?;
        let log = dir.join("postgres.log");
        Ok(Self {
            data: home.join("data"),
            log,
            socket_dir,
            _lock: lock,
        })
    }

    /// Sets a long log aside and opens it for appending; also returns its length so far.
    pub(crate) fn open_log(&self) -> Result<(File, u64), ClusterError> {
        let error = || ClusterError::io("open", &self.log);
        if fs::metadata(&self.log).is_ok_and(|facts| facts.len() > LOG_BYTES_MAX) {
            fs::rename(&self.log, self.log.with_extension("log.1")).map_err(error())?;
        }
        let file = File::options()
            .create(true)
            .append(true)
            .open(&self.log)
            .map_err(error())?;
        let length = file.metadata().map_err(error())?.len();
        Ok((file, length))
    }
}

/// Creates a folder that only the server's user may enter, or accepts one that is already so.
pub(crate) fn private_folder(path: &Path, account: Option<&Account>) -> Result<(), ClusterError> {
    let existed = path.symlink_metadata().is_ok();
    if !existed {
        DirBuilder::new()
            .mode(0o700)
            .create(path)
            .map_err(ClusterError::io("create", path))?;
        if let Some(account) = account {
            chown(path, Some(account.uid), Some(account.gid))
                .map_err(ClusterError::io("hand over", path))?;
        }
    }
    let facts = path
        .symlink_metadata()
        .map_err(ClusterError::io("inspect", path))?;
    let for_others = facts.permissions().mode() & 0o077;
    if facts.is_dir() && facts.uid() == effective_uid(account) && for_others == 0 {
        Ok(())
    } else {
        Err(ClusterError::SocketFolder {
            path: path.to_owned(),
        })
    }
}

fn lock(dir: &Path) -> Result<File, ClusterError> {
    let path = dir.join("cluster.lock");
    let file = File::options()
        .create(true)
        .append(true)
        .open(&path)
        .map_err(ClusterError::io("open", &path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(fs::TryLockError::WouldBlock) => Err(ClusterError::InUse {
            dir: dir.to_owned(),
        }),
        Err(fs::TryLockError::Error(source)) => Err(ClusterError::Io {
            what: "lock",
            path,
            source,
        }),
    }
}

/// Finds the data a home outside `dir`, under a name that stays the same for the same folder.
fn elsewhere(
    dir: &Path,
    account: &Account,
    name: &str,
    say: &mut dyn FnMut(&str),
) -> Result<PathBuf, ClusterError> {
    let mut refused = None;
    for root in FALLBACK_ROOTS.map(Path::new) {
        let home = root.join(name);
        match DirBuilder::new().recursive(true).mode(0o755).create(&home) {
            Ok(()) if account.can_enter(&home) => {
                say(&format!(
                    "Postgres: the data is in {}, because the user {} that Postgres runs as \
                     cannot enter {}",
                    home.display(),
                    account.name,
                    dir.display()
                ));
                return Ok(home);
            }
            Ok(()) => {}
            Err(source) => {
                refused = Some(ClusterError::Io {
                    what: "create",
                    path: home,
                    source,
                });
            }
        }
    }
    Err(refused.unwrap_or_else(|| ClusterError::Unreachable {
        path: dir.to_owned(),
        account: account.name.clone(),
    }))
}

/// Eight hexadecimal digits that stand for a path.
fn short_name(dir: &Path) -> String {
    let digest = Sha256::digest(dir.as_os_str().as_encoded_bytes());
    let [a, b, c, d, ..] = digest.0;
    format!("{:08x}", u32::from_be_bytes([a, b, c, d]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_socket_path_is_short_however_long_the_folder_is() {
        let root = tempfile::tempdir().unwrap();
        let long = root.path().join("a".repeat(100)).join("b".repeat(100));
        let account = Account::to_run_as().unwrap();
        let place = Place::prepare(&long, account.as_ref(), &mut |_| ()).unwrap();
        assert!(place.socket_dir.as_os_str().len() < 60);
        fs::remove_dir(&place.socket_dir).unwrap();
    }

    #[test]
    fn a_folder_in_use_is_refused() {
        let root = tempfile::tempdir().unwrap();
        let account = Account::to_run_as().unwrap();
        let first = Place::prepare(root.path(), account.as_ref(), &mut |_| ()).unwrap();
        let second = Place::prepare(root.path(), account.as_ref(), &mut |_| ());
        assert!(matches!(second, Err(ClusterError::InUse { .. })));
        fs::remove_dir(&first.socket_dir).unwrap();
    }

    #[test]
    fn a_socket_folder_that_others_can_enter_is_refused() {
        let root = tempfile::tempdir().unwrap();
        let open = root.path().join("open");
        DirBuilder::new().mode(0o755).create(&open).unwrap();
        assert!(matches!(
            private_folder(&open, None),
            Err(ClusterError::SocketFolder { .. })
        ));
        let link = root.path().join("link");
        std::os::unix::fs::symlink(root.path(), &link).unwrap();
        assert!(matches!(
            private_folder(&link, None),
            Err(ClusterError::SocketFolder { .. })
        ));
    }
}
