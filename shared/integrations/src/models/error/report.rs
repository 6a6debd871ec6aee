//! An error as providers write it, in one form.

use serde_json::Value;

use super::WAIT_MS_MAX;

/// What an error said, whatever shape it had.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Report {
    /// The HTTP status, or the one an error inside a stream names.
    pub(super) status: Option<u16>,
    /// The provider's words, uncut.
    pub(super) message: String,
    /// Code, type, status and message, lower case, to search in.
    pub(super) haystack: String,
    /// A wait named in the body.
    pub(super) retry_after_ms: Option<u64>,
}

impl Report {
    /// Reads the body of a refusal.
    pub(super) fn of_body(status: u16, body: &[u8]) -> Self {
        let mut report = match serde_json::from_slice::<Value>(body) {
            // Gemini wraps its error in a list.
            Ok(Value::Array(list)) => Self::of_value(list.first().unwrap_or(&Value::Null)),
            Ok(value) => Self::of_value(&value),
            Err(_) => Self::of_text(&String::from_utf8_lossy(body)),
        };
        report.status = Some(status);
        report
    }

    /// Reads an error object that came inside a stream.
    pub(super) fn in_band(holder: &Value) -> Self {
        let mut report = Self::of_value(holder);
        let error = holder.get("error").unwrap_or(holder);
        let code = ["status_code", "raw_status_code", "code"]
            .into_iter()
            .find_map(|key| http_status(error.get(key)?));
        report.status = code;
        report
    }

    /// Reads a text that is no JSON.
    pub(super) fn of_text(text: &str) -> Self {
        let text = text.trim();
        let message = if text.starts_with('<') {
            "a web page"
        } else {
            text
        };
        Self {
            message: message.to_owned(),
            haystack: message.to_lowercase(),
            ..Self::default()
        }
    }

    /// Shapes: `{error: {…}}`, `{error: "…", code}`, `{message, code}`, `{detail: "…" | [{msg}]}`.
    fn of_value(value: &Value) -> Self {
        let error = match value.get("error") {
            Some(error @ Value::Object(_)) => error,
            _ => value,
        };
        let mut message = ["message", "error", "detail", "msg"]
            .into_iter()
            .find_map(|key| message_of(error.get(key)?))
            .unwrap_or_else(|| {
                if value.is_null() {
                    String::new()
                } else {
                    value.to_string()
                }
            });
        // A router's own message says little; the provider's stands beside it.
        if let Some(raw) = error.pointer("/metadata/raw").and_then(message_of) {
            message = format!("{message}: {raw}");
        }
        let mut haystack = message.to_lowercase();
        for key in ["code", "type", "status", "error_type"] {
            let field = error.get(key).map(scalar).unwrap_or_default();
            haystack.push('\n');
            haystack.push_str(&field.to_lowercase());
        }
        let details = error
            .get("details")
            .and_then(Value::as_array)
            .map(Vec::as_slice)
            .unwrap_or_default();
        for reason in details
            .iter()
            .filter_map(|detail| detail.get("reason")?.as_str())
        {
            haystack.push('\n');
            haystack.push_str(&reason.to_lowercase());
        }
        let retry_after_ms = details
            .iter()
            .find_map(|detail| seconds(detail.get("retryDelay")?.as_str()?));
        Self {
            status: None,
            message,
            haystack,
            retry_after_ms,
        }
    }

    /// Whether one of these lower-case texts occurs.
    pub(super) fn says(&self, texts: &[&str]) -> bool {
        texts.iter().any(|text| self.haystack.contains(text))
    }
}

fn message_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.trim().is_empty() => Some(text.trim().to_owned()),
        Value::Array(list) => {
            let texts: Vec<&str> = list
                .iter()
                .filter_map(|item| item.get("msg")?.as_str())
                .collect();
            (!texts.is_empty()).then(|| texts.join("; "))
        }
        Value::Object(fields) => fields.get("message").and_then(message_of),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

fn scalar(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

fn http_status(value: &Value) -> Option<u16> {
    let number = value.as_u64().or_else(|| value.as_str()?.parse().ok())?;
    u16::try_from(number)
        .ok()
        .filter(|status| (400..600).contains(status))
}

/// Reads Gemini's `34.4s`.
fn seconds(text: &str) -> Option<u64> {
    let (whole, fraction) = text
        .strip_suffix('s')?
        .split_once('.')
        .unwrap_or((text.strip_suffix('s')?, ""));
    let tenths = fraction
        .chars()
        .next()
        .and_then(|digit| digit.to_digit(10))
        .unwrap_or(0);
    let wait_ms = whole.parse::<u64>().ok()?.checked_mul(1_000)? + u64::from(tenths) * 100;
    (wait_ms <= WAIT_MS_MAX).then_some(wait_ms)
}
