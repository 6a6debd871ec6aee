//! Decides what the demo model says: pure, deterministic, and no intelligence at all.
//!
//! It compares words. A tool whose name, description and enum values share enough words with the
//! last user message is called once, provided each required argument can be found in the message
//! or in what earlier tools returned. That is how one call comes to wait for another: a time that
//! nobody mentioned appears once a tool has answered. When nothing is left to call, the results
//! are quoted in prose; a message that lacks an argument is answered with words it understands.

mod ask;
mod day;
mod fill;
mod find;
mod names;
mod prose;
mod score;
mod topic;
mod words;

use jiff::Timestamp;
use serde_json::Value;

use self::ask::{Missing, ask};
use self::fill::Sources;
use self::prose::{prose, readable};
use self::score::{faint_score, score};
use self::words::{widened, words};

/// Begins everything the demo model says, so that nobody takes it for a real one.
pub(super) const LABEL: &str = "[demo model] ";

/// Calls of one answer at most.
const STEP_CALLS_MAX: usize = 2;
/// Calls for one user message at most.
const TURN_CALLS_MAX: usize = 6;

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
    let outputs: Vec<&str> = turn
        .results
        .iter()
        .map(|(_, output)| output.as_str())
        .collect();
    let fresh: Vec<&Tool<'_>> = tools
        .iter()
        .filter(|tool| turn.calls.iter().all(|(_, name)| name != tool.name))
        .collect();
    let mut wanted = ranked(&fresh, |tool| score(tool, &heard));
    if wanted.is_empty() && turn.calls.is_empty() {
        wanted = ranked(&fresh, |tool| faint_score(tool, &said));
        wanted.truncate(1);
    }

    let sources = Sources {
        message: &turn.message,
        words: &said,
        outputs: &outputs,
        now,
    };
    let room = TURN_CALLS_MAX
        .saturating_sub(turn.calls.len())
        .min(STEP_CALLS_MAX);
    let mut calls = Vec::new();
    let mut missing = Vec::new();
    for tool in wanted {
        match sources.arguments(tool.schema, &tool.words()) {
            Ok(each) => calls.extend(
                each.into_iter()
                    .map(|arguments| (tool.name.to_owned(), arguments)),
            ),
            Err(parameters) => missing.push((tool.name, parameters)),
        }
    }
    calls.truncate(room);
    if calls.is_empty() {
        Decision::Say(answer(&turn, &tools, &missing))
    } else {
        Decision::Call(calls)
    }
}

/// The tools that score, best first.
fn ranked<'a>(
    tools: &[&'a Tool<'a>],
    score: impl Fn(&Tool<'_>) -> Option<u32>,
) -> Vec<&'a Tool<'a>> {
    let mut scored: Vec<(u32, &Tool<'_>)> = tools
        .iter()
        .filter_map(|tool| score(tool).map(|score| (score, *tool)))
        .collect();
    scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    scored.into_iter().map(|(_, tool)| tool).collect()
}

fn read(messages: &[Value]) -> Turn {
    let mut turn = Turn::default();
    for message in messages {
        match message.get("role").and_then(Value::as_str) {
            Some("user") => {
                turn = Turn {
                    message: text_of(message.get("content")),
                    ..Turn::default()
                };
            }
            Some("assistant") => {
                for call in message
                    .get("tool_calls")
                    .and_then(Value::as_array)
                    .into_iter()
                    .flatten()
                {
                    let text = |pointer: &str| {
                        call.pointer(pointer)
                            .and_then(Value::as_str)
                            .unwrap_or_default()
                    };
                    turn.calls
                        .push((text("/id").to_owned(), text("/function/name").to_owned()));
                }
            }
            Some("tool") => {
                let id = message
                    .get("tool_call_id")
                    .and_then(Value::as_str)
                    .unwrap_or_default();
                turn.results
                    .push((id.to_owned(), text_of(message.get("content"))));
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
            let texts = parts
                .iter()
                .filter_map(|part| part.get("text").and_then(Value::as_str));
            texts.collect::<Vec<_>>().join(" ")
        }
        _ => String::new(),
    }
}

fn tool(tool: &Value) -> Option<Tool<'_>> {
    let function = tool.get("function")?;
    Some(Tool {
        name: function.get("name")?.as_str()?,
        description: function
            .get("description")
            .and_then(Value::as_str)
            .unwrap_or_default(),
        schema: function.get("parameters").unwrap_or(&Value::Null),
    })
}

fn answer(turn: &Turn, tools: &[Tool<'_>], missing: &[(&str, Vec<Missing>)]) -> String {
    let mut parts = Vec::new();
    for (id, output) in &turn.results {
        let name = turn
            .calls
            .iter()
            .find(|(call, _)| call == id)
            .map_or("a tool", |(_, name)| name.as_str());
        parts.push(format!("{} says: {}.", readable(name), prose(output)));
    }
    if let (true, Some((tool, parameters))) = (parts.is_empty(), missing.first()) {
        parts.push(ask(tool, parameters));
    } else if parts.is_empty() {
        parts.push("I am a small stand-in that runs offline and only matches words.".to_owned());
        let names: Vec<&str> = tools.iter().map(|tool| tool.name).collect();
        if names.is_empty() {
            parts.push("This agent has no tools.".to_owned());
        } else {
            parts.push(format!(
                "Ask for something that one of these tools does: {}.",
                names.join(", ")
            ));
        }
        parts.push("Set OPENEVE_MODEL_API_KEY to use the agent's own model instead.".to_owned());
    }
    format!("{LABEL}{}", parts.join(" "))
}

#[cfg(test)]
mod tests;
