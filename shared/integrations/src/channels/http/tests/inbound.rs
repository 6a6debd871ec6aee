//! What callers send, right and wrong.

use http::HeaderMap;
use openeve_domain::limits::{INBOUND_BODY_BYTES_MAX, MESSAGE_BYTES_MAX};
use openeve_domain::secret::Secret;

use crate::channels::http::{Inbound, InboundError, check_bearer, parse};

fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
    pairs
        .iter()
        .map(|(name, value)| (http::HeaderName::from_static(name), value.parse().unwrap()))
        .collect()
}

fn parsed(pairs: &[(&'static str, &str)], body: impl AsRef<[u8]>) -> Result<Inbound, InboundError> {
    parse("message", &headers(pairs), body.as_ref(), "fresh-1")
}

fn json(body: &str) -> Result<Inbound, InboundError> {
    parsed(&[("content-type", "application/json; charset=utf-8")], body)
}

fn refusal(body: &str) -> String {
    json(body).unwrap_err().to_string()
}

fn key(inbound: &Inbound) -> Option<&str> {
    inbound.key.as_ref().map(|key| key.key.as_str())
}

#[test]
fn a_full_message_is_a_turn_with_a_key() {
    let inbound =
        json(r#"{"message":"a\r\nb\u0000","conversation":"c1","sender":"ann","id":"d1"}"#).unwrap();
    assert_eq!(
        (inbound.turn.channel.as_str(), inbound.turn.text.as_str()),
        ("message", "a\nb")
    );
    assert_eq!(
        (
            inbound.turn.conversation_key.as_str(),
            inbound.turn.sender.as_deref()
        ),
        ("c1", Some("ann"))
    );
    let key = inbound.key.unwrap();
    assert_eq!(
        (key.scope.as_str(), key.key.as_str()),
        ("channel:message", "d1")
    );
}

#[test]
fn a_message_alone_begins_a_conversation_of_its_own() {
    let inbound = json(r#"{"message":"hi","sender":null}"#).unwrap();
    assert_eq!(inbound.turn.conversation_key, "fresh-1");
    assert_eq!((inbound.key, inbound.turn.sender), (None, None));
}

#[test]
fn a_text_body_is_the_message() {
    assert_eq!(
        parsed(&[("content-type", "text/plain")], "{hi}")
            .unwrap()
            .turn
            .text,
        "{hi}"
    );
    assert_eq!(parsed(&[], "hi").unwrap().turn.text, "hi");
}

#[test]
fn what_curl_sends_by_default_is_read_when_it_is_an_object() {
    let form = [("content-type", "application/x-www-form-urlencoded")];
    assert_eq!(
        parsed(&form, r#"{"message":"hi"}"#).unwrap().turn.text,
        "hi"
    );
    assert_eq!(parsed(&form, "message=hi").unwrap_err().status(), 415);
}

#[test]
fn the_headers_key_goes_before_the_bodys() {
    let body = r#"{"message":"hi","id":"body"}"#;
    let both = parsed(&[("idempotency-key", "head"), ("webhook-id", "hook")], body).unwrap();
    assert_eq!(key(&both), Some("head"));
    assert_eq!(
        key(&parsed(&[("webhook-id", "hook")], body).unwrap()),
        Some("hook")
    );
    assert_eq!(key(&parsed(&[], body).unwrap()), Some("body"));
}

#[test]
fn broken_json_is_refused_with_its_place() {
    let said = refusal("{\"message\": \"hi\",\n  oops}");
    assert!(
        said.contains("not valid JSON") && said.contains("line 2 column 3"),
        "{said}"
    );
    assert_eq!(json("").unwrap_err().status(), 400);
}

#[test]
fn wrong_types_and_missing_fields_are_named() {
    assert_eq!(
        refusal(r#"{"message": 7}"#),
        r#""message" must be a string and is a number"#
    );
    assert_eq!(
        refusal(r#"{"message":"a","conversation":["c"]}"#),
        r#""conversation" must be a string and is a list"#
    );
    assert_eq!(
        refusal(r#"{"conversation":"c"}"#),
        r#""message" is missing; send an object such as {"message": "hello"}"#
    );
    assert!(refusal("[1]").starts_with("the body is a list"));
}

#[test]
fn a_misspelt_field_is_refused_with_the_ones_there_are() {
    assert_eq!(
        refusal(r#"{"message":"a","conversaton":"c"}"#),
        r#"unknown field "conversaton"; the fields are message, conversation, sender, tenant, id"#
    );
}

#[test]
fn blank_long_and_unreadable_values_are_refused() {
    assert!(refusal(r#"{"message":" \n"}"#).contains("blank"));
    assert!(refusal(r#"{"message":"a","id":""}"#).contains("\"id\" is blank"));
    assert!(refusal(r#"{"message":"a","conversation":"\u0000"}"#).contains("control character"));
    assert!(
        refusal(&format!(r#"{{"message":"a","id":"{}"}}"#, "x".repeat(256)))
            .contains("at most 255")
    );
    let latin = parsed(&[("content-type", "text/plain")], b"caf\xE9").unwrap_err();
    assert_eq!(latin.to_string(), "the body is not UTF-8 from byte 3 on");
    assert_eq!(
        parsed(&[("content-type", "text/plain; charset=latin1")], "a")
            .unwrap_err()
            .status(),
        415
    );
    assert_eq!(
        parsed(&[("content-type", "image/png")], "a")
            .unwrap_err()
            .status(),
        415
    );
}

#[test]
fn bodies_and_messages_are_bounded() {
    assert_eq!(
        parsed(&[], vec![b'a'; INBOUND_BODY_BYTES_MAX + 1])
            .unwrap_err()
            .status(),
        413
    );
    let long = parsed(&[], vec![b'a'; MESSAGE_BYTES_MAX + 1]).unwrap_err();
    assert_eq!(
        long.to_string(),
        "the message has 262145 bytes; at most 262144 are taken"
    );
    assert!(parsed(&[], vec![b'a'; MESSAGE_BYTES_MAX]).is_ok());
}

#[test]
fn only_the_channels_token_lets_a_caller_in() {
    let token = Secret::new("s3cret\n");
    let check = |value: &str| check_bearer(&headers(&[("authorization", value)]), &token).is_ok();
    assert!(check("Bearer s3cret") && check("bearer  s3cret"));
    assert!(
        !check("Bearer s3cre") && !check("Bearer ") && !check("Basic s3cret") && !check("s3cret")
    );
    assert_eq!(
        check_bearer(&HeaderMap::new(), &token)
            .unwrap_err()
            .status(),
        401
    );
    let blank = check_bearer(
        &headers(&[("authorization", "Bearer x")]),
        &Secret::new(" "),
    );
    assert!(blank.is_err());
}
