//! What a request is, whatever protocol renders it.

use std::collections::{BTreeMap, BTreeSet};

use openeve_domain::ids::ToolCallId;
use openeve_domain::manifest::{Reasoning, ToolSpec};
use openeve_domain::transcript::{Message, ToolCall};
use serde_json::Value;

use super::names::hex;
use super::{Aliases, Endpoint, Header, Protocol, openai_chat};

/// The length of a call id that we make; the only one that Mistral takes.
pub(super) const CALL_ID_CHARS: usize = 9;

/// What a request says beside the transcript.
#[derive(Debug, Clone, Copy)]
pub struct Config<'a> {
    /// Where it goes.
    pub endpoint: &'a Endpoint,
    /// The system message; left out if blank.
    pub system: &'a str,
    /// How hard the model thinks.
    ///
    /// `medium`, the default, and `off` send nothing: models without reasoning refuse the field,
    /// and those with it differ in how it is switched off. The other levels are sent as the protocol
    /// has them; a model that does not take one says so in a `model_bad_request`.
    pub reasoning: Reasoning,
}

/// A rendered request: `POST` it to the base URL and the path.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The path behind the base URL.
    pub path: String,
    /// Headers; the key's is marked sensitive.
    pub headers: Vec<Header>,
    /// The JSON body.
    pub body: Value,
    /// The names on the wire; the answer's decoder needs them.
    pub aliases: Aliases,
}

/// Renders a request in the endpoint's protocol. The messages must be paired, as
/// `transcript::assemble` returns them. The same arguments give the same bytes.
pub fn build_request(config: Config<'_>, messages: &[Message<'_>], tools: &[&ToolSpec]) -> Request {
    match config.endpoint.protocol {
        Protocol::OpenAiChat => openai_chat::build(config, messages, tools),
    }
}

/// The names on the wire of every tool that is offered or was called.
pub(super) fn aliases(messages: &[Message<'_>], tools: &[&ToolSpec]) -> Aliases {
    let called = calls(messages).map(|call| call.name.as_str());
    Aliases::new(tools.iter().map(|tool| tool.name.as_str()).chain(called))
}

/// The provider's own id where it is acceptable and new in this request, else one of ours.
pub(super) fn call_ids(
    messages: &[Message<'_>],
    is_acceptable: impl Fn(&str) -> bool,
) -> BTreeMap<ToolCallId, String> {
    let mut used = BTreeSet::new();
    let mut ids = BTreeMap::new();
    for call in calls(messages) {
        let mut id = call.provider_call_id.clone();
        let mut salt = 0_u32;
        while !is_acceptable(&id) || !used.insert(id.clone()) {
            id = hex(&format!("{salt}:{}", call.id), CALL_ID_CHARS);
            salt += 1;
        }
        ids.insert(call.id, id);
    }
    ids
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
