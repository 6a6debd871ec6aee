//! What somebody wants of a paused run, read out of a request's body.

use openeve_domain::ids::ToolCallId;
use openeve_domain::limits::{INBOUND_BODY_BYTES_MAX, KIB, MESSAGE_BYTES_MAX};
use serde_json::{Map, Value};

use super::IngressResponse;
use crate::resume::{Decider, Which};

/// The longest reason of a rejection.
const REASON_BYTES_MAX: usize = 4 * KIB;

/// A body that was understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wish {
    /// Which pause.
    pub(super) which: Which,
    /// Who, if the body says so.
    pub(super) by: Option<Decider>,
    /// `reason` or `text`, if the body has it.
    pub(super) words: Option<String>,
}

/// A body that was not: how large it may be, or what is wrong and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Unclear {
    /// More bytes than are read.
    TooLarge(String),
    /// No such object.
    Malformed(String),
}

impl From<Unclear> for IngressResponse {
    fn from(unclear: Unclear) -> Self {
        match unclear {
            Unclear::TooLarge(why) => Self::error(413, "request_too_large", &why),
            Unclear::Malformed(why) => Self::error(400, "request_malformed", &why),
        }
    }
}

/// Reads a body that may have these fields. An empty one has none. The content type is not looked
/// at: `curl -d` claims a form whatever it sends.
pub(super) fn parse(body: &[u8], allowed: &[&str]) -> Result<Wish, Unclear> {
    if body.len() > INBOUND_BODY_BYTES_MAX {
        let bytes = body.len();
        return Err(Unclear::TooLarge(format!(
            "the body has {bytes} bytes; at most {INBOUND_BODY_BYTES_MAX} are read"
        )));
    }
    let fields = object(body)?;
    if let Some(unknown) = fields.keys().find(|key| !allowed.contains(&key.as_str())) {
        return Err(malformed(format!(
            "unknown field {unknown:?}; the fields are {}",
            allowed.join(", ")
        )));
    }
    let words = match text(&fields, "reason", REASON_BYTES_MAX)? {
        Some(reason) => Some(reason),
        None => text(&fields, "text", MESSAGE_BYTES_MAX)?,
    };
    Ok(Wish {
        which: Which {
            call_id: call(&fields)?,
            generation: generation(&fields)?,
        },
        by: decider(&fields)?,
        words,
    })
}

fn object(body: &[u8]) -> Result<Map<String, Value>, Unclear> {
    let body = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body);
    if body.trim_ascii().is_empty() {
        return Ok(Map::new());
    }
    match serde_json::from_slice(body) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Err(malformed("the body is no JSON object".to_owned())),
        Err(error) => Err(malformed(format!("the body is not valid JSON: {error}"))),
    }
}

fn string<'a>(fields: &'a Map<String, Value>, name: &str) -> Result<Option<&'a str>, Unclear> {
    match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(malformed(format!("{name:?} must be a string"))),
    }
}

/// Words for the model, as a message's are kept.
fn text(
    fields: &Map<String, Value>,
    name: &str,
    bytes_max: usize,
) -> Result<Option<String>, Unclear> {
    let Some(text) = string(fields, name)? else {
        return Ok(None);
    };
    let text = text.replace("\r\n", "\n").replace('\0', "");
    if text.len() > bytes_max {
        let bytes = text.len();
        return Err(Unclear::TooLarge(format!(
            "{name:?} has {bytes} bytes; at most {bytes_max} are taken"
        )));
    }
    Ok(Some(text))
}

fn call(fields: &Map<String, Value>) -> Result<Option<ToolCallId>, Unclear> {
    let parsed = string(fields, "call")?.map(str::parse).transpose();
    parsed.map_err(|error| malformed(format!("\"call\": {error}")))
}

fn generation(fields: &Map<String, Value>) -> Result<Option<u32>, Unclear> {
    match fields.get("generation") {
        None | Some(Value::Null) => Ok(None),
        Some(value) => value
            .as_u64()
            .and_then(|number| u32::try_from(number).ok())
            .filter(|number| *number > 0)
            .map(Some)
            .ok_or_else(|| malformed(format!("\"generation\" is {value}; it counts from 1"))),
    }
}

/// Who decides, if the body names a person in any way.
fn decider(fields: &Map<String, Value>) -> Result<Option<Decider>, Unclear> {
    let id = string(fields, "by")?.map(str::to_owned);
    let roles = match fields.get("roles") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(roles)) => roles
            .iter()
            .map(|role| role.as_str().map(str::to_owned))
            .collect::<Option<Vec<String>>>()
            .ok_or_else(|| malformed("\"roles\" must be a list of strings".to_owned()))?,
        Some(_) => return Err(malformed("\"roles\" must be a list of strings".to_owned())),
    };
    if id.is_none() && roles.is_empty() {
        return Ok(None);
    }
    Decider::person(id, roles).map(Some).map_err(malformed)
}

const fn malformed(why: String) -> Unclear {
    Unclear::Malformed(why)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIELDS: [&str; 6] = ["call", "generation", "by", "roles", "reason", "text"];

    #[test]
    fn an_empty_body_asks_for_the_only_pause() {
        for body in ["", " \n", "{}", r#"{"call": null, "by": null}"#] {
            let wish = parse(body.as_bytes(), &FIELDS).unwrap();
            assert_eq!((wish.which, wish.by), (Which::default(), None), "{body}");
        }
    }

    #[test]
    fn every_field_is_read() {
        let body = r#"{"call": "call_00000000000000000000000000000007", "generation": 2,
            "by": "ada", "roles": ["admin"], "reason": "too\r\ndear"}"#;
        let wish = parse(body.as_bytes(), &FIELDS).unwrap();
        assert_eq!(wish.which.generation, Some(2));
        assert_eq!(
            wish.which.call_id.unwrap().to_string(),
            "call_00000000000000000000000000000007"
        );
        let roles = vec!["admin".to_owned()];
        assert_eq!(wish.by, Decider::person(Some("ada".to_owned()), roles).ok());
        assert_eq!(wish.words.as_deref(), Some("too\ndear"));
    }

    #[test]
    fn a_body_that_is_wrong_says_what_and_where() {
        let table = [
            ("{", "line 1"),
            ("[]", "no JSON object"),
            (
                r#"{"cal": "x"}"#,
                "unknown field \"cal\"; the fields are call, generation",
            ),
            (r#"{"call": 7}"#, "\"call\" must be a string"),
            (r#"{"call": "run_7"}"#, "must look like call_"),
            (r#"{"generation": 0}"#, "counts from 1"),
            (r#"{"generation": 1.5}"#, "counts from 1"),
            (r#"{"by": ""}"#, "\"by\" is blank"),
            (r#"{"by": "operator"}"#, "names no person"),
            (r#"{"roles": "admin"}"#, "list of strings"),
            (r#"{"roles": ["a", 1]}"#, "list of strings"),
        ];
        for (body, wanted) in table {
            let Err(Unclear::Malformed(why)) = parse(body.as_bytes(), &FIELDS) else {
                panic!("{body} was taken");
            };
            assert!(why.contains(wanted), "{body}: {why}");
        }
        let long = format!(r#"{{"reason": "{}"}}"#, "x".repeat(REASON_BYTES_MAX + 1));
        let refused = parse(long.as_bytes(), &FIELDS);
        assert!(matches!(refused, Err(Unclear::TooLarge(_))));
    }
}
