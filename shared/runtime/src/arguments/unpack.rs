//! Strings that hold the array or object the schema wants.
//!
//! Some models and servers encode a nested array or object twice: `"tags": "[\"a\"]"`. The string
//! cannot be what was meant where the schema refuses it and what it holds is of the kind that is
//! wanted. Nobody else's string is touched.

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{JsonType, JsonTypeSet, ValidationError};
use serde_json::Value;

use super::{NESTING_MAX, text};

/// The arguments with each such string replaced by what it holds; None if there is none.
pub(super) fn unpacked(input: &Value, found: &[ValidationError<'_>]) -> Option<Value> {
    let mut replaced = None;
    for error in found {
        let path = error.instance_path().as_str();
        let Some(Value::String(text)) = input.pointer(path) else {
            continue;
        };
        let levels_above = path.matches('/').count();
        let mut wanted = JsonTypeSet::empty();
        want(error, path, &mut wanted);
        if let Some(value) = held(text, levels_above, wanted)
            && let Some(place) = replaced
                .get_or_insert_with(|| input.clone())
                .pointer_mut(path)
        {
            *place = value;
        }
    }
    replaced
}

/// Adds the types that the schema, or an alternative of it, wants at the path.
fn want(error: &ValidationError<'_>, path: &str, wanted: &mut JsonTypeSet) {
    if error.instance_path().as_str() != path {
        return;
    }
    if let ValidationErrorKind::Type { kind } = error.kind() {
        *wanted = wanted.union(types(kind));
    }
    if let ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } =
        error.kind()
    {
        for error in context.iter().flatten() {
            want(error, path, wanted);
        }
    }
}

/// The types as a set.
pub(super) fn types(kind: &TypeKind) -> JsonTypeSet {
    match kind {
        TypeKind::Single(one) => JsonTypeSet::from(*one),
        TypeKind::Multiple(set) => *set,
    }
}

/// What a string holds, if that is an array or object that is wanted and not nested too deep.
fn held(text: &str, levels_above: usize, wanted: JsonTypeSet) -> Option<Value> {
    let kind = match text.trim_start().as_bytes().first()? {
        b'[' => JsonType::Array,
        b'{' => JsonType::Object,
        _ => return None,
    };
    let is_wanted =
        wanted.contains(kind) && levels_above.saturating_add(text::levels(text)) <= NESTING_MAX;
    is_wanted.then(|| serde_json::from_str(text).ok())?
}
