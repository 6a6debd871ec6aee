//! The simulation tier: every crash point of every scenario, seeds, and mutants.
//!
//! On demand: `cargo run --profile bench -p openeve-tests --bin simulate -- --help`.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails loudly"
)]

mod mutants;
mod seeds;
mod sweep;
