//! The protocol against public cases and against traffic recorded from real servers.

use openeve_domain::run::model_failed::ModelFailure;
use openeve_domain::secret::Secret;

use crate::models::{
    Aliases, Completion, Config, Decoder, Delta, Endpoint, Protocol, Request, Stop, build_request,
    classify_error,
};

mod calls;
mod content;
mod errors;
mod recorded;
mod request;
mod retries;
mod stream;

const KEY: &str = "sk-live-0123456789";

fn endpoint_of(provider: &str) -> Endpoint {
    Endpoint {
        provider: provider.into(),
        model: "gpt-x".into(),
        base_url: "https://api.example.com/v1".into(),
        protocol: Protocol::OpenAiChat,
        api_key: Some(Secret::new(KEY)),
    }
}

fn endpoint() -> Endpoint {
    endpoint_of("openai")
}

/// Decodes chunks and also returns the text that was shown on the way.
fn decode_chunks<'a>(
    chunks: impl IntoIterator<Item = &'a [u8]>,
    names: &[&str],
) -> (Result<Completion, ModelFailure>, String) {
    let mut decoder = Decoder::new(&endpoint(), Aliases::new(names.iter().copied()));
    let mut shown = String::new();
    for chunk in chunks {
        for Delta::Text(text) in decoder.feed(chunk).unwrap_or_default() {
            shown.push_str(&text);
        }
    }
    (decoder.finish(), shown)
}

/// Decodes a body one byte per chunk (public case C2) and insists that whole is the same.
fn decode(body: &str) -> Result<Completion, ModelFailure> {
    let (by_byte, _) = decode_chunks(body.as_bytes().chunks(1), &[]);
    let (whole, _) = decode_chunks([body.as_bytes()], &[]);
    assert_eq!(by_byte, whole);
    whole
}

/// A stream of these chunks, closed by `[DONE]`.
fn stream(chunks: &[&str]) -> String {
    let events = chunks.iter().map(|chunk| format!("data: {chunk}\n\n"));
    events
        .chain(["data: [DONE]\n\n".to_owned()])
        .collect::<Vec<_>>()
        .concat()
}

/// A chunk with this delta.
fn delta(delta: &str) -> String {
    format!(r#"{{"choices":[{{"index":0,"delta":{delta},"finish_reason":null}}]}}"#)
}

/// The chunk that ends an answer.
fn end(reason: &str) -> String {
    format!(r#"{{"choices":[{{"index":0,"delta":{{}},"finish_reason":"{reason}"}}]}}"#)
}

/// A chunk with more text.
fn text(text: &str) -> String {
    delta(&serde_json::json!({"content": text}).to_string())
}
