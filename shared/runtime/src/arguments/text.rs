//! From the model's text to a JSON object.

use openeve_domain::canonical::sorted;
use serde_json::{Map, Value};

use super::NESTING_MAX;

/// Reads arguments: blank is an empty object; anything but an object never runs a tool. A string
/// that holds an object stands for it.
pub(super) fn object(text: &str) -> Result<Value, String> {
    if text.trim().is_empty() {
        return Ok(Value::Object(Map::new()));
    }
    match parse(text)? {
        object @ Value::Object(_) => Ok(sorted(object)),
        Value::String(inner) => match parse(&inner) {
            Ok(object @ Value::Object(_)) => Ok(sorted(object)),
            Ok(_) | Err(_) => Err(NOT_AN_OBJECT.to_owned()),
        },
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => {
            Err(NOT_AN_OBJECT.to_owned())
        }
    }
}

const NOT_AN_OBJECT: &str =
    "the arguments are not a JSON object; call the tool again with a JSON object";

fn parse(text: &str) -> Result<Value, String> {
    if levels(text) > NESTING_MAX {
        return Err(format!(
            "the arguments are nested more than {NESTING_MAX} levels deep; call the tool again with \
             flatter arguments"
        ));
    }
    serde_json::from_str(text).map_err(|error| {
        format!(
            "the arguments are not valid JSON ({error}); call the tool again with a complete JSON object"
        )
    })
}

/// Levels of objects and arrays in JSON text. Text that is not JSON has some number too.
pub(super) fn levels(text: &str) -> usize {
    let (mut level, mut deepest) = (0_usize, 0);
    let (mut in_string, mut escaped) = (false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => {
                level += 1;
                deepest = deepest.max(level);
            }
            b'}' | b']' if !in_string => level = level.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}
