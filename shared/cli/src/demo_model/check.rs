//! Refuses what the real API refuses, in its words.

use std::collections::BTreeSet;

use axum::http::{HeaderMap, header};
use serde_json::{Value, json};

/// A refused request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    /// The HTTP status.
    pub(super) status: u16,
    message: String,
    parameter: Option<String>,
}

impl Refusal {
    /// A refusal that concerns no parameter.
    pub(super) fn new(status: u16, message: impl Into<String>) -> Self {
        Self {
            status,
            message: message.into(),
            parameter: None,
        }
    }

    /// The body, as OpenAI writes it.
    pub(super) fn body(&self) -> Value {
        json!({"error": {
            "message": self.message,
            "type": "invalid_request_error",
            "param": self.parameter,
            "code": null,
        }})
    }

    fn of(parameter: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            status: 400,
            message: message.into(),
            parameter: Some(parameter.into()),
        }
    }
}

/// A request that was checked.
#[derive(Debug)]
pub(super) struct Request(Value);

impl Request {
    /// The messages; at least one.
    pub(super) fn messages(&self) -> &[Value] {
        list(&self.0, "messages")
    }

    /// The tools, if any.
    pub(super) fn tools(&self) -> &[Value] {
        list(&self.0, "tools")
    }

    /// The model's name, as the caller writes it.
    pub(super) fn model(&self) -> &str {
        text(&self.0, "/model")
    }

    /// Whether the answer is to stream.
    pub(super) fn wants_stream(&self) -> bool {
        self.0
            .get("stream")
            .and_then(Value::as_bool)
            .unwrap_or(false)
    }

    /// Whether a stream is to end with what it cost.
    pub(super) fn wants_usage(&self) -> bool {
        self.0
            .pointer("/stream_options/include_usage")
            .and_then(Value::as_bool)
            .unwrap_or(false)
    }
}

/// Wants a key, and takes any.
pub(super) fn key(headers: &HeaderMap) -> Result<(), Refusal> {
    let value = headers
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let has_key = value
        .strip_prefix("Bearer ")
        .is_some_and(|key| !key.trim().is_empty());
    if has_key {
        return Ok(());
    }
    Err(Refusal::new(
        401,
        "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer \
         auth (i.e. Authorization: Bearer YOUR_KEY).",
    ))
}

/// Checks a body.
pub(super) fn request(body: &[u8]) -> Result<Request, Refusal> {
    let parsed = serde_json::from_slice::<Value>(body);
    let request = parsed
        .ok()
        .filter(Value::is_object)
        .ok_or_else(|| Refusal::new(400, "We could not parse the JSON body of your request."))?;
    if text(&request, "/model").is_empty() {
        return Err(Refusal::new(400, "you must provide a model parameter"));
    }
    if list(&request, "messages").is_empty() {
        return Err(Refusal::of(
            "messages",
            "Missing required parameter: 'messages'.",
        ));
    }
    tools(list(&request, "tools"))?;
    messages(list(&request, "messages"))?;
    Ok(Request(request))
}

fn tools(tools: &[Value]) -> Result<(), Refusal> {
    for (at, tool) in tools.iter().enumerate() {
        name(
            &format!("tools[{at}].function.name"),
            text(tool, "/function/name"),
        )?;
        let schema = tool.pointer("/function/parameters");
        if schema.is_some_and(|schema| text(schema, "/type") != "object") {
            return Err(Refusal::of(
                format!("tools[{at}].function.parameters"),
                format!(
                    "Invalid schema for function '{}': schema must be a JSON Schema of 'type: \"object\"'.",
                    text(tool, "/function/name")
                ),
            ));
        }
    }
    Ok(())
}

fn name(parameter: &str, name: &str) -> Result<(), Refusal> {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if name.is_empty() || !name.chars().all(is_allowed) {
        let said = "string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.";
        return Err(Refusal::of(
            parameter,
            format!("Invalid '{parameter}': {said}"),
        ));
    }
    if name.len() > 64 {
        let said = format!(
            "string too long. Expected a string with maximum length 64, but got {}.",
            name.len()
        );
        return Err(Refusal::of(
            parameter,
            format!("Invalid '{parameter}': {said}"),
        ));
    }
    Ok(())
}

/// Each call must be answered right behind its message, and nothing else may be.
fn messages(messages: &[Value]) -> Result<(), Refusal> {
    let mut open: BTreeSet<&str> = BTreeSet::new();
    for (at, message) in messages.iter().enumerate() {
        let role = text(message, "/role");
        if role == "tool" {
            if !open.remove(text(message, "/tool_call_id")) {
                return Err(Refusal::of(
                    format!("messages.[{at}].role"),
                    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with \
                     'tool_calls'.",
                ));
            }
            continue;
        }
        answered(&open)?;
        match role {
            "system" | "developer" | "user" => content(at, message)?,
            "assistant" => {
                let calls = list(message, "tool_calls");
                if calls.is_empty() {
                    content(at, message)?;
                }
                for (number, call) in calls.iter().enumerate() {
                    name(
                        &format!("messages[{at}].tool_calls[{number}].function.name"),
                        text(call, "/function/name"),
                    )?;
                    open.insert(text(call, "/id"));
                }
            }
            other => {
                return Err(Refusal::of(
                    format!("messages[{at}].role"),
                    format!(
                        "Invalid value: '{other}'. Supported values are: 'system', 'assistant', 'user', 'tool', and \
                         'developer'."
                    ),
                ));
            }
        }
    }
    answered(&open)
}

fn answered(open: &BTreeSet<&str>) -> Result<(), Refusal> {
    if open.is_empty() {
        return Ok(());
    }
    let ids: Vec<&str> = open.iter().copied().collect();
    Err(Refusal::of(
        "messages",
        format!(
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each \
             'tool_call_id'. The following tool_call_ids did not have response messages: {}",
            ids.join(", ")
        ),
    ))
}

fn content(at: usize, message: &Value) -> Result<(), Refusal> {
    match message.get("content") {
        Some(Value::String(_)) => Ok(()),
        Some(Value::Array(parts)) if !parts.is_empty() => Ok(()),
        _ => Err(Refusal::of(
            format!("messages.[{at}].content"),
            "Invalid value for 'content': expected a string, got null.",
        )),
    }
}

fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value
        .pointer(pointer)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value
        .get(key)
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default()
}
