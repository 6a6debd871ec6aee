//! Renders a request.
//!
//! Repairs at the wire, never in the log: blank assistant text becomes `null`, trailing blanks are
//! cut (public case B8), arguments that are no JSON object are sent as `{}` because servers that
//! parse them would refuse the whole history for good (the error result beside tells the model
//! what was wrong), and call ids are made unique and acceptable in both places they occur.

use std::collections::{BTreeMap, BTreeSet};

use openeve_domain::ids::ToolCallId;
use openeve_domain::manifest::{Reasoning, ToolSpec};
use openeve_domain::transcript::{Message, ToolCall};
use serde_json::{Map, Value, json};

use super::names::hex;
use super::{Aliases, reasoning};
use crate::models::{Endpoint, Header};

/// The path behind the base URL.
pub const PATH: &str = "/chat/completions";

/// The longest call id that every provider takes back.
const CALL_ID_CHARS_MAX: usize = 40;
/// The only length Mistral takes.
const CALL_ID_CHARS_MISTRAL: usize = 9;

/// What a request says beside the transcript.
#[derive(Debug, Clone, Copy)]
pub struct ChatConfig<'a> {
    /// Where it goes.
    pub endpoint: &'a Endpoint,
    /// The system message; left out if blank.
    pub system: &'a str,
    /// How hard the model thinks.
    ///
    /// `medium`, the default, and `off` send nothing: models without reasoning refuse the field,
    /// and those with it differ in how it is switched off. The other levels send
    /// `reasoning_effort`; a model that does not take it says so in a `model_bad_request`.
    pub reasoning: Reasoning,
}

/// A rendered request: `POST` it to the base URL and [`PATH`].
#[derive(Debug, Clone, PartialEq)]
pub struct ChatRequest {
    /// Headers; the key's is marked sensitive.
    pub headers: Vec<Header>,
    /// The JSON body.
    pub body: Value,
    /// The names on the wire; the answer's decoder needs them.
    pub aliases: Aliases,
}

/// Renders a request. The messages must be paired, as `transcript::assemble` returns them.
pub fn build_request(
    config: ChatConfig<'_>,
    messages: &[Message<'_>],
    tools: &[&ToolSpec],
) -> ChatRequest {
    let endpoint = config.endpoint;
    let called = calls(messages).map(|call| call.name.as_str());
    let aliases = Aliases::new(tools.iter().map(|tool| tool.name.as_str()).chain(called));
    let wire = Wire {
        endpoint,
        aliases: &aliases,
        ids: call_ids(endpoint, messages),
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
    ChatRequest {
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

fn calls<'a>(messages: &'a [Message<'a>]) -> impl Iterator<Item = &'a ToolCall> {
    messages
        .iter()
        .flat_map(|message| match message {
            Message::Assistant { calls, .. } => calls.as_slice(),
            Message::User { .. } | Message::ToolResult { .. } => &[],
        })
        .copied()
}

/// The provider's own id where it is acceptable and new in this request, else one of ours.
fn call_ids(endpoint: &Endpoint, messages: &[Message<'_>]) -> BTreeMap<ToolCallId, String> {
    let mut used = BTreeSet::new();
    let mut ids = BTreeMap::new();
    for call in calls(messages) {
        let mut id = call.provider_call_id.clone();
        let mut salt = 0_u32;
        while !is_acceptable(endpoint, &id) || !used.insert(id.clone()) {
            id = hex(&format!("{salt}:{}", call.id), CALL_ID_CHARS_MISTRAL);
            salt += 1;
        }
        ids.insert(call.id, id);
    }
    ids
}

fn is_acceptable(endpoint: &Endpoint, id: &str) -> bool {
    if endpoint.provider == "mistral" {
        return id.len() == CALL_ID_CHARS_MISTRAL && id.chars().all(|c| c.is_ascii_alphanumeric());
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
