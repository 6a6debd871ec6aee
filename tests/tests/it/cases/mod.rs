//! Public cases: what went wrong in other durable systems, each a test of ours named after it.
//!
//! `docs/cases.md` lists every case with its test, or with the reason why there is none.

#![expect(
    clippy::indexing_slicing,
    reason = "JSON that is not there is null, and helpers of tests fail loudly"
)]

mod a;
mod a_recovery;
mod b;
mod b_resume;
mod c;
mod d;
mod e;
mod f;
mod g;
mod list;
mod support;
mod wire;
