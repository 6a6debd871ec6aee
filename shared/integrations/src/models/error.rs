//! Reads a refusal: what is wrong, whether another try can help, and what a person should do.
//!
//! Providers agree on little: a bad key may be a 400, an unknown model a 403, a rate limit may
//! speak of quota. The order of the questions is the rule: too long a conversation is recognised
//! before anything is retried, an unknown model before a bad key, an empty account before a rate
//! limit. `x-should-retry` overrides whether it is tried again, except for a conversation that
//! is too long.

mod cause;
mod report;

use http::HeaderMap;
use jiff::Timestamp;
use openeve_domain::limits::HOUR_MS;
use openeve_domain::retry::{Class, retry_after_ms};
use openeve_domain::run::model_failed::ModelFailure;
use serde_json::Value;

use self::cause::Cause;
use self::report::Report;
use super::Endpoint;

/// The longest wait a provider may ask for; a longer one is no wish.
const WAIT_MS_MAX: u64 = 24 * HOUR_MS;

/// Reads an answer whose status is not 200. `now` is what a date in `Retry-After` is compared to.
pub fn classify_error(
    endpoint: &Endpoint,
    status: u16,
    headers: &HeaderMap,
    body: &[u8],
    now: Timestamp,
) -> ModelFailure {
    let report = Report::of_body(status, body);
    let cause = Cause::of(&report);
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let after_ms = header("retry-after-ms")
        .and_then(whole_ms)
        .or_else(|| header("retry-after").and_then(|value| retry_after_ms(value, now)))
        .or(report.retry_after_ms);
    let class = match (cause, header("x-should-retry")) {
        (Cause::Overflow, _) | (_, Some("false")) => Class::Refused,
        (_, Some("true")) => Class::Retry { after_ms },
        (cause, _) if cause.passes() => Class::Retry { after_ms },
        _ => Class::Refused,
    };
    cause.failure(endpoint, &report, class)
}

/// Reads an error inside an answer that began with 200 (public case C4). None if there is none.
pub(super) fn in_band(endpoint: &Endpoint, chunk: &Value) -> Option<ModelFailure> {
    let at = |value: &Value| value.get("error").is_some_and(is_error);
    let choice = chunk.pointer("/choices/0").filter(|choice| at(choice));
    let is_flat = chunk.get("object").and_then(Value::as_str) == Some("error");
    let holder = if at(chunk) || is_flat {
        Some(chunk)
    } else {
        choice
    };
    holder.map(|holder| failure_of(endpoint, &Report::in_band(holder)))
}

/// Reads an event that is named `error` and holds no error object.
pub(super) fn of_event(endpoint: &Endpoint, data: &str) -> ModelFailure {
    failure_of(endpoint, &Report::of_text(data))
}

fn failure_of(endpoint: &Endpoint, report: &Report) -> ModelFailure {
    let cause = Cause::of(report);
    let retry = Class::Retry {
        after_ms: report.retry_after_ms,
    };
    cause.failure(
        endpoint,
        report,
        if cause.passes() {
            retry
        } else {
            Class::Refused
        },
    )
}

fn is_error(error: &Value) -> bool {
    match error {
        Value::Object(fields) => !fields.is_empty(),
        Value::String(text) => !text.is_empty(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => false,
    }
}

fn whole_ms(header: &str) -> Option<u64> {
    header
        .trim()
        .parse::<u64>()
        .ok()
        .filter(|wait_ms| *wait_ms <= WAIT_MS_MAX)
}
