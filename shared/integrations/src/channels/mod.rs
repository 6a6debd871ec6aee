//! How channels are spoken to: parsing what they hand in, rendering and signing what they are owed.
//!
//! [`http`] is the plain one: JSON or text in, a signed webhook out.

pub mod http;
