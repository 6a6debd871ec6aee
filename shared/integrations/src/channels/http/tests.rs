//! What callers send, right and wrong, and what receivers answer.

mod inbound;
mod reply;
