//! The AWS adapter: SQS doorbells, S3 blobs, secrets, and the glue around Lambda events.
//!
//! Clients are built from the variables that Lambda sets, with our own HTTPS connector (ring, the
//! public authorities compiled in), because the SDK's default one reads every certificate file of
//! the image at each cold start. Nothing connects before it is used.
//!
//! [`lambda`] turns events into domain words: SQS records into doorbells with partial batch
//! responses, each record caught alone so that a panic never takes its batch down; function URL,
//! API Gateway and load balancer requests into the ingress's request. No SDK type appears in a
//! public signature. This crate refuses to know Postgres, models and tools.

mod client;
mod dead_letters;
pub mod lambda;
mod s3;
mod secrets;
mod sqs;
mod watch;

pub use client::{Account, AccountError};
pub use dead_letters::SqsDeadLetters;
pub use s3::S3Blobs;
pub use secrets::{Secrets, is_secret_arn};
pub use sqs::SqsDoorbell;
pub use watch::SqsWatch;
