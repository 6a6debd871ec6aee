//! Fills a tool's arguments from the message, from what tools returned, and from the clock.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Map, Value, json};

use super::ask::Missing;
use super::day;
use super::find::{self, Found};
use super::names;
use super::topic::{Topic, topic};
use super::words::words;

/// Calls that one tool may be given at once, when the message names several values of an enum.
const VALUES_MAX: usize = 2;

/// Where arguments come from.
pub(super) struct Sources<'a> {
    /// The last user message.
    pub(super) message: &'a str,
    /// Its stems.
    pub(super) words: &'a [String],
    /// What tools returned since, in order.
    pub(super) outputs: &'a [&'a str],
    /// The present time.
    pub(super) now: Timestamp,
}

/// The tool whose arguments are looked for.
struct Asking<'a> {
    /// Its words.
    known: &'a [String],
    /// Whether it takes a person's name.
    takes_person: bool,
    /// Whether it requires one argument at most, so that a message may be meant for that alone.
    is_simple: bool,
}

/// The enum values of a parameter's schema; none if it has no enum.
pub(super) fn enum_values(schema: &Value) -> &[Value] {
    schema
        .get("enum")
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default()
}

impl Sources<'_> {
    /// The arguments of one call, or of two when the message names several values of an enum.
    /// Required parameters are filled, and others only if the message names one of their values.
    /// An error names the required parameters that cannot be filled. `known` are the words of the
    /// tool itself.
    pub(super) fn arguments(
        &self,
        schema: &Value,
        known: &[String],
    ) -> Result<Vec<Value>, Vec<Missing>> {
        let mut calls = vec![Map::new()];
        let mut missing = Vec::new();
        let mut numbers = find::integers(self.message);
        let properties = schema.get("properties").and_then(Value::as_object);
        let property = |name: &str| {
            properties
                .and_then(|properties| properties.get(name))
                .unwrap_or(&Value::Null)
        };
        let required: Vec<&str> = schema
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let asking = Asking {
            known,
            takes_person: required.iter().any(|name| is_person(name, property(name))),
            is_simple: required.len() <= 1,
        };
        for name in &required {
            let values = self.values(name, property(name), &asking, &mut numbers);
            if values.is_empty() {
                missing.push(Missing::new(name, property(name)));
            }
            calls = each(&calls, name, &values);
        }
        if !missing.is_empty() {
            return Err(missing);
        }
        let is_optional = |(name, _): &(&String, &Value)| !required.contains(&name.as_str());
        for (name, property) in properties.into_iter().flatten().filter(is_optional) {
            let values = self.named(enum_values(property));
            if !values.is_empty() {
                calls = each(&calls, name, &values);
            }
        }
        Ok(calls
            .into_iter()
            .take(VALUES_MAX)
            .map(Value::Object)
            .collect())
    }

    fn values(
        &self,
        name: &str,
        property: &Value,
        asking: &Asking<'_>,
        numbers: &mut Vec<(i64, Vec<String>)>,
    ) -> Vec<Value> {
        if !enum_values(property).is_empty() {
            return self.named(enum_values(property));
        }
        let text = || self.text(topic(name, property), property, asking);
        let value = match property.get("type").and_then(Value::as_str) {
            Some("integer" | "number") => number(name, property, numbers).map(Value::from),
            Some("boolean") => Some(Value::Bool(
                words(name).iter().any(|word| self.words.contains(word)),
            )),
            Some("array") => text().map(|text| json!([text])),
            Some("object") => Some(json!({})),
            _ => text().map(Value::String),
        };
        value.into_iter().collect()
    }

    /// The enum values whose every word was said.
    fn named(&self, values: &[Value]) -> Vec<Value> {
        let is_said = |value: &&Value| {
            let words = words(value.as_str().unwrap_or_default());
            !words.is_empty() && words.iter().all(|word| self.words.contains(word))
        };
        values.iter().filter(is_said).cloned().collect()
    }

    fn text(&self, topic: Topic, property: &Value, asking: &Asking<'_>) -> Option<String> {
        match topic {
            Topic::Now => Some(self.present(property)),
            Topic::Time => self.first(find::wished_times, find::times),
            Topic::Date => self.date(),
            Topic::Instant => self.first(find::instants, find::instants).or_else(|| {
                let time = self.first(find::wished_times, find::times)?;
                Some(format!("{}T{time}:00Z", self.date()?))
            }),
            Topic::Person => names::person(self.message, asking.known).or_else(|| {
                let anybody = || names::anybody(self.message);
                if asking.is_simple { anybody() } else { None }
            }),
            Topic::Everything => Some(self.message.to_owned()),
            Topic::Subject => names::subject(self.message, asking.known, asking.takes_person)
                .or_else(|| asking.is_simple.then(|| self.message.to_owned())),
        }
    }

    /// In the message if it is there, else in what tools returned, the newest first: there, words
    /// of the message and today's name tell which one is meant.
    fn first(
        &self,
        in_message: fn(&str) -> Vec<Found>,
        in_output: fn(&str) -> Vec<Found>,
    ) -> Option<String> {
        let mut said = self.words.to_vec();
        said.push(
            self.now
                .to_zoned(TimeZone::UTC)
                .strftime("%A")
                .to_string()
                .to_lowercase(),
        );
        let returned = || {
            self.outputs
                .iter()
                .rev()
                .find_map(|output| find::nearest(in_output(output), &said))
        };
        find::nearest(in_message(self.message), &[]).or_else(returned)
    }

    /// The present time: what the message says, else the clock's, as a time or as an instant.
    fn present(&self, property: &Value) -> String {
        let described = property
            .get("description")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let now = self.now.to_zoned(TimeZone::UTC);
        if find::instants(described).is_empty() && described.contains("HH:MM") {
            return now.strftime("%H:%M").to_string();
        }
        let said = find::nearest(find::instants(self.message), &[]);
        said.unwrap_or_else(|| now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
    }

    /// A date or day that the message names, else a date that a tool returned.
    fn date(&self) -> Option<String> {
        let today = self.now.to_zoned(TimeZone::UTC).date();
        find::nearest(find::dates(self.message), &[])
            .or_else(|| day::named(self.words, today).map(|day| day.to_string()))
            .or_else(|| self.first(find::dates, find::dates))
    }
}

/// Whether a parameter is a person's name, and not how many persons there are.
fn is_person(name: &str, property: &Value) -> bool {
    let kind = property.get("type").and_then(Value::as_str);
    let is_text = kind.is_none_or(|kind| kind == "string") && enum_values(property).is_empty();
    is_text && topic(name, property) == Topic::Person
}

fn each(calls: &[Map<String, Value>], name: &str, values: &[Value]) -> Vec<Map<String, Value>> {
    let with = |call: &Map<String, Value>, value: &Value| {
        let mut call = call.clone();
        call.insert(name.to_owned(), value.clone());
        call
    };
    let pairs = calls
        .iter()
        .flat_map(|call| values.iter().map(move |value| with(call, value)));
    pairs.take(VALUES_MAX).collect()
}

/// The number nearest to a word of the parameter, else the first that is left.
fn number(name: &str, property: &Value, numbers: &mut Vec<(i64, Vec<String>)>) -> Option<i64> {
    let mut about = words(name);
    about.extend(words(
        property
            .get("description")
            .and_then(Value::as_str)
            .unwrap_or_default(),
    ));
    let near = numbers
        .iter()
        .position(|(_, near)| near.iter().any(|word| about.contains(word)));
    let at = near.or_else(|| (!numbers.is_empty()).then_some(0))?;
    Some(numbers.remove(at).0)
}
