//! Streams: whole, cut short, in error, and with what servers put beside (public cases C1, C2, C4).

use openeve_domain::limits::MODEL_ANSWER_BYTES_MAX;
use openeve_domain::retry::Class;

use super::*;

const RETRY: Class = Class::Retry { after_ms: None };

fn failure(body: &str) -> (String, Class) {
    let failure = decode(body).unwrap_err();
    assert!(
        failure.message.contains("api.example.com"),
        "{}",
        failure.message
    );
    (failure.code, failure.class)
}

#[test]
fn an_answer_is_its_deltas_and_shows_them() {
    let body = stream(&[&text("你好"), &text("🦀"), &end("stop")]);
    let (completion, shown) = decode_chunks(body.as_bytes().chunks(1), &[]);
    assert_eq!(shown, "你好🦀");
    let expected = Completion {
        text: "你好🦀".into(),
        calls: Vec::new(),
        usage: None,
        extra: serde_json::Value::Null,
        finish: Stop::Done,
        refused: false,
    };
    assert_eq!(completion, Ok(expected));
}

#[test]
fn c1_a_stream_that_breaks_off_is_tried_again_and_calls_nothing() {
    let call =
        delta(r#"{"tool_calls":[{"index":0,"id":"c","function":{"name":"a","arguments":"{}"}}]}"#);
    for body in [
        String::new(),
        "\n\n".into(),
        "data: [DONE]\n\n".into(),
        format!("data: {}\n\n", text("half")),
        stream(&[&text("half")]),
        stream(&[&call]),
        format!("data: {}\n\ndata: {{\"choices\":[{{\"del", text("half")),
        r#"{"choices":[{"mess"#.into(),
        stream(&[r#"{"choices":[{"#]),
    ] {
        assert_eq!(
            failure(&body),
            ("model_stream_ended".into(), RETRY),
            "{body}"
        );
    }
}

#[test]
fn the_end_needs_neither_done_nor_a_blank_line() {
    let body = format!("data: {}\n\ndata: {}", text("a"), end("stop"));
    assert_eq!(decode(&body).unwrap().text, "a");
}

#[test]
fn a_finish_reason_that_calls_nothing_is_tried_again() {
    assert_eq!(
        failure(&stream(&[&text("a"), &end("tool_calls")])),
        ("model_stream_ended".into(), RETRY)
    );
    assert_eq!(
        failure(&stream(&[&text("a"), &end("error")])),
        ("model_stream_ended".into(), RETRY)
    );
}

#[test]
fn a_cut_off_call_is_refused_and_a_cut_off_text_is_kept() {
    let call =
        delta(r#"{"tool_calls":[{"index":0,"id":"c","function":{"name":"a","arguments":"{}"}}]}"#);
    let truncated = ("model_truncated".to_owned(), Class::Refused);
    assert_eq!(
        failure(&stream(&[&text("a"), &call, &end("length")])),
        truncated
    );
    assert_eq!(
        failure(&stream(&[&call, &end("length"), &end("tool_calls")])),
        truncated
    );
    assert_eq!(
        failure(&stream(&[
            &delta(r#"{"reasoning_content":"hm"}"#),
            &end("length")
        ])),
        truncated
    );
    assert_eq!(
        decode(&stream(&[&text("a"), &end("length")]))
            .unwrap()
            .finish,
        Stop::Length
    );
}

#[test]
fn filtered_content_is_refused() {
    let body = stream(&[&text("a"), &end("content_filter")]);
    assert_eq!(
        failure(&body),
        ("model_refused_content".into(), Class::Refused)
    );
}

#[test]
fn c4_comments_empty_choices_and_empty_errors_are_skipped() {
    let body = format!(
        ": OPENROUTER PROCESSING\n\ndata: {{\"choices\":[]}}\n\ndata:\n\ndata: {}\n\n: OPENROUTER PROCESSING\n\n{}",
        text("a"),
        stream(&[r#"{"choices":null,"error":null}"#, &end("stop")])
    );
    assert_eq!(decode(&body).unwrap().text, "a");
}

#[test]
fn c4_an_error_inside_a_stream_fails_by_its_code() {
    let error = |error: &str| stream(&[&text("half"), error, &end("stop")]);
    for (chunk, code, class) in [
        (
            r#"{"error":{"code":429,"message":"slow down"},"choices":[]}"#,
            "model_rate_limited",
            RETRY,
        ),
        (
            r#"{"error":{"code":502,"message":"Provider returned error"},"choices":[{"delta":{},"finish_reason":"error"}]}"#,
            "model_overloaded",
            RETRY,
        ),
        (
            r#"{"error":{"message":"The server had an error","type":"server_error","code":null}}"#,
            "model_overloaded",
            RETRY,
        ),
        (
            r#"{"error":{"message":"maximum context length is 9 tokens","type":"invalid_request_error"}}"#,
            "model_context_overflow",
            Class::Refused,
        ),
        (
            r#"{"error":{"message":"bad","type":"invalid_request_error"}}"#,
            "model_bad_request",
            Class::Refused,
        ),
        (
            r#"{"error":"Incorrect API key provided"}"#,
            "model_auth",
            Class::Refused,
        ),
        (
            r#"{"object":"error","message":"out of memory","code":"500"}"#,
            "model_overloaded",
            RETRY,
        ),
        (
            r#"{"choices":[{"index":0,"delta":{},"error":{"code":503,"message":"x"},"finish_reason":"error"}]}"#,
            "model_overloaded",
            RETRY,
        ),
    ] {
        assert_eq!(failure(&error(chunk)), (code.into(), class), "{chunk}");
    }
    assert_eq!(
        failure("event: error\ndata: engine died\n\n"),
        ("model_overloaded".into(), RETRY)
    );
}

#[test]
fn a_body_that_did_not_stream_is_an_answer_too() {
    let body = r#" {"choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":1}}"#;
    let completion = decode(body).unwrap();
    assert_eq!(
        (
            completion.text.as_str(),
            completion.usage.unwrap().input_tokens
        ),
        ("hi", 3)
    );
}

#[test]
fn a_web_page_is_a_wrong_base_url() {
    let failure = decode("\u{feff}\n<!doctype html><html>").unwrap_err();
    assert_eq!(
        (failure.code.as_str(), failure.class),
        ("model_endpoint", Class::Refused)
    );
    assert!(failure.message.contains("OPENEVE_MODEL_BASE_URL"));
}

#[test]
fn an_answer_without_end_is_bounded() {
    let mut decoder = Decoder::new(&endpoint(), Aliases::default());
    let chunk = format!("data: {}\n\n", text(&"x".repeat(1_000_000)));
    let fed: Result<Vec<_>, _> = (0..10).map(|_| decoder.feed(chunk.as_bytes())).collect();
    assert_eq!(fed.unwrap_err().code, "model_answer_too_large");
    let mut one_line = Decoder::new(&endpoint(), Aliases::default());
    let line = vec![b'x'; MODEL_ANSWER_BYTES_MAX + 1];
    assert_eq!(one_line.feed(&line).unwrap_err().class, Class::Refused);
    assert!(one_line.finish().is_err());
}
