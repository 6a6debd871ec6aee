//! A reply as a provider words it: one object, or a stream of chunks cut where providers cut.

use bytes::Bytes;
use serde_json::{Value, json};

use super::{Fault, Reply, event};

/// The answer to a request that did not ask for a stream.
pub(super) fn whole(request: &Value, number: usize, reply: &Reply) -> Value {
    let calls: Vec<Value> = reply
        .calls
        .iter()
        .map(|call| {
            let function = json!({"name": call.name, "arguments": call.arguments});
            json!({"id": call.id, "type": "function", "function": function})
        })
        .collect();
    let mut message = json!({"role": "assistant", "content": reply.text});
    if !calls.is_empty() {
        message["tool_calls"] = Value::Array(calls);
    }
    let choice = json!({"index": 0, "message": message, "finish_reason": finish_reason(reply)});
    let mut answer = envelope(request, number, "chat.completion");
    answer["choices"] = json!([choice]);
    answer["usage"] = usage(reply);
    answer
}

/// The events of a stream, faults included except the closing itself.
pub(super) fn events(request: &Value, number: usize, reply: &Reply) -> Vec<Bytes> {
    let chunk = |delta: &Value, finish_reason: Value| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": finish_reason});
        let mut chunk = envelope(request, number, "chat.completion.chunk");
        chunk["choices"] = json!([choice]);
        event(&chunk.to_string())
    };
    let mut events: Vec<Bytes> = deltas(reply)
        .iter()
        .map(|delta| chunk(delta, Value::Null))
        .collect();
    match &reply.fault {
        Some(Fault::ErrorInStream(message)) => {
            let error = json!({"error": {"message": message, "type": "server_error"}});
            events.push(event(&error.to_string()));
        }
        Some(Fault::CloseAfter(count)) => events.truncate(*count),
        Some(Fault::Status(..)) | None => {
            events.push(chunk(&json!({}), finish_reason(reply).into()));
            if request["stream_options"]["include_usage"] == true {
                let mut last = envelope(request, number, "chat.completion.chunk");
                last["choices"] = json!([]);
                last["usage"] = usage(reply);
                events.push(event(&last.to_string()));
            }
            events.push(event("[DONE]"));
        }
    }
    events
}

/// The role, the text by words, then each call: its name first, its arguments in halves.
fn deltas(reply: &Reply) -> Vec<Value> {
    let mut deltas = vec![json!({"role": "assistant", "content": ""})];
    deltas.extend(
        reply
            .text
            .split_inclusive(' ')
            .map(|word| json!({"content": word})),
    );
    for (index, call) in reply.calls.iter().enumerate() {
        let function = json!({"name": call.name, "arguments": ""});
        let head = json!({"index": index, "id": call.id, "type": "function", "function": function});
        deltas.push(json!({"tool_calls": [head]}));
        let middle = call.arguments.floor_char_boundary(call.arguments.len() / 2);
        let (first, second) = call.arguments.split_at(middle);
        for part in [first, second].into_iter().filter(|part| !part.is_empty()) {
            let part = json!({"index": index, "function": {"arguments": part}});
            deltas.push(json!({"tool_calls": [part]}));
        }
    }
    deltas
}

fn envelope(request: &Value, number: usize, object: &str) -> Value {
    json!({
        "id": format!("chatcmpl-{number}"),
        "object": object,
        "created": 0,
        "model": request["model"],
    })
}

fn usage(reply: &Reply) -> Value {
    let (prompt, completion) = reply.usage;
    json!({
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
    })
}

fn finish_reason(reply: &Reply) -> &str {
    let natural = if reply.calls.is_empty() {
        "stop"
    } else {
        "tool_calls"
    };
    reply.finish_reason.as_deref().unwrap_or(natural)
}
