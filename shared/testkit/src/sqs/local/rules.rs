//! What SQS refuses of a request, in AWS's words. Pure.

use std::ops::RangeInclusive;

use serde_json::{Value, json};

/// A message's size at most.
const BODY_BYTES_MAX: usize = 1_024 * 1_024;
/// A message group's name at most.
const GROUP_CHARACTERS_MAX: usize = 128;

/// Why a request is not served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    /// AWS's name of the error.
    pub(super) kind: &'static str,
    pub(super) message: String,
}

impl Refusal {
    pub(super) fn new(kind: &'static str, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
        }
    }

    fn value(name: &str, value: &str, reason: &str) -> Self {
        Self::new(
            "InvalidParameterValue",
            format!("Value {value} for parameter {name} is invalid. Reason: {reason}."),
        )
    }

    pub(super) fn receipt() -> Self {
        Self::new(
            "ReceiptHandleIsInvalid",
            "The input receipt handle is invalid.",
        )
    }

    pub(super) fn not_in_flight() -> Self {
        Self::new("MessageNotInflight", "The message is not in flight.")
    }

    /// As the JSON protocol words it.
    pub(super) fn json(&self) -> Value {
        let kind = format!("com.amazonaws.sqs#{}", self.kind);
        json!({"__type": kind, "message": self.message})
    }
}

/// A text that must be there.
pub(super) fn text<'a>(request: &'a Value, name: &str) -> Result<&'a str, Refusal> {
    request[name].as_str().ok_or_else(|| {
        let message = format!("The request must contain the parameter {name}.");
        Refusal::new("MissingParameter", message)
    })
}

/// A number within bounds, if it is there. Queue attributes are numbers in a text.
pub(super) fn number(
    request: &Value,
    name: &str,
    allowed: RangeInclusive<u64>,
) -> Result<Option<u64>, Refusal> {
    let value = &request[name];
    if value.is_null() {
        return Ok(None);
    }
    let in_text = || value.as_str()?.parse().ok();
    match value.as_u64().or_else(in_text) {
        Some(value) if allowed.contains(&value) => Ok(Some(value)),
        Some(_) | None => {
            let (least, most) = (allowed.start(), allowed.end());
            let reason = format!("Must be between {least} and {most}, if provided");
            Err(Refusal::value(name, &value.to_string(), &reason))
        }
    }
}

/// The message's body.
pub(super) fn body(request: &Value) -> Result<&str, Refusal> {
    let body = text(request, "MessageBody")?;
    if body.is_empty() || body.len() > BODY_BYTES_MAX {
        let message = format!("Message must be 1 to {BODY_BYTES_MAX} bytes long.");
        return Err(Refusal::new("InvalidParameterValue", message));
    }
    Ok(body)
}

/// The message's group: 1 to 128 ASCII letters, digits and punctuation marks, on a standard queue too.
pub(super) fn group(request: &Value) -> Result<Option<&str>, Refusal> {
    const NAME: &str = "MessageGroupId";
    if request[NAME].is_null() {
        return Ok(None);
    }
    let group = text(request, NAME)?;
    let is_plain = group.bytes().all(|byte| byte.is_ascii_graphic());
    if group.is_empty() || group.len() > GROUP_CHARACTERS_MAX || !is_plain {
        let reason = "MessageGroupId can only include alphanumeric and punctuation characters. 1 to 128 in length";
        return Err(Refusal::value(NAME, group, reason));
    }
    Ok(Some(group))
}

/// The name of a queue that can be created here.
pub(super) fn queue_name(request: &Value) -> Result<&str, Refusal> {
    let name = text(request, "QueueName")?;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    if name.is_empty() || name.len() > 80 || !name.bytes().all(is_plain) {
        let reason =
            "Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length";
        return Err(Refusal::value("QueueName", name, reason));
    }
    Ok(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind<T>(result: Result<T, Refusal>) -> &'static str {
        result.map_or_else(|refusal| refusal.kind, |_| "none")
    }

    #[test]
    fn a_group_is_what_aws_says_it_is() {
        let punctuation = r##"!"#$%&'()*+,-./:;<=>?@[\]^_`{|}~"##;
        let longest = "x".repeat(128);
        for good in ["acme", "7", punctuation, &longest] {
            let asked = json!({"MessageGroupId": good});
            assert_eq!(group(&asked), Ok(Some(good)));
        }
        assert_eq!(group(&json!({})), Ok(None));
        let too_long = "x".repeat(129);
        for bad in ["", "two words", "café", "tab\t", &too_long] {
            let asked = json!({"MessageGroupId": bad});
            assert_eq!(kind(group(&asked)), "InvalidParameterValue", "{bad:?}");
        }
    }

    #[test]
    fn a_number_is_within_its_bounds() {
        let asked = json!({"DelaySeconds": 900, "VisibilityTimeout": "30"});
        assert_eq!(number(&asked, "DelaySeconds", 0..=900), Ok(Some(900)));
        assert_eq!(
            number(&asked, "VisibilityTimeout", 0..=43_200),
            Ok(Some(30))
        );
        assert_eq!(number(&asked, "WaitTimeSeconds", 0..=20), Ok(None));
        for bad in [json!(901), json!(-1), json!("soon"), json!(0.5)] {
            let refused = number(&json!({"DelaySeconds": bad}), "DelaySeconds", 0..=900);
            assert_eq!(kind(refused), "InvalidParameterValue", "{bad}");
        }
    }

    #[test]
    fn a_body_and_a_name_are_needed() {
        assert_eq!(kind(body(&json!({}))), "MissingParameter");
        assert_eq!(
            kind(body(&json!({"MessageBody": ""}))),
            "InvalidParameterValue"
        );
        assert_eq!(
            kind(queue_name(&json!({"QueueName": "steps.fifo"}))),
            "InvalidParameterValue"
        );
    }
}
