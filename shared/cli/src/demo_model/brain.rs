//! Decides what the demo model says: pure, deterministic, and no intelligence at all.
//!
//! It compares words. A tool whose name, description and enum values share enough words with the
//! last user message is called once, provided each required argument can be found in the message
//! or in what earlier tools returned. That is how one call comes to wait for another: a time that
//! nobody mentioned appears once a tool has answered. When nothing is left to call, the results
//! are quoted in prose.

mod fill;
mod find;
mod names;
mod words;

use jiff::Timestamp;
use serde_json::Value;

use self::fill::Sources;
use self::words::{is_generic, widened, words};

/// Begins everything the demo model says, so that nobody takes it for a real one.
pub(super) const LABEL: &str = "[demo model] ";

/// Calls of one answer at most.
const STEP_CALLS_MAX: usize = 2;
/// Calls for one user message at most.
const TURN_CALLS_MAX: usize = 6;
/// What a tool must score to be called.
const SCORE_MIN: u32 = 3;
const NAME_SCORE: u32 = 3;
const ENUM_SCORE: u32 = 2;
const WORD_SCORE: u32 = 1;
/// How much of a result is quoted.
const QUOTE_CHARS_MAX: usize = 600;

/// What the demo model does next.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Decision {
    /// It says something and is done.
    Say(String),
    /// It asks for these tools, by name and arguments.
    Call(Vec<(String, Value)>),
}

/// A tool as the request describes it.
struct Tool<'a> {
    name: &'a str,
    description: &'a str,
    schema: &'a Value,
}

impl Tool<'_> {
    /// The words it is described with, and those that ask for it.
    fn words(&self) -> Vec<String> {
        let mut known = words(self.name);
        known.extend(words(self.description));
        words::with_askers(known)
    }
}

/// What has happened since the last user message.
#[derive(Default)]
struct Turn {
    message: String,
    /// Call id and tool, in order.
    calls: Vec<(String, String)>,
    /// Call id and output, in order.
    results: Vec<(String, String)>,
}

/// Decides. The messages and tools are those of a request that was checked.
pub(super) fn decide(messages: &[Value], tools: &[Value], now: Timestamp) -> Decision {
    let turn = read(messages);
    let tools: Vec<Tool<'_>> = tools.iter().filter_map(tool).collect();
    let said = words(&turn.message);
    let heard = widened(&said);
    let outputs: Vec<&str> = turn.results.iter().map(|(_, output)| output.as_str()).collect();
    let mut wanted: Vec<(u32, &Tool<'_>)> = tools
        .iter()
        .filter(|tool| turn.calls.iter().all(|(_, name)| name != tool.name))
        .filter_map(|tool| score(tool, &heard).map(|score| (score, tool)))
        .collect();
    wanted.sort_by_key(|(score, _)| std::cmp::Reverse(*score));

    let sources = Sources { message: &turn.message, words: &said, outputs: &outputs, now };
    let room = TURN_CALLS_MAX.saturating_sub(turn.calls.len()).min(STEP_CALLS_MAX);
    let mut calls = Vec::new();
    let mut missing = Vec::new();
    for (_, tool) in wanted {
        match sources.arguments(tool.schema, &tool.words()) {
            Ok(each) => calls.extend(each.into_iter().map(|arguments| (tool.name.to_owned(), arguments))),
            Err(parameter) => missing.push((tool.name, parameter)),
        }
    }
    calls.truncate(room);
    if calls.is_empty() { Decision::Say(answer(&turn, &tools, &missing)) } else { Decision::Call(calls) }
}

fn read(messages: &[Value]) -> Turn {
    let mut turn = Turn::default();
    for message in messages {
        match message.get("role").and_then(Value::as_str) {
            Some("user") => {
                turn = Turn { message: text_of(message.get("content")), ..Turn::default() };
            }
            Some("assistant") => {
                for call in message.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
                    let text = |pointer: &str| call.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
                    turn.calls.push((text("/id").to_owned(), text("/function/name").to_owned()));
                }
            }
            Some("tool") => {
                let id = message.get("tool_call_id").and_then(Value::as_str).unwrap_or_default();
                turn.results.push((id.to_owned(), text_of(message.get("content"))));
            }
            _ => {}
        }
    }
    turn
}

fn text_of(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            let texts = parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str));
            texts.collect::<Vec<_>>().join(" ")
        }
        _ => String::new(),
    }
}

fn tool(tool: &Value) -> Option<Tool<'_>> {
    let function = tool.get("function")?;
    Some(Tool {
        name: function.get("name")?.as_str()?,
        description: function.get("description").and_then(Value::as_str).unwrap_or_default(),
        schema: function.get("parameters").unwrap_or(&Value::Null),
    })
}

/// How well a tool fits the words of a message; none if not well enough. An enum value alone, such
/// as a place that several tools know, never calls one: the name or description must speak, too.
fn score(tool: &Tool<'_>, said: &[String]) -> Option<u32> {
    let is_said = |word: &String| said.contains(word);
    let properties = tool.schema.get("properties").and_then(Value::as_object);
    let values: Vec<Vec<String>> = properties
        .into_iter()
        .flat_map(|properties| properties.values())
        .flat_map(|schema| fill::enum_values(schema).iter().filter_map(Value::as_str))
        .map(words)
        .filter(|value| !value.is_empty() && value.iter().all(is_said))
        .collect();
    let is_value = |word: &String| values.iter().flatten().any(|value| value == word);

    let mut seen: Vec<String> = Vec::new();
    let mut about = 0;
    for word in words(tool.name).into_iter().filter(is_said) {
        if !seen.contains(&word) && !is_value(&word) {
            about += if is_generic(&word) { WORD_SCORE } else { NAME_SCORE };
            seen.push(word);
        }
    }
    for word in words(tool.description).into_iter().filter(is_said) {
        if !seen.contains(&word) && !is_value(&word) && !is_generic(&word) {
            about += WORD_SCORE;
            seen.push(word);
        }
    }
    let described = |schema: &Value| words(schema.get("description").and_then(Value::as_str).unwrap_or_default());
    let mut parameters = properties.into_iter().flatten().flat_map(|(name, schema)| [words(name), described(schema)]).flatten();
    let is_named = parameters.any(|word| is_said(&word) && !seen.contains(&word) && !is_generic(&word));
    let named = if is_named { WORD_SCORE } else { 0 };
    let valued = if values.is_empty() { 0 } else { ENUM_SCORE };
    let score = about + named + valued;
    (about > 0 && score >= SCORE_MIN).then_some(score)
}

fn answer(turn: &Turn, tools: &[Tool<'_>], missing: &[(&str, String)]) -> String {
    let mut parts = Vec::new();
    for (id, output) in &turn.results {
        let name = turn.calls.iter().find(|(call, _)| call == id).map_or("a tool", |(_, name)| name.as_str());
        parts.push(format!("{} says: {}.", readable(name), prose(output)));
    }
    if let (true, Some((tool, parameter))) = (parts.is_empty(), missing.first()) {
        parts.push(format!("I would call {tool}, but your message does not tell me its {}.", readable(parameter)));
    } else if parts.is_empty() {
        parts.push("I am a small stand-in that runs offline and only matches words.".to_owned());
        let names: Vec<&str> = tools.iter().map(|tool| tool.name).collect();
        if names.is_empty() {
            parts.push("This agent has no tools.".to_owned());
        } else {
            parts.push(format!("Ask for something that one of these tools does: {}.", names.join(", ")));
        }
        parts.push("Set a real model in agent.ts for real answers.".to_owned());
    }
    format!("{LABEL}{}", parts.join(" "))
}

/// A result as a reader would want it: fields by name, texts as they are.
fn prose(output: &str) -> String {
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
            let field = |(name, value): (&String, &Value)| format!("{} {}", readable(name), prose_of(value));
            fields.iter().map(field).collect::<Vec<_>>().join(", ")
        }
    }
}

/// A name as words: `walkMinutes` is "walk minutes".
fn readable(name: &str) -> String {
    words::all(name).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
