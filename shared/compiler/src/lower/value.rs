//! Values as they were read from the source, each with its place.
//!
//! Reading is total: a form that cannot be read becomes [`Kind::Unreadable`] with its reason, and is
//! reported only where a definition needs the value. So a tool's `execute` may be any expression.

use serde_json::{Map, Number, Value};

use crate::diagnostic::Span;

/// Largest integer that a JavaScript number holds exactly.
const SAFE_INTEGER_MAX: f64 = 9_007_199_254_740_991.0;

/// A value and where it was written.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) span: Span,
    pub(crate) kind: Kind,
}

/// What a value is.
#[derive(Debug, Clone)]
pub(crate) enum Kind {
    Undefined,
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Node>),
    Object(Object),
    /// A function; its body is the engine's business.
    Function,
    /// A helper of the framework, called.
    Call(Call),
    /// A name from another module.
    Imported {
        name: String,
        module: String,
    },
    /// Anything else, and why it cannot be read: "a call", "`x`, which is declared with let".
    Unreadable(String),
}

/// An object's entries in their order, later ones over earlier ones of the same key.
#[derive(Debug, Clone, Default)]
pub(crate) struct Object {
    pub(crate) entries: Vec<Entry>,
    /// Spreads and computed keys that could not be read.
    pub(crate) holes: Vec<Node>,
}

/// One entry of an object.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) key_span: Span,
    pub(crate) value: Node,
}

/// A call such as `env("TOKEN")`.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    /// The helper's name as its package exports it.
    pub(crate) helper: String,
    pub(crate) arguments: Vec<Node>,
}

/// The first form inside a value that has no JSON.
#[derive(Debug)]
pub(crate) struct NotJson {
    pub(crate) span: Span,
    pub(crate) reason: String,
}

impl Object {
    /// Sets a key; a key that is already there keeps its position.
    pub(crate) fn set(&mut self, entry: Entry) {
        match self.entries.iter_mut().find(|known| known.key == entry.key) {
            Some(known) => *known = entry,
            None => self.entries.push(entry),
        }
    }

    /// A key's value; `undefined` counts as absent.
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        self.entries
            .iter()
            .find(|entry| entry.key == key)
            .map(|entry| &entry.value)
            .filter(|value| !matches!(value.kind, Kind::Undefined))
    }
}

impl Node {
    pub(crate) fn new(span: Span, kind: Kind) -> Self {
        Self { span, kind }
    }

    /// A value of JSON, all of it placed at one span.
    pub(crate) fn from_json(span: Span, value: Value) -> Self {
        let kind = match value {
            Value::Null => Kind::Null,
            Value::Bool(value) => Kind::Bool(value),
            Value::Number(value) => Kind::Number(value.as_f64().unwrap_or(f64::NAN)),
            Value::String(value) => Kind::Text(value),
            Value::Array(items) => Kind::List(
                items
                    .into_iter()
                    .map(|item| Self::from_json(span, item))
                    .collect(),
            ),
            Value::Object(map) => {
                let mut object = Object::default();
                for (key, value) in map {
                    object.set(Entry {
                        key,
                        key_span: span,
                        value: Self::from_json(span, value),
                    });
                }
                Kind::Object(object)
            }
        };
        Self::new(span, kind)
    }

    /// The value as JSON. `env("NAME")` becomes `{"$env":"NAME"}`; no other call has JSON.
    pub(crate) fn to_json(&self) -> Result<Value, NotJson> {
        Ok(match &self.kind {
            Kind::Null => Value::Null,
            Kind::Bool(value) => Value::Bool(*value),
            Kind::Number(value) => {
                number(*value).ok_or_else(|| self.not_json("not a finite number"))?
            }
            Kind::Text(value) => Value::String(value.clone()),
            Kind::List(items) => {
                Value::Array(items.iter().map(Self::to_json).collect::<Result<_, _>>()?)
            }
            Kind::Object(object) => object.to_json()?,
            Kind::Call(call) => match (
                call.helper.as_str(),
                call.arguments.first().map(|first| &first.kind),
            ) {
                ("env", Some(Kind::Text(name))) => serde_json::json!({ "$env": name }),
                _ => return Err(self.not_json(&self.describe())),
            },
            Kind::Undefined | Kind::Function | Kind::Imported { .. } | Kind::Unreadable(_) => {
                return Err(self.not_json(&self.describe()));
            }
        })
    }

    /// A value that cannot be read, and why.
    pub(crate) fn unreadable(span: Span, reason: impl Into<String>) -> Self {
        Self::new(span, Kind::Unreadable(reason.into()))
    }

    /// Whether the value itself is known, and not just where it comes from.
    pub(crate) fn is_known(&self) -> bool {
        !matches!(self.kind, Kind::Unreadable(_) | Kind::Imported { .. })
    }

    /// The text, if the value is one.
    pub(crate) fn text(&self) -> Option<&str> {
        if let Kind::Text(text) = &self.kind {
            Some(text)
        } else {
            None
        }
    }

    /// Why the value cannot be read, if it cannot.
    pub(crate) fn why_unreadable(&self) -> Option<&str> {
        if let Kind::Unreadable(reason) = &self.kind {
            Some(reason)
        } else {
            None
        }
    }

    /// The number, if the value is one.
    pub(crate) fn number(&self) -> Option<f64> {
        if let Kind::Number(number) = self.kind {
            Some(number)
        } else {
            None
        }
    }

    /// What the value is, as it reads in "must be a string, but is …".
    pub(crate) fn describe(&self) -> String {
        match &self.kind {
            Kind::Undefined => "undefined".to_owned(),
            Kind::Null => "null".to_owned(),
            Kind::Bool(_) => "a boolean".to_owned(),
            Kind::Number(_) => "a number".to_owned(),
            Kind::Text(_) => "a string".to_owned(),
            Kind::List(_) => "an array".to_owned(),
            Kind::Object(_) => "an object".to_owned(),
            Kind::Function => "a function".to_owned(),
            Kind::Call(call) => format!("a call of {}()", call.helper),
            Kind::Imported { name, module } => format!("{name}, which is imported from {module:?}"),
            Kind::Unreadable(reason) => reason.clone(),
        }
    }

    /// How many values it consists of, itself included.
    pub(crate) fn size(&self) -> usize {
        let inside: usize = match &self.kind {
            Kind::List(items) => items.iter().map(Self::size).sum(),
            Kind::Object(object) => object.entries.iter().map(|entry| entry.value.size()).sum(),
            Kind::Call(call) => call.arguments.iter().map(Self::size).sum(),
            Kind::Undefined
            | Kind::Null
            | Kind::Bool(_)
            | Kind::Number(_)
            | Kind::Text(_)
            | Kind::Function
            | Kind::Imported { .. }
            | Kind::Unreadable(_) => 0,
        };
        inside + 1
    }

    fn not_json(&self, reason: &str) -> NotJson {
        NotJson {
            span: self.span,
            reason: reason.to_owned(),
        }
    }
}

impl Object {
    fn to_json(&self) -> Result<Value, NotJson> {
        if let Some(hole) = self.holes.first() {
            return Err(NotJson {
                span: hole.span,
                reason: hole.describe(),
            });
        }
        let mut map = Map::new();
        for entry in &self.entries {
            if !matches!(entry.value.kind, Kind::Undefined) {
                map.insert(entry.key.clone(), entry.value.to_json()?);
            }
        }
        Ok(Value::Object(map))
    }
}

/// A JavaScript number as JSON writes it: integers without a fraction.
#[expect(
    clippy::cast_possible_truncation,
    reason = "checked: whole and within the exact range"
)]
fn number(value: f64) -> Option<Value> {
    if value.fract() == 0.0 && value.abs() <= SAFE_INTEGER_MAX {
        return Some(Value::from(value as i64));
    }
    Number::from_f64(value).map(Value::Number)
}
