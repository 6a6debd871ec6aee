//! What Postgres cannot store, and so neither does this store: the NUL character, in texts and in JSON. It becomes U+FFFD.
//!
//! Models and tools may say anything; a character that no column takes must not keep a run from
//! ever being committed.

use serde_json::{Map, Value};

/// What stands for a NUL.
const REPLACEMENT: &str = "\u{fffd}";

/// A text that a column takes.
pub(crate) fn text(text: &str) -> String {
    if text.contains('\0') {
        text.replace('\0', REPLACEMENT)
    } else {
        text.to_owned()
    }
}

/// A JSON value that a column takes, keys included.
pub(crate) fn json(value: &Value) -> Value {
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
