//! Lambda's detection of recursive loops: how often a function was invoked in one chain of requests.
//!
//! AWS counts in the trace header, in the field `Lineage=<function>:<count>|…` beside `Root`,
//! `Parent` and `Sampled`. The runtime is given the header with its event, the SDK sends it on with
//! each request, SQS keeps it with the message, and the event source mapping hands it back. So the
//! count travels with the chain, whatever process serves a link of it, and two messages that one
//! invocation sends do not add up. A header without the field begins at nothing.
//!
//! The count here is of the invocations so far. AWS does not document its own.

use std::sync::atomic::{AtomicU64, Ordering};

/// Invocations of one function in one chain that AWS lets pass; "about 16", here exactly.
pub const CHAIN_INVOCATIONS_MAX: u32 = 16;

/// What happens to the invocation after those: the function's property `RecursiveLoop`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RecursiveLoop {
    /// It is refused, as on AWS when nothing is said.
    #[default]
    Terminate,
    /// It goes on; the function bounds its chain itself.
    Allow,
}

/// How often a function was invoked in the chain that a header belongs to.
pub(super) fn invocations(header: Option<&str>, function: &str) -> u32 {
    let mark = mark(function);
    header
        .into_iter()
        .flat_map(fields)
        .filter_map(|field| field.strip_prefix("Lineage="))
        .flat_map(entries)
        .find_map(|(of, count)| (of == mark).then_some(count))
        .unwrap_or_default()
}

/// The header for a function's next invocation in that chain, or for the first of a new one.
pub(super) fn next(header: Option<&str>, function: &str) -> String {
    let mark = mark(function);
    let count = invocations(header, function).saturating_add(1);
    let (mut kept, mut lineage) = (Vec::new(), Vec::new());
    for field in header.into_iter().flat_map(fields) {
        match field.strip_prefix("Lineage=") {
            Some(value) => lineage.extend(entries(value).filter(|(of, _)| *of != mark)),
            None => kept.push(field.to_owned()),
        }
    }
    if !kept.iter().any(|field| field.starts_with("Root=")) {
        kept.insert(0, format!("Root={}", root()));
    }
    lineage.push((mark.as_str(), count));
    let lineage: Vec<String> = lineage
        .into_iter()
        .map(|(of, count)| format!("{of}:{count}"))
        .collect();
    kept.push(format!("Lineage={}", lineage.join("|")));
    kept.join(";")
}

fn fields(header: &str) -> impl Iterator<Item = &str> {
    header
        .split(';')
        .map(str::trim)
        .filter(|field| !field.is_empty())
}

/// What is no entry is left out: anybody may send a header.
fn entries(lineage: &str) -> impl Iterator<Item = (&str, u32)> {
    lineage
        .split('|')
        .filter_map(|entry| entry.split_once(':'))
        .filter_map(|(of, count)| Some((of, count.parse().ok()?)))
}

/// A function as the field names it: eight hex digits (FNV-1a).
fn mark(function: &str) -> String {
    let hash = function.bytes().fold(0x811c_9dc5_u32, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    });
    format!("{hash:08x}")
}

/// A root that no other chain of this process has.
fn root() -> String {
    static CHAINS: AtomicU64 = AtomicU64::new(1);
    let chain = CHAINS.fetch_add(1, Ordering::Relaxed);
    format!("1-{:08x}-{chain:024x}", super::epoch_ms() / 1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_without_a_header_begins_at_nothing_and_gets_a_root_of_its_own() {
        assert_eq!(invocations(None, "step"), 0);
        let (one, other) = (next(None, "step"), next(Some(""), "step"));
        assert!(one.starts_with("Root=1-"), "{one}");
        assert_ne!(one, other);
        assert_eq!(invocations(Some(&one), "step"), 1);
    }

    #[test]
    fn every_function_of_a_chain_has_its_own_count() {
        let ingress = next(None, "ingress");
        let twice = next(Some(&next(Some(&ingress), "step")), "step");
        assert_eq!(invocations(Some(&twice), "step"), 2);
        assert_eq!(invocations(Some(&twice), "ingress"), 1);
        assert_eq!(invocations(Some(&twice), "delivery"), 0);
        assert_eq!(twice.matches("Lineage=").count(), 1);
    }

    #[test]
    fn the_other_fields_stay_as_they_came() {
        let header = "Root=1-5e-ab;Parent=2; Sampled=1;Lineage=c512fbe3:2;Self=x";
        let expected = format!(
            "Root=1-5e-ab;Parent=2;Sampled=1;Self=x;Lineage=c512fbe3:2|{}:1",
            mark("step")
        );
        assert_eq!(next(Some(header), "step"), expected);
    }

    #[test]
    fn two_messages_of_one_invocation_do_not_add_up() {
        let sender = next(None, "step");
        assert_eq!(next(Some(&sender), "step"), next(Some(&sender), "step"));
    }

    #[test]
    fn a_garbled_lineage_counts_nothing() {
        for garbled in [
            "Lineage=",
            "Lineage=:|x",
            "Lineage=a:b|a",
            ";;=",
            "Lineage=-1:1:1",
        ] {
            assert_eq!(invocations(Some(garbled), "step"), 0, "{garbled}");
            assert_eq!(
                invocations(Some(&next(Some(garbled), "step")), "step"),
                1,
                "{garbled}"
            );
        }
    }
}
