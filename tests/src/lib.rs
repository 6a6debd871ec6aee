//! The world that tests and benchmarks share: real Postgres, the real handlers, scripted thinking.
//!
//! A [`World`] is a database of its own behind a counting proxy, the five handlers over it, an
//! engine that follows a script, tools that are closures, and a doorbell that remembers. Nothing
//! here decides what is right; the tests do.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    clippy::missing_panics_doc,
    reason = "test support fails loudly"
)]

mod bells;
pub mod conformance;
pub mod deployment;
pub mod emulator;
mod engine;
pub mod load;
mod manifest;
pub mod paths;
pub mod schema;
pub mod shipped;
pub mod sim;
pub mod snapshot;
pub mod tap;
mod tools;
mod world;

pub use bells::RecordingDoorbell;
pub use engine::{Plan, ScriptedEngine, answer, calls};
pub use manifest::{manifest, tool};
pub use tools::{ClosureTools, ScriptedSender, ask, output};
pub use world::{World, WorldOptions, migrated_database, wal_position};
