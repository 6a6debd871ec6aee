//! The Postgres adapter: all truth, one named statement a file, one round trip a boundary.
//!
//! [`PgStore`] implements the runtime's `Store` port. Each boundary of the protocol is one
//! pipelined transaction (`pipeline`): everything is sent at once, the fence first, so that a
//! commit costs one network round trip plus the commit itself. Statements are unnamed and leave no
//! session state behind (no `SET`, `LISTEN`, session advisory locks or named prepared
//! statements), so a transaction-mode pooler works.
//!
//! A connection is taken for one boundary and given back; none is held while a model or tool
//! works. One that went stale while the function was frozen is replaced and the boundary repeated:
//! accepting is idempotent by its key, claiming by its token, committing by its commit id, which is
//! read back first. A server that is read-only or shutting down poisons the connection, not the
//! run (`failure`).
//!
//! [`migrate`] applies the SQL files of `migrations/`. This crate refuses to know queues, models,
//! tools and what a run means: it maps rows and lets the domain decide.

mod accept;
mod claim;
mod commit;
mod delivery;
pub mod doctor;
mod failure;
mod listing;
pub mod migrate;
mod need;
mod person;
mod pipeline;
mod pool;
mod rows;
mod store;
mod view;

pub use listing::{ListOptions, ListedRun};
pub use pool::{ConfigError, Pool};
pub use store::PgStore;
