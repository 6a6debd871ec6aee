//! What a parameter is about, as far as its name, description, format and pattern tell.

use serde_json::Value;

use super::find;
use super::words::words;

/// What one parameter is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Topic {
    /// The present time.
    Now,
    /// A time of day.
    Time,
    /// A point in time with its offset.
    Instant,
    /// A day.
    Date,
    /// A person's name.
    Person,
    /// The message itself.
    Everything,
    /// What the message is about.
    Subject,
}

/// Reads it off a parameter's schema.
pub(super) fn topic(name: &str, property: &Value) -> Topic {
    let text = |key: &str| {
        property
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let (names, described) = (words(name), words(text("description")));
    let is = |stems: &[&str]| names.iter().any(|word| stems.contains(&word.as_str()));
    let is_clock =
        text("description").contains("HH:MM") || text("pattern").contains("\\d{2}:\\d{2}");
    if is(&["now", "present", "current"]) {
        return Topic::Now;
    }
    match text("format") {
        "time" => return Topic::Time,
        "date" => return Topic::Date,
        "date-time" => return Topic::Instant,
        _ => {}
    }
    if is(&["dat", "day"]) || text("pattern").contains("\\d{4}-\\d{2}-\\d{2}") {
        return Topic::Date;
    }
    if is_clock || is(&["tim", "hour", "clock"]) {
        return Topic::Time;
    }
    if !find::instants(text("description")).is_empty() {
        return Topic::Instant;
    }
    if is(&["nam", "person", "customer", "guest", "who"]) {
        return Topic::Person;
    }
    if is(&["target", "start", "end", "until", "deadlin"])
        || described.iter().any(|word| word == "tim")
    {
        return Topic::Time;
    }
    let wants_all = is(&[
        "text", "messag", "query", "question", "note", "content", "prompt", "body", "input",
    ]);
    if wants_all {
        Topic::Everything
    } else {
        Topic::Subject
    }
}
