//! A private Postgres: found or installed, started as our child, reached over a Unix socket only.
//!
//! `openeve dev` and the tests need a real Postgres that nobody has to set up and that nothing but
//! us can reach. [`Binaries::find`] looks for the programs and says which it chose and why;
//! [`Cluster::start`] creates the data folder on first use and runs `postgres` on it.
//!
//! Guarantees:
//! * No TCP port is opened. The socket lies in a folder of mode 0700, so file permissions are the
//!   whole access control and there is no password to keep.
//! * The server is our direct child in a process group of its own: Ctrl-C in a terminal reaches us
//!   first, and [`Cluster::stop`] or dropping the cluster ends it with a checkpoint.
//! * If we are killed, the server survives as an orphan. The next start adopts it (same process,
//!   same data) instead of failing on its lock file.
//! * One [`Cluster`] per folder at a time: a second start while the first lives is refused.
//! * Postgres refuses root. Run by root, it runs as `postgres` or `nobody` instead, and the data
//!   moves out of folders that user cannot enter; the callback says so.
//!
//! Everything here blocks; an async caller starts a cluster before its runtime is busy or on a
//! blocking thread. This crate refuses to know: the environment (paths come as options), the
//! schema, tokio and the workspace's other crates.

mod account;
mod cluster;
mod error;
mod find;
mod install;
mod launch;
mod place;
mod postmaster;
mod session;
mod settings;

pub use cluster::Cluster;
pub use error::ClusterError;
pub use find::{Binaries, FindOptions};
pub use session::{Row, SessionError};
pub use settings::{Durability, Settings};

/// The name of the superuser in every cluster of ours.
pub const USER: &str = "openeve";

/// The oldest major version of Postgres that our SQL runs on.
pub const POSTGRES_MAJOR_MIN: u32 = 15;
