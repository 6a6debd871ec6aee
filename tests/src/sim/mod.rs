//! The simulation: the real handlers over an in-memory store, one thread, a virtual clock, a seed.
//!
//! Everything that reaches outside passes a *point*: before and after each operation of the store,
//! each doorbell, each request to the model, each tool, each send. A worker waits at its point until
//! the driver lets it go on, so that the driver alone decides who runs when, and may at any
//! point kill a worker, let its request fail with or without having been applied, freeze it past
//! its lease, ring it twice, or deliver a late copy of its commit ([`Fault`]).
//!
//! A [`Plan`] says where faults fall: nowhere, at one or two given points (the crash sweep), or at
//! random under a seed. After the faults everybody goes on undisturbed; when it is quiet, every
//! invariant is checked ([`invariants`]). The same plan gives the same history, point for point.

mod actors;
mod begin;
mod core;
mod driver;
mod fault;
mod history;
pub mod invariants;
mod ports;
pub mod scenario;
mod wiring;

pub use fault::{Fault, Plan};
pub use history::{Report, Wanted, simulate};
pub use scenario::{Scenario, scenarios};
