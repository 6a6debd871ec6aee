//! How well a tool fits a message.

use serde_json::Value;

use super::Tool;
use super::fill::enum_values;
use super::words::{is_akin, is_generic, words};

/// What a tool must score to be called.
const SCORE_MIN: u32 = 3;
const NAME_SCORE: u32 = 3;
const ENUM_SCORE: u32 = 2;
const WORD_SCORE: u32 = 1;
/// A word of a description, where no tool scores enough.
const FAINT_SCORE: u32 = 2;

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
    for word in words(tool.name)
        .into_iter()
        .filter(|word| is_heard(word, said))
    {
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
        if !seen.contains(&word) && !is_value(&word) && is_telling(&word) {
            about += WORD_SCORE;
            seen.push(word);
        }
    }
    let is_named = parameter_words(tool)
        .iter()
        .any(|word| is_said(word) && !seen.contains(word) && is_telling(word));
    let named = if is_named { WORD_SCORE } else { 0 };
    let enum_score = if values.is_empty() { 0 } else { ENUM_SCORE };
    let score = about + named + enum_score;
    (about > 0 && score >= SCORE_MIN).then_some(score)
}

/// How well a tool fits a message that no tool fits well: its description or those of its
/// parameters have half of the words that say anything.
pub(super) fn faint_score(tool: &Tool<'_>, said: &[String]) -> Option<u32> {
    let mut described = words(tool.name);
    described.extend(words(tool.description));
    let parameters = parameter_words(tool);
    let scores: Vec<u32> = said
        .iter()
        .filter(|word| is_telling(word))
        .map(|word| {
            if is_heard(word, &described) {
                FAINT_SCORE
            } else if is_heard(word, &parameters) {
                WORD_SCORE
            } else {
                0
            }
        })
        .collect();
    let heard = scores.iter().filter(|score| **score > 0).count();
    (heard > 0 && heard * 2 >= scores.len()).then(|| scores.iter().sum())
}

/// The words of the parameters' names and descriptions.
fn parameter_words(tool: &Tool<'_>) -> Vec<String> {
    let properties = tool.schema.get("properties").and_then(Value::as_object);
    let mut found = Vec::new();
    for (name, schema) in properties.into_iter().flatten() {
        let described = schema.get("description").and_then(Value::as_str);
        found.extend(words(name));
        found.extend(words(described.unwrap_or_default()));
    }
    found
}

/// Whether a word is among others, or shares its stem with one of them and says enough for that.
fn is_heard(word: &str, others: &[String]) -> bool {
    others
        .iter()
        .any(|other| other == word || !is_generic(word) && is_akin(word, other))
}

/// Whether a word points at a tool: it is neither generic nor the number of an example.
fn is_telling(word: &str) -> bool {
    !is_generic(word) && !word.starts_with(|c: char| c.is_ascii_digit())
}
