//! Renders a request.
//!
//! Repairs at the wire, never in the log: blank assistant text becomes `null`, trailing blanks are
//! cut (public case B8), arguments that are no JSON object are sent as `{}` because servers that
//! parse them would refuse the whole history for good (the error result beside tells the model
//! what was wrong), and call ids are made unique and acceptable in both places they occur.

use std::collections::BTreeMap;

use openeve_domain::ids::ToolCallId;
use openeve_domain::manifest::{Reasoning, ToolSpec};
use openeve_domain::transcript::{Message, ToolCall};
use serde_json::{Map, Value, json};

use super::reasoning;
use crate::models::request::{CALL_ID_CHARS, Config, Request, aliases, call_ids};
use crate::models::{Aliases, Endpoint, Header};

/// The path behind the base URL.
const PATH: &str = "/chat/completions";

/// The longest call id that every provider takes back.
const CALL_ID_CHARS_MAX: usize = 40;
/// Renders a request.
pub(in crate::models) fn build(
    config: Config<'_>,
    messages: &[Message<'_>],
    tools: &[&ToolSpec],
) -> Request {
    let endpoint = config.endpoint;
    let aliases = aliases(messages, tools);
    let wire = Wire {
        aliases: &aliases,
        ids: call_ids(messages, |id| is_acceptable(endpoint, id)),
        endpoint,
    };
    let mut body = Map::new();
    body.insert("model".into(), endpoint.model.as_str().into());
    body.insert(
        "messages".into(),
        wire.messages(config.system, messages).into(),
    );
    body.insert("stream".into(), true.into());
    // Mistral sends usage unasked and refuses fields it does not know.
    if endpoint.provider != "mistral" {
        body.insert("stream_options".into(), json!({"include_usage": true}));
    }
    if !tools.is_empty() {
        body.insert(
            "tools".into(),
            tools.iter().map(|tool| wire.tool(tool)).collect(),
        );
    }
    if let Some(effort) = effort(config.reasoning) {
        body.insert("reasoning_effort".into(), effort.into());
    }
    Request {
        path: PATH.to_owned(),
        headers: headers(endpoint),
        body: Value::Object(body),
        aliases,
    }
}

fn headers(endpoint: &Endpoint) -> Vec<Header> {
    let mut headers = vec![
        Header::plain("content-type", "application/json"),
        Header::plain("accept", "text/event-stream"),
    ];
    if let Some(key) = &endpoint.api_key {
        // A key read from a file often ends in a line feed, which no header may hold.
        headers.push(Header::sensitive(
            "authorization",
            format!("Bearer {}", key.reveal().trim()),
        ));
    }
    headers
}

const fn effort(reasoning: Reasoning) -> Option<&'static str> {
    match reasoning {
        Reasoning::Off | Reasoning::Medium => None,
        Reasoning::Minimal => Some("minimal"),
        Reasoning::Low => Some("low"),
        Reasoning::High => Some("high"),
        Reasoning::Xhigh => Some("xhigh"),
    }
}

fn is_acceptable(endpoint: &Endpoint, id: &str) -> bool {
    if endpoint.provider == "mistral" {
        return id.len() == CALL_ID_CHARS && id.chars().all(|c| c.is_ascii_alphanumeric());
    }
    (1..=CALL_ID_CHARS_MAX).contains(&id.len())
        && id
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
}

struct Wire<'a> {
    endpoint: &'a Endpoint,
    aliases: &'a Aliases,
    ids: BTreeMap<ToolCallId, String>,
}

impl Wire<'_> {
    fn messages(&self, system: &str, messages: &[Message<'_>]) -> Vec<Value> {
        let mut out = Vec::with_capacity(messages.len() + 1);
        if !system.trim().is_empty() {
            out.push(json!({"role": "system", "content": system}));
        }
        for message in messages {
            match message {
                Message::User { text } => out.push(json!({"role": "user", "content": text})),
                Message::Assistant { text, calls, extra } => {
                    out.extend(self.assistant(text, calls, extra));
                }
                Message::ToolResult { call, output } => out.push(json!({
                    "role": "tool",
                    "tool_call_id": self.id(call),
                    "content": output,
                })),
            }
        }
        out
    }

    /// None for an answer that said nothing: no provider takes such a message.
    fn assistant(&self, text: &str, calls: &[&ToolCall], extra: &Value) -> Option<Value> {
        let text = text.trim_end();
        if text.is_empty() && calls.is_empty() {
            return None;
        }
        let mut message = Map::new();
        message.insert("role".into(), "assistant".into());
        message.insert(
            "content".into(),
            if text.is_empty() {
                Value::Null
            } else {
                text.into()
            },
        );
        if !calls.is_empty() {
            message.insert(
                "tool_calls".into(),
                calls.iter().map(|call| self.call(call)).collect(),
            );
        }
        reasoning::give_back(extra, &self.endpoint.origin(), &mut message);
        Some(Value::Object(message))
    }

    fn call(&self, call: &ToolCall) -> Value {
        json!({
            "id": self.id(call),
            "type": "function",
            "function": {"name": self.aliases.wire(&call.name), "arguments": arguments(&call.arguments)},
        })
    }

    fn id<'a>(&'a self, call: &'a ToolCall) -> &'a str {
        self.ids
            .get(&call.id)
            .map_or(call.provider_call_id.as_str(), String::as_str)
    }

    fn tool(&self, tool: &ToolSpec) -> Value {
        json!({
            "type": "function",
            "function": {
                "name": self.aliases.wire(&tool.name),
                "description": tool.description,
                "parameters": parameters(&tool.input_schema),
            },
        })
    }
}

fn arguments(arguments: &str) -> &str {
    let is_object = serde_json::from_str::<Map<String, Value>>(arguments).is_ok();
    if is_object { arguments } else { "{}" }
}

/// The schema with what providers insist on: an object type and a list of properties.
fn parameters(schema: &Value) -> Value {
    let mut schema = schema.as_object().cloned().unwrap_or_default();
    schema.remove("$schema");
    schema.entry("type").or_insert_with(|| "object".into());
    schema.entry("properties").or_insert_with(|| json!({}));
    Value::Object(schema)
}
