//! The store in memory: the same protocol without a database.

pub mod snapshot;
