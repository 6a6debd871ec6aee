//! Renders, signs and judges a reply: one request in the form of Standard Webhooks.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use jiff::Timestamp;
use openeve_domain::delivery::{LeasedDelivery, SendOutcome};
use openeve_domain::retry::retry_after_ms;
use openeve_domain::secret::Secret;
use serde_json::json;
use sha2::Sha256;

/// The sender named in `SendOutcome::Sent`.
const VIA: &str = "webhook";

/// A signing secret that cannot be used; a person must correct it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SignError {
    /// What follows `whsec_` is not base64.
    #[error(
        "the signing secret begins with whsec_ and what follows is not base64; copy it whole from the receiver"
    )]
    NotBase64,
    /// There is no secret.
    #[error("the signing secret is blank; set it, or remove `secret` from the channel's reply")]
    Blank,
}

/// A reply, ready to be posted to the receiver's URL. Its body holds what it was signed over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplyRequest {
    /// Headers by lower-case name; none of them is secret.
    pub headers: Vec<(&'static str, String)>,
    /// The JSON body.
    pub body: String,
}

/// Renders the request that discharges a delivery. Without a secret it is not signed.
pub fn render_reply(
    delivery: &LeasedDelivery,
    secret: Option<&Secret>,
    now: Timestamp,
) -> Result<ReplyRequest, SignError> {
    let id = delivery.id.to_string();
    let body = json!({
        "type": "message.completed",
        "timestamp": now.to_string(),
        "data": {
            "run_id": delivery.run_id,
            "conversation": delivery.conversation_key,
            "delivery_id": id,
            "text": delivery.text,
        },
    })
    .to_string();
    let mut headers = vec![
        ("content-type", "application/json".to_owned()),
        ("webhook-id", id.clone()),
        ("webhook-timestamp", now.as_second().to_string()),
    ];
    if let Some(secret) = secret {
        headers.push((
            "webhook-signature",
            sign(secret, &id, now.as_second(), body.as_bytes())?,
        ));
    }
    Ok(ReplyRequest { headers, body })
}

/// Signs a body as Standard Webhooks say: `v1,` and the base64 of HMAC-SHA256 over
/// `id.timestamp.body`. `timestamp` is in seconds since 1970.
///
/// The key is the base64 behind `whsec_`; a secret without that prefix is the key's bytes itself.
///
/// ```
/// # use openeve_domain::secret::Secret;
/// let secret = Secret::new("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
/// let signature = openeve_integrations::channels::http::sign(
///     &secret,
///     "msg_p5jXN8AQM9LWM0D4loKWxJek",
///     1_614_265_330,
///     br#"{"test": 2432232314}"#,
/// );
/// assert_eq!(signature.as_deref(), Ok("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="));
/// ```
pub fn sign(secret: &Secret, id: &str, timestamp: i64, body: &[u8]) -> Result<String, SignError> {
    let secret = secret.reveal().trim();
    let key = match secret.strip_prefix("whsec_") {
        Some(encoded) => STANDARD.decode(encoded).map_err(|_| SignError::NotBase64)?,
        None => secret.as_bytes().to_vec(),
    };
    if key.is_empty() {
        return Err(SignError::Blank);
    }
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).map_err(|_| SignError::Blank)?;
    mac.update(format!("{id}.{timestamp}.").as_bytes());
    mac.update(body);
    Ok(format!(
        "v1,{}",
        STANDARD.encode(mac.finalize().into_bytes())
    ))
}

/// Judges the receiver's answer. The delivery's id is its dedupe key, so a repeat does no harm.
pub fn classify_reply(status: u16, retry_after: Option<&str>, now: Timestamp) -> SendOutcome {
    let after_ms = retry_after.and_then(|header| retry_after_ms(header, now));
    let refused = |remedy: &str| SendOutcome::Refused {
        error: format!("the receiver answered HTTP {status}; {remedy}"),
    };
    match status {
        200..=299 => SendOutcome::Sent {
            via: VIA.into(),
            provider_id: None,
        },
        300..=399 => {
            refused("redirects are not followed, so set the reply's URL to the final address")
        }
        401 | 403 => {
            refused("check that the receiver has the same signing secret and lets this sender in")
        }
        404 | 405 => refused("check the reply's URL, which must take POST"),
        410 => refused("it wants no more replies at this URL"),
        408 | 409 | 425 | 429 | 500.. => SendOutcome::Retry {
            after_ms,
            error: format!("the receiver answered HTTP {status}"),
        },
        _ => refused("it does not take this reply, so check what it expects"),
    }
}
