//! Wire protocols without IO: how models and channels speak, and nothing about how bytes travel.
//!
//! This crate owns the bytes: [`sse`] turns a response's chunks into events, [`models`] renders a
//! request to a model and decodes its answer, [`channels`] parses what a channel hands in and
//! renders and signs what it is owed.
//!
//! It refuses to know: sockets, clocks, randomness, the environment, files and async. Whoever
//! sends a request passes status, headers and body in; the present time, fresh ids and secrets
//! are arguments. The one HTTP client lives in `openeve-http`, the use cases in
//! `openeve-runtime`.
//!
//! Guarantees:
//!
//! 1. How a body is cut into chunks never changes what it decodes to.
//! 2. An answer that did not come to its end is a failure, and none of its tool calls is handed
//!    on.
//! 3. Every buffer has a bound; outside bytes never cause a panic.
//! 4. An error's text says what happened, where, and what to do, and holds no secret.
//! 5. The same input gives the same output, so a request can be compared byte by byte.

pub mod channels;
pub mod models;
pub mod sse;
