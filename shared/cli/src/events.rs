//! An event in short, the same wherever people read one.

use openeve_domain::event;
use serde_json::Value;

use crate::output;

/// What a person wants to know of an event beside its kind.
pub(crate) fn details(kind: &str, payload: &Value) -> String {
    let text = |key: &str| {
        payload
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let number = |key: &str| payload.get(key).and_then(Value::as_u64).unwrap_or_default();
    match kind {
        event::RUN_CREATED => format!(
            " ({}, {} bytes on {})",
            text("trigger"),
            number("bytes"),
            text("channel")
        ),
        event::RUN_WAITING => format!(" ({})", text("status")),
        event::RUN_CANCEL_REQUESTED => format!(" by {}", text("by")),
        event::PAUSE_REQUESTED | event::TOOL_REJECTED | event::TOOL_SKIPPED => {
            format!(" {}", output::visible(&text("tool")))
        }
        event::PAUSE_DECIDED => match text("by") {
            by if by.is_empty() => format!(": {}", text("verdict")),
            by => format!(": {} by {}", text("verdict"), output::visible(&by)),
        },
        event::RUN_FAILED => format!(": {}: {}", text("code"), text("message")),
        event::TOOL_STARTED | event::TOOL_INTERRUPTED | event::TOOL_CANCELLED => {
            format!(" {}", text("tool"))
        }
        event::TOOL_FAILED => format!(" {}: {}", text("tool"), text("error")),
        event::TOOL_SUCCEEDED => {
            format!(" {} ({} bytes)", text("tool"), number("output_bytes"))
        }
        event::DELIVERY_SENT => format!(" via {}", text("via")),
        event::DELIVERY_DEFERRED | event::DELIVERY_FAILED => format!(": {}", text("error")),
        event::RUN_PARKED => format!(" for {} ms: {}", number("wait_ms"), text("message")),
        _ => String::new(),
    }
}
