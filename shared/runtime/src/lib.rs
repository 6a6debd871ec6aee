//! Ports, one use case per function, the registry of knobs, and the agent loop.
//!
//! [`ports`] holds the traits through which everything outside is reached; each speaks domain
//! types, names one capability and states its failure classes. [`step`], [`ingress`], [`tick`],
//! [`delivery`] and [`sweep`] are what the five functions do, as plain async functions over ports,
//! so that `dev`, `serve`, the tests and AWS Lambda run the same code. [`engine`] is the agent
//! loop's one iteration; [`arguments`] reads what a model gives a tool. [`config`] declares every
//! knob once.
//!
//! This crate refuses to know: SQL, SQS, HTTP clients, JavaScript engines, files, the process
//! environment and the clock. It decides nothing that `openeve_domain` can decide purely.

pub mod arguments;
pub mod channels;
pub mod config;
pub mod dead_letters;
pub mod delivery;
pub mod engine;
pub mod ingress;
mod patience;
pub mod ports;
pub mod resume;
pub mod step;
pub mod sweep;
pub mod tick;
