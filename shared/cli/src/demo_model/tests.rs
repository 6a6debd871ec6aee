//! The demo model over a real socket, read with our own decoder.

use openeve_domain::run::begin_batch::CallRequest;
use openeve_integrations::models::{
    Aliases, Completion, Decoder, Endpoint, Protocol, Stop, classify_error,
};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::*;

fn endpoint() -> Endpoint {
    Endpoint {
        provider: "openai".into(),
        model: MODEL.into(),
        base_url: "http://localhost/v1".into(),
        protocol: Protocol::OpenAiChat,
        api_key: None,
    }
}

fn now() -> Timestamp {
    Timestamp::UNIX_EPOCH
}

/// Sends one request and returns status and body.
async fn send(head: &str, body: &str) -> (u16, Vec<u8>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = tokio::spawn(serve(listener, now));
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!(
        "{head}host: x\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut response = Vec::new();
    stream.read_to_end(&mut response).await.unwrap();
    server.abort();
    let at = response
        .windows(4)
        .position(|window| window == b"\r\n\r\n")
        .unwrap();
    let head = String::from_utf8(response[..at].to_vec())
        .unwrap()
        .to_lowercase();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let body = &response[at + 4..];
    (
        status,
        if head.contains("transfer-encoding: chunked") {
            unchunked(body)
        } else {
            body.to_vec()
        },
    )
}

fn unchunked(mut rest: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    loop {
        let at = rest
            .windows(2)
            .position(|window| window == b"\r\n")
            .unwrap();
        let length = usize::from_str_radix(std::str::from_utf8(&rest[..at]).unwrap(), 16).unwrap();
        if length == 0 {
            return body;
        }
        body.extend_from_slice(&rest[at + 2..at + 2 + length]);
        rest = &rest[at + 4 + length..];
    }
}

const HEAD: &str = "POST /v1/chat/completions HTTP/1.1\r\nauthorization: Bearer any\r\n";

async fn completion(request: &Value) -> Completion {
    let (status, body) = send(HEAD, &request.to_string()).await;
    assert_eq!(status, 200, "{}", String::from_utf8_lossy(&body));
    let mut decoder = Decoder::new(&endpoint(), Aliases::default());
    decoder.feed(&body).unwrap();
    decoder.finish().unwrap()
}

fn question(stream: bool) -> Value {
    json!({
        "model": MODEL,
        "stream": stream,
        "stream_options": {"include_usage": true},
        "messages": [{"role": "user", "content": "When does the spa open?"}],
        "tools": [{"type": "function", "function": {
            "name": "opening_hours",
            "description": "Says when a place opens.",
            "parameters": {"type": "object", "properties": {"place": {"enum": ["spa", "pool"]}}, "required": ["place"]},
        }}],
    })
}

#[tokio::test]
async fn a_call_and_an_answer_come_over_the_wire_streamed_or_not() {
    for stream in [true, false] {
        let mut request = question(stream);
        let asked = completion(&request).await;
        assert_eq!(asked.finish, Stop::Calls);
        let [
            CallRequest {
                provider_call_id,
                name,
                arguments,
            },
        ] = asked.calls.as_slice()
        else {
            panic!("one call is expected")
        };
        assert_eq!(
            (name.as_str(), arguments.as_str()),
            ("opening_hours", r#"{"place":"spa"}"#)
        );
        assert!(
            asked
                .usage
                .is_some_and(|usage| usage.input_tokens > 0 && usage.output_tokens > 0)
        );

        let messages = request["messages"].as_array_mut().unwrap();
        let function = json!({"name": name, "arguments": arguments});
        let call = json!({"id": provider_call_id, "type": "function", "function": function});
        messages.push(json!({"role": "assistant", "content": null, "tool_calls": [call]}));
        messages.push(
            json!({"role": "tool", "tool_call_id": provider_call_id, "content": "From 10:00."}),
        );
        let answer = completion(&request).await;
        assert_eq!(answer.text, "[demo model] opening hours says: From 10:00.");
        assert_eq!(answer.finish, Stop::Done);
    }
}

async fn refusal(head: &str, request: &Value) -> (u16, String) {
    let (status, body) = send(head, &request.to_string()).await;
    let failure = classify_error(&endpoint(), status, &HeaderMap::new(), &body, now());
    let body: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(body["error"]["type"], "invalid_request_error");
    (status, failure.code)
}

#[tokio::test]
async fn a_request_without_a_key_is_refused() {
    let head = "POST /v1/chat/completions HTTP/1.1\r\n";
    assert_eq!(
        refusal(head, &question(true)).await,
        (401, "model_auth".into())
    );
}

#[tokio::test]
async fn another_path_is_refused() {
    let head = "POST /chat HTTP/1.1\r\nauthorization: Bearer any\r\n";
    assert_eq!(
        refusal(head, &question(true)).await,
        (404, "model_endpoint".into())
    );
}

#[tokio::test]
async fn what_the_real_api_refuses_is_refused() {
    let call = json!({"role": "assistant", "tool_calls": [{"id": "c1", "function": {"name": "a", "arguments": "{}"}}]});
    let user = json!({"role": "user", "content": "hi"});
    let result = json!({"role": "tool", "tool_call_id": "c1", "content": "ok"});
    let tool = |name: &str| json!([{"type": "function", "function": {"name": name}}]);
    for request in [
        json!({"messages": [user]}),
        json!({"model": "m"}),
        json!({"model": "m", "messages": []}),
        json!([]),
        json!({"model": "m", "messages": [user, call]}),
        json!({"model": "m", "messages": [user, call, user]}),
        json!({"model": "m", "messages": [user, result]}),
        json!({"model": "m", "messages": [user, call, result, result]}),
        json!({"model": "m", "messages": [{"role": "assistant", "content": null}]}),
        json!({"model": "m", "messages": [{"role": "robot", "content": "hi"}]}),
        json!({"model": "m", "messages": [user], "tools": tool("files.read all")}),
        json!({"model": "m", "messages": [user], "tools": tool(&"a".repeat(65))}),
        json!({"model": "m", "messages": [user], "tools": [{"function": {"name": "a", "parameters": {}}}]}),
    ] {
        assert_eq!(
            refusal(HEAD, &request).await,
            (400, "model_bad_request".into()),
            "{request}"
        );
    }
}
