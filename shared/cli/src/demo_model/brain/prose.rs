//! Turns what a tool returned into words that can be read.

use serde_json::Value;

use super::words::all;

/// How much of a result is quoted.
const QUOTE_CHARS_MAX: usize = 600;

/// A result as a reader would want it: fields by name, texts as they are.
pub(super) fn prose(output: &str) -> String {
    let text = match serde_json::from_str::<Value>(output) {
        Ok(value) => prose_of(&value),
        Err(_) => output.split_whitespace().collect::<Vec<_>>().join(" "),
    };
    let text = text.trim_end_matches(['.', ' ']);
    let cut: String = text.chars().take(QUOTE_CHARS_MAX).collect();
    match (text.is_empty(), cut.len() < text.len()) {
        (true, _) => "nothing".to_owned(),
        (false, true) => format!("{cut} …"),
        (false, false) => cut,
    }
}

/// A value without braces and quotes.
fn prose_of(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.split_whitespace().collect::<Vec<_>>().join(" "),
        Value::Array(list) if list.is_empty() => "nothing".to_owned(),
        Value::Array(list) => list.iter().map(prose_of).collect::<Vec<_>>().join("; "),
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value)| {
                format!("{} {}", readable(name), prose_of(value))
            };
            fields.iter().map(field).collect::<Vec<_>>().join(", ")
        }
    }
}

/// A name as words: `walkMinutes` is "walk minutes".
pub(super) fn readable(name: &str) -> String {
    all(name).collect::<Vec<_>>().join(" ")
}
