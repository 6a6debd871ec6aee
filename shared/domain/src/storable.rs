//! What no store keeps: the NUL character, which Postgres takes in no column. It becomes U+FFFD.
//!
//! Models and tools may say anything; a character that no column takes must not keep a run from
//! ever being committed.

use serde_json::{Map, Value};

/// What stands for a NUL.
const REPLACEMENT: &str = "\u{fffd}";

/// A text that a store keeps.
pub fn text(text: &str) -> String {
    if text.contains('\0') {
        text.replace('\0', REPLACEMENT)
    } else {
        text.to_owned()
    }
}

/// A JSON value that a store keeps, names included.
pub fn json(value: &Value) -> Value {
    match value {
        Value::String(one) => Value::String(text(one)),
        Value::Array(items) => Value::Array(items.iter().map(json).collect()),
        Value::Object(fields) => {
            let clean = fields.iter().map(|(key, value)| (text(key), json(value)));
            Value::Object(clean.collect::<Map<_, _>>())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_nul_becomes_a_character_that_can_be_stored() {
        assert_eq!(text("a\0b"), "a\u{fffd}b");
        let dirty = json!({"k\0": ["x\0", {"y": "\0"}], "n": 1});
        let clean = json!({"k\u{fffd}": ["x\u{fffd}", {"y": "\u{fffd}"}], "n": 1});
        assert_eq!(super::json(&dirty), clean);
    }
}
