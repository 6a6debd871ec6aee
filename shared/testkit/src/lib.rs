//! What the tests stand on: real servers on loopback, fakes of what AWS and providers do, time.
//!
//! * [`database`]: one Postgres for all test processes, a fresh database for each test.
//! * [`wire`]: a proxy that counts round trips, statements and transactions, and breaks connections.
//! * [`lambda`]: runs a function's real binary as AWS Lambda would: freeze, deadline, crash, restart.
//! * [`sqs`]: queues, their client, and the event source mapping that feeds a function from one.
//! * [`receiver`]: an HTTP server that records what it is sent and answers as a script says.
//! * [`scripted_model`]: a chat-completions server that streams what a script says.
//! * [`clock`], [`ids`]: time and identity under a test's control.
//! * [`gate`], [`patience`]: barriers, and the one place that polls.
//!
//! Everything listens on 127.0.0.1 only, takes any free port and ends with the value that started
//! it. Nothing here is used by shipped code; a broken expectation panics with a message.
//!
//! This crate refuses to know: our schema (migrations come as closures), AWS's SDK, and the
//! functions (they are files to run).

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    reason = "test support fails loudly; indexing JSON that is not there gives null"
)]

pub mod clock;
pub mod database;
pub mod gate;
pub mod http_client;
pub mod ids;
pub mod lambda;
mod loopback;
pub mod patience;
pub mod receiver;
pub mod scripted_model;
pub mod sqs;
pub mod wire;
