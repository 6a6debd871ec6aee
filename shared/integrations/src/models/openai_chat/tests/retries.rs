//! When a refusal is tried again, and that no refusal tells the key.

use http::HeaderMap;
use openeve_domain::retry::Class;

use super::errors::{RETRY, check, classified};
use super::*;

#[test]
fn c5_the_wait_is_milliseconds_a_number_a_date_or_nothing() {
    let wait = |headers: &[(&'static str, &str)]| classified(429, headers, "").class;
    let after = |after_ms| Class::Retry { after_ms };
    assert_eq!(
        wait(&[("retry-after-ms", "1500"), ("retry-after", "9")]),
        after(Some(1_500))
    );
    assert_eq!(
        wait(&[("retry-after-ms", "NaN"), ("retry-after", "9")]),
        after(Some(9_000))
    );
    assert_eq!(
        wait(&[("retry-after", "Wed, 21 Oct 2026 07:28:00 GMT")]),
        after(Some(60_000))
    );
    for nonsense in ["soon", "999999", ""] {
        assert_eq!(wait(&[("retry-after", nonsense)]), RETRY, "{nonsense}");
    }
    assert!(
        classified(429, &[], "the original words")
            .message
            .contains("the original words")
    );
}

#[test]
fn the_providers_word_on_retrying_wins() {
    assert_eq!(
        classified(503, &[("x-should-retry", "false")], "").class,
        Class::Refused
    );
    assert_eq!(
        classified(400, &[("x-should-retry", "true")], "").class,
        RETRY
    );
    let overflow = classified(
        400,
        &[("x-should-retry", "true")],
        r#"{"error":{"message":"prompt is too long"}}"#,
    );
    assert_eq!(overflow.class, Class::Refused);
}

#[test]
fn what_passes_is_tried_again() {
    check(
        &[(
            429,
            r#"{"error":{"code":"RateLimitReached","message":"slow"}}"#,
        )],
        "model_rate_limited",
        RETRY,
    );
    let cases = [
        (500, "oops"),
        (502, "<html>"),
        (503, ""),
        (529, r#"{"error":{"type":"overloaded_error"}}"#),
        (408, ""),
        (409, ""),
    ];
    check(&cases, "model_overloaded", RETRY);
}

#[test]
fn a_refused_key_is_told_with_its_remedy_and_without_the_key() {
    let failure = classified(
        401,
        &[],
        &format!(r#"{{"error":{{"message":"bad key {KEY}"}}}}"#),
    );
    assert_eq!(
        failure.message,
        "the provider at api.example.com refused the key with HTTP 401: \"bad key [secret]\"; set \
         OPENEVE_MODEL_API_KEY to a valid key"
    );
    let mut open = endpoint();
    open.api_key = None;
    let missing = classify_error(
        &open,
        401,
        &HeaderMap::new(),
        b"",
        jiff::Timestamp::UNIX_EPOCH,
    );
    assert!(
        missing.message.contains("wants a key and none was sent"),
        "{}",
        missing.message
    );
}

#[test]
fn no_part_of_a_key_survives_where_the_quote_is_cut() {
    let body = format!(r#"{{"error":{{"message":"{}{KEY}"}}}}"#, "x".repeat(490));
    let failure = classified(400, &[], &body);
    assert!(!failure.message.contains("sk-live"), "{}", failure.message);
    let long = classified(400, &[], &"y".repeat(9_000));
    assert!(long.message.len() < 800, "{}", long.message.len());
}
