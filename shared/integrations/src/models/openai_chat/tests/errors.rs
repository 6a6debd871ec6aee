//! Real refusals, shortened, and how they are treated.

use http::HeaderMap;
use openeve_domain::retry::Class;

use super::*;

pub(super) const RETRY: Class = Class::Retry { after_ms: None };

pub(super) fn classified(
    status: u16,
    headers: &[(&'static str, &str)],
    body: &str,
) -> ModelFailure {
    let headers: HeaderMap = headers
        .iter()
        .map(|(name, value)| (http::HeaderName::from_static(name), value.parse().unwrap()))
        .collect();
    let now = "2026-10-21T07:27:00Z".parse().unwrap();
    classify_error(&endpoint(), status, &headers, body.as_bytes(), now)
}

pub(super) fn check(cases: &[(u16, &str)], code: &str, class: Class) {
    for (status, body) in cases {
        let failure = classified(*status, &[], body);
        assert_eq!(
            (failure.code.as_str(), failure.class),
            (code, class),
            "{status} {body}"
        );
        assert!(
            failure.message.contains("api.example.com"),
            "{}",
            failure.message
        );
    }
}

#[test]
fn too_long_a_conversation_is_recognised_in_every_dialect() {
    let cases = [
        (
            400,
            r#"{"error":{"message":"prompt is too long: 9 tokens > 8 maximum","type":"invalid_request_error"}}"#,
        ),
        (
            400,
            r#"{"error":{"code":"context_length_exceeded","message":"Your input exceeds the context window of this model"}}"#,
        ),
        (
            400,
            r#"[{"error":{"code":400,"message":"The input token count (9) exceeds the maximum number of tokens allowed (8).","status":"INVALID_ARGUMENT"}}]"#,
        ),
        (
            400,
            r#"{"error":{"code":400,"message":"This endpoint's maximum context length is 8 tokens. However, you requested about 9"}}"#,
        ),
        (
            400,
            r#"{"error":{"message":"Input Tokens Exceeded: Number of input tokens exceeds maximum length"}}"#,
        ),
        (
            400,
            r#"{"error_type":"TOO_MANY_TOKENS","message":"too many tokens: size limit exceeded"}"#,
        ),
        (
            400,
            r#"{"error":{"type":"too_many_prompt_tokens","message":"x"}}"#,
        ),
        (
            400,
            r#"{"error":{"code":400,"message":"request (9 tokens) exceeds the available context size (8 tokens), try increasing it","type":"exceed_context_size_error"}}"#,
        ),
        (
            400,
            r#"{"error":"prompt too long; exceeded max context length by 1 tokens"}"#,
        ),
        (
            400,
            r#"{"error":{"code":400,"message":"Provider returned error","metadata":{"raw":"{\"message\":\"prompt is too long\"}"}}}"#,
        ),
        (
            500,
            r#"{"error":{"code":500,"message":"input (9 tokens) is too large to process. increase the physical batch size"}}"#,
        ),
        (413, "too large"),
    ];
    check(&cases, "model_context_overflow", Class::Refused);
    check(
        &[(
            429,
            r#"{"message":"Too many tokens, please wait before trying again"}"#,
        )],
        "model_rate_limited",
        RETRY,
    );
}

#[test]
fn a_bad_key_is_recognised_even_in_a_400() {
    let cases = [
        (
            401,
            r#"{"error":{"code":"invalid_api_key","message":"Incorrect API key provided"}}"#,
        ),
        (401, ""),
        (
            400,
            r#"[{"error":{"code":400,"message":"API key not valid.","details":[{"reason":"API_KEY_INVALID"}]}}]"#,
        ),
        (
            400,
            r#"{"code":"invalid-argument","error":"Incorrect API key provided. You can obtain an API key."}"#,
        ),
        (
            403,
            r#"{"message":"The security token included in the request is invalid."}"#,
        ),
    ];
    check(&cases, "model_auth", Class::Refused);
}

#[test]
fn an_unknown_model_is_named_with_the_place_to_change_it() {
    let cases = [
        (
            404,
            r#"{"error":{"code":"model_not_found","message":"The model `gpt-x` does not exist or you do not have access to it."}}"#,
        ),
        (
            400,
            r#"{"error":{"code":400,"message":"gpt-x is not a valid model ID"}}"#,
        ),
        (
            400,
            r#"{"code":"invalid-argument","error":"Model not found: gpt-x"}"#,
        ),
        (
            404,
            r#"{"error":{"type":"not_found_error","message":"model: gpt-x"}}"#,
        ),
        (
            400,
            r#"{"error":{"message":"Model Not Exist","type":"invalid_request_error"}}"#,
        ),
        (
            404,
            r#"{"error":{"message":"model 'gpt-x' not found, try pulling it first"}}"#,
        ),
        (
            403,
            r#"{"error":{"code":"model_not_found","message":"Project does not have access to model"}}"#,
        ),
    ];
    check(&cases, "model_unknown", Class::Refused);
    let message = classified(404, &[], cases[0].1).message;
    assert!(
        message.contains("\"gpt-x\"") && message.contains("agent.ts"),
        "{message}"
    );
}

#[test]
fn an_empty_account_is_no_rate_limit() {
    let cases = [
        (
            429,
            r#"{"error":{"code":"insufficient_quota","message":"You exceeded your current quota, please check your plan and billing details."}}"#,
        ),
        (402, r#"{"error":{"message":"Insufficient Balance"}}"#),
        (
            429,
            r#"{"error":{"code":1308,"message":"Usage limit reached for 5 hours"}}"#,
        ),
    ];
    check(&cases, "model_quota", Class::Refused);
    let gemini = r#"[{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"You exceeded your current quota, please check your plan and billing details.","details":[{"retryDelay":"34.4s"}]}}]"#;
    check(
        &[(429, gemini)],
        "model_rate_limited",
        Class::Retry {
            after_ms: Some(34_400),
        },
    );
}

#[test]
fn what_will_be_refused_again_is_not_tried_again() {
    let cases = [
        (
            400,
            r#"{"error":{"message":"Thinking mode does not support this tool_choice"}}"#,
        ),
        (
            422,
            r#"{"detail":[{"loc":["body"],"msg":"Extra inputs are not permitted"}]}"#,
        ),
        (
            500,
            r#"{"error":{"code":500,"message":"tools param requires --jinja flag","type":"server_error"}}"#,
        ),
        (501, ""),
    ];
    check(&cases, "model_bad_request", Class::Refused);
    let message = classified(cases[1].0, &[], cases[1].1).message;
    assert!(
        message.contains("\"Extra inputs are not permitted\""),
        "{message}"
    );
    check(
        &[(404, "<html>"), (405, ""), (301, "")],
        "model_endpoint",
        Class::Refused,
    );
}
