//! The store in memory: the same protocol without a database.
//!
//! [`Tables`] holds every row and has one synchronous operation for each of the port's; the SQL
//! files of the Postgres store are its specification, and a differential test holds it to them.
//! [`MemoryStore`] is the port over it. The simulation plays millions of histories on it; each
//! safety clause can be left out ([`Clauses`]), so that mutants show who notices.
//!
//! It keeps nothing when the process ends and is no store for production.

mod accept;
mod claim;
mod clauses;
mod clean;
mod commit;
mod commit_rows;
mod delivery;
mod dump;
mod need;
mod person;
pub mod snapshot;
mod store;
mod tables;
mod view;

pub use clauses::Clauses;
pub use store::MemoryStore;
pub use tables::Tables;

/// A moment of the virtual clock.
fn moment(ms: i64) -> jiff::Timestamp {
    jiff::Timestamp::from_millisecond(ms).unwrap_or(jiff::Timestamp::UNIX_EPOCH)
}
