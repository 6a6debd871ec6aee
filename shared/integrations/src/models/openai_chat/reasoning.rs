//! Reasoning that a provider wants back: gathered from an answer, returned with the transcript.
//!
//! It comes under three names: `reasoning_content` (`DeepSeek`, llama.cpp), `reasoning` (vLLM) and
//! `reasoning_details` (`OpenRouter`: signed blocks, streamed in pieces). It goes back verbatim,
//! and only to the model that wrote it: another one refuses what it did not sign.

use serde_json::{Map, Value, json};

const CONTENT: &str = "reasoning_content";
const PLAIN: &str = "reasoning";
const DETAILS: &str = "reasoning_details";
const ORIGIN: &str = "model";

/// What one answer's reasoning has come to.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    content: String,
    plain: String,
    details: Vec<Map<String, Value>>,
}

impl Gathered {
    /// Takes the reasoning of one delta and returns how many bytes it holds.
    pub(super) fn merge(&mut self, delta: &Value) -> usize {
        let mut bytes = 0;
        for (key, text) in [(CONTENT, &mut self.content), (PLAIN, &mut self.plain)] {
            let piece = delta.get(key).and_then(Value::as_str).unwrap_or_default();
            text.push_str(piece);
            bytes += piece.len();
        }
        for detail in delta
            .get(DETAILS)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            if let Value::Object(detail) = detail {
                bytes += detail
                    .values()
                    .filter_map(Value::as_str)
                    .map(str::len)
                    .sum::<usize>();
                self.merge_detail(detail);
            }
        }
        bytes
    }

    /// What is kept with the transcript row; null if there was no reasoning.
    pub(super) fn extra(self, origin: &str) -> Value {
        let mut extra = Map::new();
        if !self.content.is_empty() {
            extra.insert(CONTENT.into(), self.content.into());
        }
        if !self.details.is_empty() {
            extra.insert(
                DETAILS.into(),
                self.details.into_iter().map(Value::Object).collect(),
            );
        } else if !self.plain.is_empty() {
            extra.insert(PLAIN.into(), self.plain.into());
        }
        if extra.is_empty() {
            return Value::Null;
        }
        extra.insert(ORIGIN.into(), json!(origin));
        Value::Object(extra)
    }

    /// Pieces of one block share index and type: texts are joined, the rest is taken over.
    fn merge_detail(&mut self, piece: &Map<String, Value>) {
        let same = |other: &&mut Map<String, Value>| {
            piece.get("index").is_some_and(Value::is_number)
                && other.get("index") == piece.get("index")
                && other.get("type") == piece.get("type")
        };
        let Some(block) = self.details.iter_mut().rev().find(same) else {
            self.details.push(piece.clone());
            return;
        };
        for (key, value) in piece {
            match (key.as_str(), block.get_mut(key), value) {
                ("text" | "summary" | "data", Some(Value::String(text)), Value::String(more)) => {
                    text.push_str(more);
                }
                (_, Some(_), Value::Null) => {}
                _ => {
                    block.insert(key.clone(), value.clone());
                }
            }
        }
    }
}

/// Puts the reasoning of a transcript row into a message, if this model wrote it.
pub(super) fn give_back(extra: &Value, origin: &str, message: &mut Map<String, Value>) {
    if extra.get(ORIGIN).and_then(Value::as_str) != Some(origin) {
        return;
    }
    for key in [CONTENT, PLAIN, DETAILS] {
        if let Some(value) = extra.get(key) {
            message.insert(key.into(), value.clone());
        }
    }
}
