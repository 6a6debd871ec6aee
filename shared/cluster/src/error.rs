//! What can go wrong with a private cluster, each with its remedy.

use std::io;
use std::path::{Path, PathBuf};

use crate::session::SessionError;

/// A cluster that could not be found, started or used. The message names the remedy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClusterError {
    /// No usable Postgres anywhere. The caller shows the text: it lists what was tried.
    #[error(
        "no Postgres was found ({}); install PostgreSQL {} or newer with the system's package \
         manager, or point OPENEVE_POSTGRES_BIN at the folder that holds initdb and postgres",
        tried.join("; "),
        crate::POSTGRES_MAJOR_MIN
    )]
    NotFound {
        /// One clause for each place, with the reason it was passed over.
        tried: Vec<String>,
    },
    /// The folder that was named explicitly holds no usable Postgres. Nothing else is tried.
    #[error("OPENEVE_POSTGRES_BIN names {}, but {why}", dir.display())]
    Unusable {
        /// The folder.
        dir: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// We are root, and there is neither a user `postgres` nor a user `nobody` to run it as.
    #[error(
        "Postgres refuses to run as root and there is no user postgres or nobody; \
         run openeve as another user, or create one with: useradd --system postgres"
    )]
    NoAccount,
    /// The user that Postgres must run as cannot reach its programs.
    #[error(
        "the user {account} cannot reach {}; make that folder readable for everyone, \
         or run openeve as another user than root",
        path.display()
    )]
    Unreachable {
        /// The folder of the programs.
        path: PathBuf,
        /// The user.
        account: String,
    },
    /// Another process of ours holds the cluster.
    #[error(
        "the database in {} is in use by another openeve; stop that one first, \
         or use another folder",
        dir.display()
    )]
    InUse {
        /// The cluster's folder.
        dir: PathBuf,
    },
    /// The data was written by another major version.
    #[error(
        "the data in {} was written by Postgres {data}, but {} is version {programs}; \
         point OPENEVE_POSTGRES_BIN at version {data}, or delete the folder to start empty",
        dir.display(),
        bin.display()
    )]
    Version {
        /// The data folder.
        dir: PathBuf,
        /// Major version of the data.
        data: u32,
        /// The programs' folder.
        bin: PathBuf,
        /// Major version of the programs.
        programs: u32,
    },
    /// `initdb` failed.
    #[error("initdb could not create the data folder {}: {output}", dir.display())]
    Initdb {
        /// The data folder.
        dir: PathBuf,
        /// What initdb said last.
        output: String,
    },
    /// The server ended or did not answer in time.
    #[error(
        "Postgres did not start: {why}; the last lines of {} are:\n{lines}\n{}",
        log.display(),
        remedy(lines)
    )]
    Start {
        /// How it failed.
        why: String,
        /// The log file.
        log: PathBuf,
        /// Its last lines.
        lines: String,
    },
    /// The socket's folder exists and is not ours alone.
    #[error(
        "the socket folder {} belongs to someone else or is open to others; delete it and try again",
        path.display()
    )]
    SocketFolder {
        /// The folder.
        path: PathBuf,
    },
    /// The server was stopped or killed and not restarted.
    #[error("the database server is not running; start it again")]
    Stopped,
    /// A statement or its connection failed.
    #[error("a statement on the private database failed")]
    Session(#[from] SessionError),
    /// A file or process operation failed.
    #[error("cannot {what} {}", path.display())]
    Io {
        /// What was tried.
        what: &'static str,
        /// On what.
        path: PathBuf,
        /// Why not.
        #[source]
        source: io::Error,
    },
}

impl ClusterError {
    /// A wrapper for `map_err` that keeps what was tried on which path.
    pub(crate) fn io(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io {
            what,
            path: path.to_owned(),
            source,
        }
    }
}

/// The way out that the log's words point at.
fn remedy(lines: &str) -> &'static str {
    let knows = |word: &str| lines.contains(word);
    if knows("No space left") {
        "free some disk space and start again"
    } else if knows("could not map anonymous shared memory") || knows("Cannot allocate memory") {
        "free some memory, or lower max_connections"
    } else if knows("incompatible") {
        "use the Postgres version that wrote the data"
    } else if knows("corrupt") || knows("invalid checkpoint") || knows("could not locate a valid") {
        "the data is damaged: restore the folder from a copy, or delete it to start empty"
    } else {
        "start again; if it fails the same way, the lines above say what to change"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_start_quotes_the_log_and_names_a_remedy() {
        let error = ClusterError::Start {
            why: "it exited with status 1".into(),
            log: "/x/postgres.log".into(),
            lines: "FATAL: No space left on device".into(),
        };
        let text = error.to_string();
        assert!(text.contains("No space left on device"), "{text}");
        assert!(text.contains("free some disk space"), "{text}");
    }

    #[test]
    fn nothing_found_lists_what_was_tried() {
        let error = ClusterError::NotFound {
            tried: vec!["PATH has no initdb".into()],
        };
        assert!(
            error.to_string().contains("(PATH has no initdb)"),
            "{error}"
        );
    }
}
