//! What we send.

use openeve_domain::ids::ToolCallId;
use openeve_domain::manifest::{Reasoning, ToolSpec};
use openeve_domain::status::{SideEffects, ToolCallStatus};
use openeve_domain::transcript::{Message, ToolCall};
use serde_json::{Value, json};
use uuid::Uuid;

use super::*;

fn call(number: u128, provider_call_id: &str, name: &str, arguments: &str) -> ToolCall {
    ToolCall {
        sequential: false,
        gate: None,
        id: ToolCallId::new(Uuid::from_u128(number)),
        entry_seq: 1,
        ordinal: 0,
        provider_call_id: provider_call_id.into(),
        name: name.into(),
        arguments: arguments.into(),
        side_effects: SideEffects::None,
        status: ToolCallStatus::Succeeded,
        result: Value::Null,
        model_output: "out".into(),
    }
}

fn tool(name: &str, input_schema: &Value) -> ToolSpec {
    serde_json::from_value(json!({
        "name": name,
        "description": format!("Does {name}."),
        "inputSchema": input_schema,
        "module": {"path": "m.js", "sha256": ""},
        "source": "tools/m.ts",
    }))
    .unwrap()
}

fn build(endpoint: &Endpoint, messages: &[Message<'_>], tools: &[&ToolSpec]) -> Request {
    build_request(
        Config {
            endpoint,
            system: "Be kind.",
            reasoning: Reasoning::Medium,
        },
        messages,
        tools,
    )
}

/// A batch of these calls and its results, between a question and an answer.
fn batch<'a>(calls: &'a [ToolCall], text: &'a str, extra: &'a Value) -> Vec<Message<'a>> {
    let mut messages = vec![Message::User { text: "go" }];
    messages.push(Message::Assistant {
        text,
        calls: calls.iter().collect(),
        extra,
    });
    messages.extend(calls.iter().map(|call| Message::ToolResult {
        call,
        output: call.model_output.as_str().into(),
    }));
    messages
}

#[test]
fn a_request_is_a_system_message_the_transcript_and_the_tools() {
    let calls = [call(1, "c1", "files.read all", r#"{"a":1}"#)];
    let spec = tool(
        "files.read all",
        &json!({"$schema": "x", "properties": {"a": {"type": "integer"}}}),
    );
    let request = build(&endpoint(), &batch(&calls, "", &Value::Null), &[&spec]);
    let wire = request.aliases.wire("files.read all");
    let expected = json!({
        "model": "gpt-x",
        "messages": [
            {"role": "system", "content": "Be kind."},
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": null, "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": wire, "arguments": r#"{"a":1}"#}}
            ]},
            {"role": "tool", "tool_call_id": "c1", "content": "out"},
        ],
        "stream": true,
        "stream_options": {"include_usage": true},
        "tools": [{"type": "function", "function": {
            "name": wire,
            "description": "Does files.read all.",
            "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}},
        }}],
    });
    assert_eq!(request.body, expected);
}

#[test]
fn the_key_is_a_sensitive_header_without_its_line_feed() {
    let mut endpoint = endpoint();
    endpoint.api_key = Some(Secret::new(format!("{KEY}\n")));
    let request = build(&endpoint, &[], &[]);
    let key = request
        .headers
        .iter()
        .find(|header| header.sensitive)
        .unwrap();
    assert_eq!(
        (key.name, key.value.reveal()),
        ("authorization", format!("Bearer {KEY}").as_str())
    );
    assert!(!format!("{request:?}").contains(KEY));
    endpoint.api_key = None;
    assert!(
        build(&endpoint, &[], &[])
            .headers
            .iter()
            .all(|header| !header.sensitive)
    );
}

#[test]
fn a1_a2_arguments_that_are_no_object_are_sent_as_an_empty_one() {
    for arguments in ["", "  ", r#"{"path":"/tmp/x", "recur"#, "[]", "7"] {
        let calls = [call(1, "c1", "a", arguments)];
        let body = build(&endpoint(), &batch(&calls, "", &Value::Null), &[]).body;
        assert_eq!(
            body["messages"][2]["tool_calls"][0]["function"]["arguments"], "{}",
            "{arguments}"
        );
    }
}

#[test]
fn b8_blank_text_is_null_trailing_blanks_are_cut_and_an_empty_answer_is_left_out() {
    let calls = [call(1, "c1", "a", "{}")];
    let mut messages = batch(&calls, " \n", &Value::Null);
    messages.push(Message::Assistant {
        text: "  done. \n",
        calls: Vec::new(),
        extra: &Value::Null,
    });
    messages.push(Message::Assistant {
        text: " ",
        calls: Vec::new(),
        extra: &Value::Null,
    });
    let body = build(&endpoint(), &messages, &[]).body;
    assert_eq!(body["messages"][2]["content"], Value::Null);
    assert_eq!(body["messages"][4]["content"], "  done.");
    assert_eq!(body["messages"].as_array().unwrap().len(), 5);
}

/// The ids in a body: first those of the calls, then those of the results.
fn ids(body: &Value) -> (Vec<String>, Vec<String>) {
    let messages = body["messages"].as_array().unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let calls = messages
        .iter()
        .filter_map(|message| message["tool_calls"].as_array())
        .flatten();
    let results = messages.iter().filter(|message| message["role"] == "tool");
    (
        calls.map(|call| text(&call["id"])).collect(),
        results
            .map(|result| text(&result["tool_call_id"]))
            .collect(),
    )
}

#[test]
fn a_repeated_call_id_is_rewritten_in_both_places_and_always_the_same() {
    let calls = [
        call(1, "call_0", "a", "{}"),
        call(2, "call_0", "a", "{}"),
        call(3, "", "a", "{}"),
    ];
    let messages = batch(&calls, "", &Value::Null);
    let first = build(&endpoint(), &messages, &[]).body;
    let (called, answered) = ids(&first);
    assert_eq!(called, answered);
    assert_eq!(called[0], "call_0");
    assert_eq!(
        called
            .iter()
            .collect::<std::collections::BTreeSet<_>>()
            .len(),
        3
    );
    assert_eq!(build(&endpoint(), &messages, &[]).body, first);
}

#[test]
fn a_call_id_another_provider_made_is_rewritten_for_one_that_would_refuse_it() {
    let calls = [
        call(1, "call_abc|item_1", "a", "{}"),
        call(2, &"x".repeat(41), "a", "{}"),
        call(3, "AbCdEf123", "a", "{}"),
    ];
    let messages = batch(&calls, "", &Value::Null);
    for provider in ["openai", "mistral"] {
        let (called, answered) = ids(&build(&endpoint_of(provider), &messages, &[]).body);
        assert_eq!(called, answered);
        assert!(called.iter().all(|id| id.len() == 9), "{called:?}");
        assert_eq!(called[2], "AbCdEf123");
    }
}

#[test]
fn reasoning_goes_back_only_to_the_model_that_wrote_it() {
    let calls = [call(1, "c1", "a", "{}")];
    let own = json!({"model": "openai/gpt-x", "reasoning_content": "hm", "reasoning_details": [1]});
    let body = build(&endpoint(), &batch(&calls, "", &own), &[]).body;
    assert_eq!(body["messages"][2]["reasoning_content"], "hm");
    assert_eq!(body["messages"][2]["reasoning_details"], json!([1]));
    assert_eq!(body["messages"][2].get("model"), None);
    let foreign = json!({"model": "deepseek/other", "reasoning_content": "hm"});
    let body = build(&endpoint(), &batch(&calls, "", &foreign), &[]).body;
    assert_eq!(body["messages"][2].get("reasoning_content"), None);
}

#[test]
fn only_an_explicit_effort_is_sent() {
    let endpoint = endpoint();
    let effort = |reasoning| {
        let config = Config {
            endpoint: &endpoint,
            system: " ",
            reasoning,
        };
        build_request(config, &[], &[])
            .body
            .get("reasoning_effort")
            .cloned()
    };
    assert_eq!(
        (effort(Reasoning::Medium), effort(Reasoning::Off)),
        (None, None)
    );
    assert_eq!(effort(Reasoning::Minimal), Some("minimal".into()));
    assert_eq!(effort(Reasoning::Xhigh), Some("xhigh".into()));
}

#[test]
fn a_tool_without_a_schema_takes_an_empty_object_and_mistral_is_not_asked_for_usage() {
    let spec = tool("ping", &Value::Null);
    let body = build(&endpoint_of("mistral"), &[], &[&spec]).body;
    assert_eq!(
        body["tools"][0]["function"]["parameters"],
        json!({"type": "object", "properties": {}})
    );
    assert_eq!(body.get("stream_options"), None);
}
