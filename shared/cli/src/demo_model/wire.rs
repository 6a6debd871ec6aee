//! Renders an answer as OpenAI sends it: word by word, calls in pieces, usage, `[DONE]`.

use std::fmt::Write;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::brain::Decision;
use super::check::Request;

/// Characters of arguments in one piece.
const PIECE_CHARS: usize = 6;

/// One answer. The same request gives the same bytes.
pub(super) struct Answer<'a> {
    request: &'a Request,
    /// Digits from the request's hash; ids are made of them.
    mark: String,
    decision: Decision,
    usage: Value,
}

impl<'a> Answer<'a> {
    /// Prepares the answer to a request with this body.
    pub(super) fn new(request: &'a Request, body: &[u8], decision: Decision) -> Self {
        let mut mark = String::new();
        for byte in Sha256::digest(body).iter().take(6) {
            // Writing to a string cannot fail.
            let _ = write!(mark, "{byte:02x}");
        }
        let usage = usage(body.len(), &decision);
        Self {
            request,
            mark,
            decision,
            usage,
        }
    }

    /// The answer as one body.
    pub(super) fn whole(&self) -> Value {
        let (message, finish) = match &self.decision {
            Decision::Say(text) => (
                json!({"role": "assistant", "content": text, "refusal": null}),
                "stop",
            ),
            Decision::Call(calls) => {
                let calls: Vec<Value> = calls
                    .iter()
                    .enumerate()
                    .map(|(at, (name, arguments))| self.call(at, name, &arguments.to_string()))
                    .collect();
                (
                    json!({"role": "assistant", "content": null, "tool_calls": calls, "refusal": null}),
                    "tool_calls",
                )
            }
        };
        json!({
            "id": self.id(),
            "object": "chat.completion",
            "created": 0,
            "model": self.request.model(),
            "choices": [{"index": 0, "message": message, "logprobs": null, "finish_reason": finish}],
            "usage": self.usage,
        })
    }

    /// The answer as server-sent events.
    pub(super) fn events(&self) -> Vec<String> {
        let mut chunks = Vec::new();
        let finish = match &self.decision {
            Decision::Say(text) => {
                chunks.push(
                    self.delta(&json!({"role": "assistant", "content": "", "refusal": null})),
                );
                chunks.extend(
                    text.split_inclusive(' ')
                        .map(|word| self.delta(&json!({"content": word}))),
                );
                "stop"
            }
            Decision::Call(calls) => {
                chunks.push(self.delta(&json!({"role": "assistant", "content": null})));
                for (at, (name, arguments)) in calls.iter().enumerate() {
                    chunks.extend(self.call_deltas(at, name, &arguments.to_string()));
                }
                "tool_calls"
            }
        };
        chunks.push(self.chunk(
            &json!([{"index": 0, "delta": {}, "logprobs": null, "finish_reason": finish}]),
            &Value::Null,
        ));
        if self.request.wants_usage() {
            chunks.push(self.chunk(&json!([]), &self.usage));
        }
        let mut events: Vec<String> = chunks
            .iter()
            .map(|chunk| format!("data: {chunk}\n\n"))
            .collect();
        events.push("data: [DONE]\n\n".to_owned());
        events
    }

    fn call_deltas(&self, at: usize, name: &str, arguments: &str) -> Vec<Value> {
        let id = self.call_id(at);
        let function = json!({"name": name, "arguments": ""});
        let begin = json!({"index": at, "id": id, "type": "function", "function": function});
        let mut deltas = vec![self.delta(&json!({"tool_calls": [begin]}))];
        let characters: Vec<char> = arguments.chars().collect();
        for piece in characters.chunks(PIECE_CHARS) {
            let piece: String = piece.iter().collect();
            deltas.push(
                self.delta(
                    &json!({"tool_calls": [{"index": at, "function": {"arguments": piece}}]}),
                ),
            );
        }
        deltas
    }

    fn call(&self, at: usize, name: &str, arguments: &str) -> Value {
        json!({
            "id": self.call_id(at),
            "type": "function",
            "function": {"name": name, "arguments": arguments},
        })
    }

    fn call_id(&self, at: usize) -> String {
        format!("call_{}{at}", self.mark)
    }

    fn delta(&self, delta: &Value) -> Value {
        let choice = json!({"index": 0, "delta": delta, "logprobs": null, "finish_reason": null});
        self.chunk(&json!([choice]), &Value::Null)
    }

    fn chunk(&self, choices: &Value, usage: &Value) -> Value {
        json!({
            "id": self.id(),
            "object": "chat.completion.chunk",
            "created": 0,
            "model": self.request.model(),
            "choices": choices,
            "usage": usage,
        })
    }

    fn id(&self) -> String {
        format!("chatcmpl-demo-{}", self.mark)
    }
}

/// A guess at tokens: four bytes each.
fn usage(request_bytes: usize, decision: &Decision) -> Value {
    let answer_bytes = match decision {
        Decision::Say(text) => text.len(),
        Decision::Call(calls) => calls
            .iter()
            .map(|(name, arguments)| name.len() + arguments.to_string().len())
            .sum(),
    };
    let (prompt, completion) = (request_bytes / 4 + 1, answer_bytes / 4 + 1);
    json!({
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": {"cached_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0},
    })
}
