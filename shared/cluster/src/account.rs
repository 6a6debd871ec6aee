//! Who Postgres runs as. It refuses root, so root runs it as somebody else.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use crate::error::ClusterError;

/// Another user than root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Account {
    /// Its name, for messages.
    pub(crate) name: String,
    /// Its user id.
    pub(crate) uid: u32,
    /// Its main group.
    pub(crate) gid: u32,
}

impl Account {
    /// The user to run Postgres as; none means ourselves.
    pub(crate) fn to_run_as() -> Result<Option<Self>, ClusterError> {
        if !rustix::process::geteuid().is_root() {
            return Ok(None);
        }
        let path = Path::new("/etc/passwd");
        let users = fs::read_to_string(path).map_err(ClusterError::io("read", path))?;
        ["postgres", "_postgres", "nobody"]
            .iter()
            .find_map(|name| lookup(&users, name))
            .map(Some)
            .ok_or(ClusterError::NoAccount)
    }

    /// Whether this user may pass through a folder and all folders above it.
    pub(crate) fn can_enter(&self, dir: &Path) -> bool {
        dir.ancestors().all(|folder| {
            let Ok(facts) = fs::metadata(folder) else {
                return false;
            };
            let needed = if facts.uid() == self.uid {
                0o100
            } else if facts.gid() == self.gid {
                0o010
            } else {
                0o001
            };
            facts.mode() & needed != 0
        })
    }

    /// Makes a command run as this user.
    pub(crate) fn apply(&self, command: &mut Command) {
        command.uid(self.uid).gid(self.gid);
    }
}

/// The user id that Postgres will have.
pub(crate) fn effective_uid(account: Option<&Account>) -> u32 {
    account.map_or_else(
        || rustix::process::geteuid().as_raw(),
        |account| account.uid,
    )
}

/// Finds a user other than root by name in the text of `/etc/passwd`.
fn lookup(users: &str, name: &str) -> Option<Account> {
    users.lines().find_map(|line| {
        let mut fields = line.split(':');
        if fields.next() != Some(name) {
            return None;
        }
        // On macOS `nobody` is -2; the id is that number's bits.
        let mut id = |skip: usize| -> Option<u32> {
            let number: i64 = fields.nth(skip)?.parse().ok()?;
            u32::try_from(number)
                .or_else(|_| i32::try_from(number).map(i32::cast_unsigned))
                .ok()
        };
        let (uid, gid) = (id(1)?, id(0)?);
        (uid != 0).then(|| Account {
            name: name.to_owned(),
            uid,
            gid,
        })
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    const USERS: &str = "root:x:0:0:root:/root:/bin/sh\n\
        postgres:x:101:104:PostgreSQL,,,:/var/lib/postgresql:/bin/sh\n\
        nobody:*:-2:-2:Unprivileged User:/var/empty:/usr/bin/false\n";

    #[test]
    fn users_are_found_by_name_and_root_is_never_one() {
        let postgres = lookup(USERS, "postgres").unwrap();
        assert_eq!((postgres.uid, postgres.gid), (101, 104));
        assert_eq!(lookup(USERS, "nobody").unwrap().uid, u32::MAX - 1);
        assert_eq!(lookup(USERS, "root"), None);
        assert_eq!(lookup(USERS, "post"), None);
    }

    #[test]
    fn a_private_folder_of_someone_else_cannot_be_entered() {
        let stranger = Account {
            name: "stranger".into(),
            uid: 4_000_000,
            gid: 4_000_000,
        };
        let mode = fs::Permissions::from_mode(0o700);
        let private = tempfile::Builder::new()
            .permissions(mode)
            .tempdir()
            .unwrap();
        assert!(!stranger.can_enter(private.path()));
        assert!(stranger.can_enter(Path::new("/tmp")));
        assert!(!stranger.can_enter(Path::new("/no/such/folder")));
    }
}
