//! The pure core: what a turn is, what may happen to it, and what is owed when it does.
//!
//! This crate owns the words of the run protocol as types ([`ids`], [`status`]), the plain data
//! that crosses every boundary ([`manifest`], [`transcript`], [`commit`], [`bell`]), and the
//! decisions: [`run`] holds one transition a file, [`recovery`] the plan after a crash,
//! [`budget`] whether another iteration fits, [`retry`] when to try again, [`schedule`] which
//! occurrences are due.
//!
//! It refuses to know: async, clocks, randomness, the environment, files, sockets, SQL, SQS,
//! providers and JavaScript. Time, ids and limits come in as arguments; a transition returns what
//! must be written and what is owed, and performs nothing. Dependencies are data crates only.
//!
//! Guarantees: a transition is a total function that returns the next state or a typed refusal;
//! the same inputs give the same outputs; nothing here panics on outside data.

pub mod bell;
pub mod budget;
pub mod canonical;
pub mod channel;
pub mod commit;
pub mod continuation;
pub mod core_tools;
pub mod delivery;
pub mod event;
#[cfg(test)]
mod golden;
pub mod ids;
pub mod limits;
pub mod manifest;
pub mod nearest;
pub mod node;
pub mod pause;
pub mod recovery;
pub mod retry;
pub mod run;
pub mod schedule;
pub mod secret;
pub mod status;
pub mod storable;
pub mod text;
pub mod transcript;
pub mod usage;
