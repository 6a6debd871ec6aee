//! What validating would cost, counted before it is done.
//!
//! The validator visits a subschema for each value it applies to. Recursion over alternatives
//! multiplies the visits with each level, and neither the time nor the stack they take can be
//! taken back once it has begun. Counting visits the same pairs without doing the work and stops
//! at a bound; it counts too many rather than too few.

use serde_json::Value;

use super::shape::{To, subschemas};

/// Visits inside one another. Each takes about half a kilobyte of stack in a debug build.
const DEPTH_MAX: usize = 1_000;
/// `unevaluatedProperties` and `unevaluatedItems` look again at what the rest has looked at.
const UNEVALUATED_FACTOR: usize = 3;

/// How many visits it takes to validate `input`; None if more than `visits_max`, or too deep.
pub(super) fn visits(root: &Value, input: &Value, visits_max: usize) -> Option<usize> {
    let mut count = 0_usize;
    let mut waiting = vec![Visit {
        schema: root,
        value: input,
        depth: 0,
        weight: 1,
    }];
    while let Some(visit) = waiting.pop() {
        count = count.saturating_add(visit.weight);
        if count > visits_max || visit.depth > DEPTH_MAX {
            return None;
        }
        let is_repeated = ["unevaluatedProperties", "unevaluatedItems"]
            .iter()
            .any(|keyword| visit.schema.get(keyword).is_some());
        let weight = if is_repeated {
            visit.weight.saturating_mul(UNEVALUATED_FACTOR)
        } else {
            visit.weight
        };
        subschemas(root, visit.schema, &mut |to, schema| {
            let mut push = |value| {
                // No more may wait than may be visited.
                if waiting.len() <= visits_max {
                    waiting.push(Visit {
                        schema,
                        value,
                        depth: visit.depth + 1,
                        weight,
                    });
                }
            };
            match (to, visit.value) {
                (To::Itself, value) => push(value),
                (To::Property(name), Value::Object(properties)) => {
                    properties.get(name).into_iter().for_each(push);
                }
                (To::OtherProperties(known), Value::Object(properties)) => properties
                    .iter()
                    .filter(|(name, _)| known.is_none_or(|known| !known.contains_key(*name)))
                    .for_each(|(_, value)| push(value)),
                // A name is checked as a value would be; the value stands for it.
                (To::Properties | To::Names, Value::Object(properties)) => {
                    properties.values().for_each(push);
                }
                (To::Item(index), Value::Array(items)) => {
                    items.get(index).into_iter().for_each(push);
                }
                (To::Items, Value::Array(items)) => items.iter().for_each(push),
                _ => {}
            }
        });
    }
    Some(count)
}

/// One subschema that looks at one value.
struct Visit<'v> {
    schema: &'v Value,
    value: &'v Value,
    depth: usize,
    weight: usize,
}
