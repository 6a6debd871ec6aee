//! Tier 0: rules about the repository itself, as ordinary tests.
//!
//! A rule worth stating is a test that explains itself: its name is the rule, its failure message
//! says why the rule exists and what to do. A check is a function that returns `Result<(), String>`,
//! so that a mutant of what it reads can prove that it would notice.

mod pages;
mod repository;
mod structure;
mod template;
