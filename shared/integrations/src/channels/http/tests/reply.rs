//! What we send and what receivers answer.

use jiff::Timestamp;
use openeve_domain::delivery::{LeasedDelivery, SendOutcome};
use openeve_domain::ids::{DeliveryId, LeaseToken, RunId};
use openeve_domain::secret::Secret;
use serde_json::Value;
use uuid::Uuid;

use crate::channels::http::{SignError, classify_reply, render_reply, sign};

#[test]
fn signing_matches_the_public_vector() {
    let secret = Secret::new("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    let signature = sign(
        &secret,
        "msg_p5jXN8AQM9LWM0D4loKWxJek",
        1_614_265_330,
        br#"{"test": 2432232314}"#,
    );
    assert_eq!(
        signature.unwrap(),
        "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    );
}

#[test]
fn a_raw_secret_signs_with_its_bytes_and_a_broken_one_is_an_error() {
    let encoded = sign(&Secret::new("whsec_cmF3"), "i", 1, b"x");
    assert_eq!(encoded, sign(&Secret::new("raw\n"), "i", 1, b"x"));
    assert_eq!(
        sign(&Secret::new("whsec_!"), "i", 1, b"x"),
        Err(SignError::NotBase64)
    );
    assert_eq!(sign(&Secret::new(" "), "i", 1, b"x"), Err(SignError::Blank));
}

fn delivery() -> LeasedDelivery {
    LeasedDelivery {
        id: DeliveryId::new(Uuid::from_u128(1)),
        token: LeaseToken::new(Uuid::from_u128(2)),
        run_id: RunId::new(Uuid::from_u128(3)),
        channel: "message".into(),
        conversation_key: "c1".into(),
        target: Value::Null,
        text: "hello".into(),
        attempts: 0,
        parts_sent: 0,
        interrupted: false,
    }
}

fn now() -> Timestamp {
    "2026-10-21T07:27:00Z".parse().unwrap()
}

#[test]
fn a_reply_names_its_run_and_is_signed_over_its_very_body() {
    let secret = Secret::new("whsec_cmF3");
    let reply = render_reply(&delivery(), Some(&secret), now()).unwrap();
    let body: Value = serde_json::from_str(&reply.body).unwrap();
    assert_eq!(body["type"], "message.completed");
    assert_eq!(body["timestamp"], "2026-10-21T07:27:00Z");
    assert_eq!(body["data"]["run_id"], delivery().run_id.to_string());
    assert_eq!(body["data"]["delivery_id"], delivery().id.to_string());
    assert_eq!(
        (&body["data"]["conversation"], &body["data"]["text"]),
        (&"c1".into(), &"hello".into())
    );
    let signature = sign(
        &secret,
        &delivery().id.to_string(),
        now().as_second(),
        reply.body.as_bytes(),
    )
    .unwrap();
    let expected = [
        ("content-type", "application/json".to_owned()),
        ("webhook-id", delivery().id.to_string()),
        ("webhook-timestamp", now().as_second().to_string()),
        ("webhook-signature", signature),
    ];
    assert_eq!(reply.headers, expected);
    assert_eq!(
        render_reply(&delivery(), None, now())
            .unwrap()
            .headers
            .len(),
        3
    );
}

#[test]
fn the_receivers_status_decides_what_becomes_of_a_reply() {
    assert_eq!(
        classify_reply(204, None, now()),
        SendOutcome::Sent {
            via: "webhook".into(),
            provider_id: None,
        }
    );
    for status in [301, 400, 401, 404, 410, 422] {
        assert!(
            matches!(
                classify_reply(status, None, now()),
                SendOutcome::Refused { .. }
            ),
            "{status}"
        );
    }
    for status in [408, 409, 429, 500, 503] {
        assert!(
            matches!(
                classify_reply(status, None, now()),
                SendOutcome::Retry { after_ms: None, .. }
            ),
            "{status}"
        );
    }
}

#[test]
fn c5_the_receivers_wait_is_a_number_a_date_or_nothing() {
    for (header, wait) in [
        ("7", Some(7_000)),
        ("Wed, 21 Oct 2026 07:28:00 GMT", Some(60_000)),
        ("soon", None),
        ("999999", None),
    ] {
        let SendOutcome::Retry { after_ms, .. } = classify_reply(429, Some(header), now()) else {
            panic!("{header} must be tried again")
        };
        assert_eq!(after_ms, wait, "{header}");
    }
}
