//! How well a tool fits a message.

use serde_json::Value;

use super::Tool;
use super::fill::enum_values;
use super::words::{is_generic, words};

/// What a tool must score to be called.
const SCORE_MIN: u32 = 3;
const NAME_SCORE: u32 = 3;
const ENUM_SCORE: u32 = 2;
const WORD_SCORE: u32 = 1;

/// How well a tool fits the words of a message; none if not well enough. An enum value alone, such
/// as a place that several tools know, never calls one: the name or description must speak, too.
pub(super) fn score(tool: &Tool<'_>, said: &[String]) -> Option<u32> {
    let is_said = |word: &String| said.contains(word);
    let properties = tool.schema.get("properties").and_then(Value::as_object);
    let values: Vec<Vec<String>> = properties
        .into_iter()
        .flat_map(|properties| properties.values())
        .flat_map(|schema| enum_values(schema).iter().filter_map(Value::as_str))
        .map(words)
        .filter(|value| !value.is_empty() && value.iter().all(is_said))
        .collect();
    let is_value = |word: &String| values.iter().flatten().any(|value| value == word);

    let mut seen: Vec<String> = Vec::new();
    let mut about = 0;
    for word in words(tool.name).into_iter().filter(is_said) {
        if !seen.contains(&word) && !is_value(&word) {
            about += if is_generic(&word) {
                WORD_SCORE
            } else {
                NAME_SCORE
            };
            seen.push(word);
        }
    }
    for word in words(tool.description).into_iter().filter(is_said) {
        if !seen.contains(&word) && !is_value(&word) && !is_generic(&word) {
            about += WORD_SCORE;
            seen.push(word);
        }
    }
    let described = |schema: &Value| {
        words(
            schema
                .get("description")
                .and_then(Value::as_str)
                .unwrap_or_default(),
        )
    };
    let mut parameters = properties
        .into_iter()
        .flatten()
        .flat_map(|(name, schema)| [words(name), described(schema)])
        .flatten();
    let is_named =
        parameters.any(|word| is_said(&word) && !seen.contains(&word) && !is_generic(&word));
    let named = if is_named { WORD_SCORE } else { 0 };
    let enum_score = if values.is_empty() { 0 } else { ENUM_SCORE };
    let score = about + named + enum_score;
    (about > 0 && score >= SCORE_MIN).then_some(score)
}
