//! Reads what a caller hands in.

use http::HeaderMap;
use http::header::CONTENT_TYPE;
use openeve_domain::channel::{ChannelTurn, IdempotencyKey};
use openeve_domain::limits::{INBOUND_BODY_BYTES_MAX, MESSAGE_BYTES_MAX};
use serde_json::{Map, Value};

/// The longest conversation key, sender or delivery id.
const KEY_BYTES_MAX: usize = 255;
const FIELDS: [&str; 5] = ["message", "conversation", "sender", "tenant", "id"];

/// A message that was handed in.
#[derive(Debug, Clone, PartialEq)]
pub struct Inbound {
    /// The turn to begin.
    pub turn: ChannelTurn,
    /// Under which key a repeat is recognised. None: every request is a message of its own.
    pub key: Option<IdempotencyKey>,
}

/// A request that is not taken. The variants differ by the status the caller is answered with.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InboundError {
    /// The body does not say what is needed.
    #[error("{0}")]
    Malformed(String),
    /// The body or the message is too large.
    #[error("{what} has {bytes} bytes; at most {bytes_max} are taken")]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// Its size.
        bytes: usize,
        /// The bound.
        bytes_max: usize,
    },
    /// The content type is none we read.
    #[error("content type {0:?} is not read here; send application/json or text/plain in UTF-8")]
    UnsupportedType(String),
    /// The caller did not prove who it is.
    #[error("{0}")]
    Unauthorized(&'static str),
}

impl InboundError {
    /// The HTTP status to answer with.
    pub const fn status(&self) -> u16 {
        match self {
            Self::Malformed(_) => 400,
            Self::Unauthorized(_) => 401,
            Self::TooLarge { .. } => 413,
            Self::UnsupportedType(_) => 415,
        }
    }

    /// The stable code to answer with.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Malformed(_) => "request_malformed",
            Self::Unauthorized(_) => "request_unauthorized",
            Self::TooLarge { .. } => "request_too_large",
            Self::UnsupportedType(_) => "request_unsupported_type",
        }
    }
}

/// Reads a request to a channel. `fresh_conversation` is the conversation's key if the caller
/// names none.
pub fn parse(
    channel: &str,
    headers: &HeaderMap,
    body: &[u8],
    fresh_conversation: &str,
) -> Result<Inbound, InboundError> {
    within("the body", body.len(), INBOUND_BODY_BYTES_MAX)?;
    let body = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body);
    let body = std::str::from_utf8(body).map_err(|error| {
        malformed(format!(
            "the body is not UTF-8 from byte {} on",
            error.valid_up_to()
        ))
    })?;
    let fields = if is_json(headers, body)? {
        object(body)?
    } else {
        text(body)
    };
    if let Some(unknown) = fields.keys().find(|key| !FIELDS.contains(&key.as_str())) {
        return Err(malformed(format!(
            "unknown field {unknown:?}; the fields are {}",
            FIELDS.join(", ")
        )));
    }
    let message = required(&fields, "message")?
        .replace("\r\n", "\n")
        .replace('\0', "");
    if message.trim().is_empty() {
        return Err(malformed("\"message\" is blank; say something".into()));
    }
    within("the message", message.len(), MESSAGE_BYTES_MAX)?;
    let conversation = identifier(&fields, "conversation")?;
    let sender = identifier(&fields, "sender")?;
    let tenant = identifier(&fields, "tenant")?;
    let id = match delivery_header(headers)? {
        Some(id) => Some(id),
        None => identifier(&fields, "id")?,
    };
    Ok(Inbound {
        turn: ChannelTurn {
            channel: channel.to_owned(),
            conversation_key: conversation.unwrap_or_else(|| fresh_conversation.to_owned()),
            text: message,
            tenant,
            sender,
            reply_target: Value::Null,
        },
        key: id.map(|id| IdempotencyKey::channel(channel, &id)),
    })
}

/// Whether the body is JSON. `curl -d` claims a form whatever it sends, so a body that looks like
/// an object is read as one.
fn is_json(headers: &HeaderMap, body: &str) -> Result<bool, InboundError> {
    let header = headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let lower = header.to_ascii_lowercase();
    let (essence, parameters) = lower.split_once(';').unwrap_or((&lower, ""));
    let unsupported = || InboundError::UnsupportedType(header.to_owned());
    if let Some((_, charset)) = parameters.split_once("charset=") {
        let charset = charset
            .split(';')
            .next()
            .unwrap_or_default()
            .trim()
            .trim_matches('"');
        if !matches!(charset, "utf-8" | "utf8" | "us-ascii") {
            return Err(unsupported());
        }
    }
    let looks_json = body.trim_start().starts_with('{');
    match essence.trim() {
        "application/json" => Ok(true),
        essence if essence.starts_with("application/") && essence.ends_with("+json") => Ok(true),
        "text/plain" => Ok(false),
        "" => Ok(looks_json),
        "application/x-www-form-urlencoded" if looks_json => Ok(true),
        _ => Err(unsupported()),
    }
}

fn object(body: &str) -> Result<Map<String, Value>, InboundError> {
    let value: Value = serde_json::from_str(body).map_err(|error| {
        malformed(format!(
            "the body is not valid JSON: {error}; send an object such as {{\"message\": \"hello\"}}"
        ))
    })?;
    let kind = kind(&value);
    let Value::Object(fields) = value else {
        return Err(malformed(format!(
            "the body is {kind}; send an object such as {{\"message\": \"hello\"}}"
        )));
    };
    Ok(fields)
}

fn text(body: &str) -> Map<String, Value> {
    Map::from_iter([("message".to_owned(), body.into())])
}

fn required<'a>(fields: &'a Map<String, Value>, name: &str) -> Result<&'a str, InboundError> {
    match fields.get(name) {
        Some(Value::String(text)) => Ok(text),
        Some(other) => Err(malformed(format!(
            "{name:?} must be a string and is {}",
            kind(other)
        ))),
        None => Err(malformed(format!(
            "{name:?} is missing; send an object such as {{\"message\": \"hello\"}}"
        ))),
    }
}

fn identifier(fields: &Map<String, Value>, name: &str) -> Result<Option<String>, InboundError> {
    match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(_) => checked(&format!("{name:?}"), required(fields, name)?).map(Some),
    }
}

fn delivery_header(headers: &HeaderMap) -> Result<Option<String>, InboundError> {
    for name in ["idempotency-key", "webhook-id"] {
        if let Some(value) = headers.get(name) {
            let what = format!("the header {name}");
            let text = value
                .to_str()
                .map_err(|_| malformed(format!("{what} holds bytes that are not ASCII")))?;
            return checked(&what, text).map(Some);
        }
    }
    Ok(None)
}

fn checked(what: &str, text: &str) -> Result<String, InboundError> {
    if text.trim().is_empty() {
        return Err(malformed(format!(
            "{what} is blank; leave it out or give it a value"
        )));
    }
    if text.len() > KEY_BYTES_MAX {
        return Err(malformed(format!(
            "{what} has {} bytes; at most {KEY_BYTES_MAX} are taken",
            text.len()
        )));
    }
    if text.chars().any(char::is_control) {
        return Err(malformed(format!("{what} holds a control character")));
    }
    Ok(text.to_owned())
}

const fn within(what: &'static str, bytes: usize, bytes_max: usize) -> Result<(), InboundError> {
    if bytes > bytes_max {
        Err(InboundError::TooLarge {
            what,
            bytes,
            bytes_max,
        })
    } else {
        Ok(())
    }
}

const fn malformed(message: String) -> InboundError {
    InboundError::Malformed(message)
}

const fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
