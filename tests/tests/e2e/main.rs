//! End to end: the real binaries, real Postgres, the SQS wire protocol, a model that streams.

mod chain;
mod dev;
mod stack;
mod stores;
