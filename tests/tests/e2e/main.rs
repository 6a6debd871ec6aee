//! End to end: the real binaries, real Postgres, the SQS wire protocol, a model that streams.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests fail loudly, as tests do"
)]

mod chain;
mod cli;
mod dev;
mod load;
mod loops;
mod packages;
mod serve;
mod stack;
mod stores;
