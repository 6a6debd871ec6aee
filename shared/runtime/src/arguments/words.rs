//! What the model is told about arguments that do not fit.

use std::fmt::Write as _;

use jsonschema::error::ValidationErrorKind as Kind;
use jsonschema::{JsonType, JsonTypeSet, ValidationError};
use serde_json::Value;

use super::unpack::types;
use openeve_domain::nearest::nearest;

/// Problems that are told; the rest is counted.
const PROBLEMS_MAX: usize = 5;
/// Bytes of one problem. Five of them, the heading and the count stay below 2,000.
const PROBLEM_BYTES_MAX: usize = 350;
/// Bytes of a value, name or pointer.
const VALUE_BYTES_MAX: usize = 100;
/// Names or values in a list.
const LIST_MAX: usize = 10;

/// For arguments that take too long to check.
pub(super) const TOO_COSTLY: &str = "the arguments are too large or too deeply nested to be held to the input schema of the tool; \
     call the tool again with less at once";
/// For arguments that do not fit, where finding out why takes too long.
pub(super) const UNEXPLAINED: &str = "the arguments do not fit the input schema of the tool, and are too large or too deeply nested to \
     say where; call the tool again with less at once, or correct them";
const HEADING: &str =
    "the arguments do not fit the input schema of the tool; correct them and call the tool again:";

/// Every problem, one a line, each with its place.
pub(super) fn refusal(root: &Value, found: &[ValidationError<'_>]) -> String {
    let problems = problems(root, found);
    let mut text = HEADING.to_owned();
    for problem in problems.iter().take(PROBLEMS_MAX) {
        text.push_str("\n- ");
        text.push_str(&cut(problem, PROBLEM_BYTES_MAX));
    }
    match problems.len().saturating_sub(PROBLEMS_MAX) {
        0 => text,
        more => text + &format!("\nand {more} more"),
    }
}

/// The problems as sentences; the properties that one object lacks are one problem, and what is
/// wrong with the one alternative that was meant is told as if it were the only one.
fn problems(root: &Value, found: &[ValidationError<'_>]) -> Vec<String> {
    let mut problems = Vec::new();
    let mut found = found.iter().peekable();
    while let Some(error) = found.next() {
        if let Some(context) = context(error)
            && let [one] = meant(error, context).as_slice()
        {
            problems.extend(self::problems(root, one));
            continue;
        }
        let Kind::Required { property } = error.kind() else {
            problems.push(place(error, &sentence(root, error)));
            continue;
        };
        let mut missing = vec![property];
        let same_place = |next: &&ValidationError<'_>| {
            next.instance_path() == error.instance_path()
                && parent(next.schema_path().as_str()) == parent(error.schema_path().as_str())
        };
        while let Some(next) = found.peek().filter(|next| same_place(next))
            && let Kind::Required { property } = next.kind()
        {
            missing.push(property);
            found.next();
        }
        problems.push(place(error, &lacks(root, error, &missing)));
    }
    problems
}

/// A sentence with the place it is about before it.
fn place(error: &ValidationError<'_>, sentence: &str) -> String {
    match error.instance_path().as_str() {
        "" => sentence.to_owned(),
        pointer => {
            let pointer = cut(pointer, VALUE_BYTES_MAX).replace(char::is_control, " ");
            format!("{pointer}: {sentence}")
        }
    }
}

/// What is wrong and what is expected.
fn sentence(root: &Value, error: &ValidationError<'_>) -> String {
    let instance = error.instance().as_ref();
    let but_is = |wanted: String| format!("must be {wanted}, not {}", shown(instance));
    match error.kind() {
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            unknown(root, error, unexpected)
        }
        Kind::Required { property } => lacks(root, error, &[property]),
        Kind::Type { kind } => of_type(types(kind), instance),
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            alternatives(root, error, context)
        }
        Kind::OneOfMultipleValid { .. } => {
            "fits more than one of the alternatives, of which it must fit exactly one".to_owned()
        }
        Kind::Constant { expected_value } => but_is(literal(expected_value)),
        Kind::Enum { options } => one_of(options, instance),
        Kind::Maximum { limit } => but_is(format!("at most {}", literal(limit))),
        Kind::Minimum { limit } => but_is(format!("at least {}", literal(limit))),
        Kind::ExclusiveMaximum { limit } => but_is(format!("less than {}", literal(limit))),
        Kind::ExclusiveMinimum { limit } => but_is(format!("more than {}", literal(limit))),
        Kind::MultipleOf { multiple_of } => but_is(format!("a multiple of {multiple_of}")),
        Kind::Format { format } => but_is(format!("text of the format {}", quoted(format))),
        Kind::Pattern { pattern } => format!(
            "must match the regular expression {}, which {} does not",
            cut(pattern, VALUE_BYTES_MAX),
            shown(instance)
        ),
        Kind::MaxLength { limit } => sized("at most", *limit, "characters", instance),
        Kind::MinLength { limit } => sized("at least", *limit, "characters", instance),
        Kind::MaxItems { limit } => sized("at most", *limit, "items", instance),
        Kind::MinItems { limit } => sized("at least", *limit, "items", instance),
        Kind::MaxProperties { limit } => sized("at most", *limit, "properties", instance),
        Kind::MinProperties { limit } => sized("at least", *limit, "properties", instance),
        Kind::AdditionalItems { limit } => {
            format!("has more items than the {limit} that are allowed")
        }
        Kind::UnevaluatedItems { .. } => "has items that are not allowed".to_owned(),
        Kind::Contains => "does not contain the items it must, in kind or in number".to_owned(),
        Kind::UniqueItems => "has an item twice; every item must be different".to_owned(),
        Kind::FalseSchema => "is not allowed here; leave it out".to_owned(),
        Kind::Not { schema } => {
            let schema = cut(&schema.to_string(), VALUE_BYTES_MAX);
            format!("must not be what the schema excludes: {schema}")
        }
        Kind::PropertyNames { error } => {
            let name = error.instance().as_ref();
            let name = name.as_str().map_or_else(|| shown(name), quoted);
            format!(
                "has the property {name}; a name here {}",
                sentence(root, error)
            )
        }
        Kind::ContentEncoding { content_encoding } => {
            but_is(format!("text in the encoding {}", quoted(content_encoding)))
        }
        Kind::ContentMediaType { content_media_type } => {
            but_is(format!("text that holds {}", quoted(content_media_type)))
        }
        Kind::FromUtf8 { .. } => "must hold UTF-8 when decoded".to_owned(),
        Kind::Custom { .. }
        | Kind::BacktrackLimitExceeded { .. }
        | Kind::RegexEngineFailure { .. }
        | Kind::Referencing(_) => cut(&error.masked().to_string(), VALUE_BYTES_MAX),
    }
}

/// Properties that are missing, with the types the schema gives them.
fn lacks(root: &Value, error: &ValidationError<'_>, missing: &[&Value]) -> String {
    let known = known(root, error);
    let described = missing.iter().map(|property| {
        let name = property.as_str().unwrap_or_default();
        match known.get(name).and_then(|schema| schema.get("type")) {
            Some(Value::String(kind)) => format!("{} ({kind})", quoted(name)),
            _ => quoted(name),
        }
    });
    let noun = if missing.len() == 1 {
        "property"
    } else {
        "properties"
    };
    format!("lacks the required {noun} {}", listed(described))
}

/// Properties that the schema does not know, with the names that may have been meant.
fn unknown(root: &Value, error: &ValidationError<'_>, unexpected: &[String]) -> String {
    let known = known(root, error);
    let names = || known.keys().map(String::as_str);
    let described = unexpected.iter().map(|name| {
        let meant = nearest(name, names()).map(|near| format!(" (did you mean {}?)", quoted(near)));
        quoted(name) + &meant.unwrap_or_default()
    });
    let noun = if unexpected.len() == 1 {
        "property"
    } else {
        "properties"
    };
    let mut text = format!("has the unknown {noun} {}", listed(described));
    if known.is_empty() {
        text.push_str("; no property is known here");
    } else {
        let known = listed(names().map(quoted));
        // Infallible: the target is a string.
        let _ = write!(text, "; known are {known}");
    }
    text
}

/// The properties that the schema of the object lists.
fn known<'r>(root: &'r Value, error: &ValidationError<'_>) -> std::borrow::Cow<'r, Properties> {
    let schema = root.pointer(parent(error.schema_path().as_str()));
    let properties = schema.and_then(|schema| schema.get("properties")?.as_object());
    properties.map_or_else(Default::default, std::borrow::Cow::Borrowed)
}

type Properties = serde_json::Map<String, Value>;

/// The pointer without its last segment.
fn parent(pointer: &str) -> &str {
    pointer.rsplit_once('/').map_or("", |(parent, _)| parent)
}

/// What is wrong with each alternative, if none fits.
fn context<'e>(error: &'e ValidationError<'_>) -> Option<&'e [Branch]> {
    if let Kind::AnyOf { context } | Kind::OneOfNotValid { context } = error.kind() {
        Some(context)
    } else {
        None
    }
}

type Branch = Vec<ValidationError<'static>>;

/// The types that an alternative wants where the value is of another.
fn kinds(error: &ValidationError<'_>, branch: &Branch) -> Option<JsonTypeSet> {
    let here = branch
        .iter()
        .filter(|one| one.instance_path() == error.instance_path());
    let wanted = here.filter_map(|one| {
        if let Kind::Type { kind } = one.kind() {
            Some(types(kind))
        } else {
            None
        }
    });
    wanted.reduce(JsonTypeSet::union)
}

/// The alternatives that may have been meant. One of another type than the value, or with another
/// fixed property, was not if there are others.
fn meant<'e>(error: &ValidationError<'_>, context: &'e [Branch]) -> Vec<&'e Branch> {
    let is_selected = |branch: &&Branch| {
        !branch.iter().any(|one| {
            one.instance_path() != error.instance_path()
                && matches!(one.kind(), Kind::Constant { .. } | Kind::Enum { .. })
        })
    };
    let mut meant: Vec<&Branch> = context
        .iter()
        .filter(|branch| kinds(error, branch).is_none())
        .collect();
    if meant.iter().any(is_selected) {
        meant.retain(is_selected);
    }
    meant
}

/// Why none of the alternatives fits.
fn alternatives(root: &Value, error: &ValidationError<'_>, context: &[Branch]) -> String {
    let meant = meant(error, context);
    if meant.is_empty() {
        let wanted = context.iter().filter_map(|branch| kinds(error, branch));
        let wanted = wanted.fold(JsonTypeSet::empty(), JsonTypeSet::union);
        return of_type(wanted, error.instance().as_ref());
    }
    let told = meant.iter().zip(1..).take(3).map(|(branch, number)| {
        let told = branch.iter().take(2).map(|one| match self::context(one) {
            Some(_) => place(one, "fits no alternative"),
            None => place(one, &sentence(root, one)),
        });
        let told = told.collect::<Vec<_>>().join("; ");
        format!("({number}) {}", cut(&told, VALUE_BYTES_MAX))
    });
    let told = told.collect::<Vec<_>>().join(" ");
    format!("fits none of the alternatives: {told}")
}

/// The types that are wanted and the value that is of none of them.
fn of_type(wanted: JsonTypeSet, instance: &Value) -> String {
    format!(
        "must be {}, not {}{}",
        names(wanted),
        shown(instance),
        hint(wanted, instance)
    )
}

/// The options of an enumeration, with the one that may have been meant.
fn one_of(options: &Value, instance: &Value) -> String {
    let options = options.as_array().map(Vec::as_slice).unwrap_or_default();
    let texts = options.iter().filter_map(Value::as_str);
    let near = instance.as_str().and_then(|text| nearest(text, texts));
    let meant = near.map(|near| format!("; did you mean {}?", quoted(near)));
    format!(
        "must be one of {}, not {}{}",
        listed(options.iter().map(literal)),
        shown(instance),
        meant.unwrap_or_default()
    )
}

/// A size that is wanted and the size that is.
fn sized(relation: &str, limit: u64, of: &str, instance: &Value) -> String {
    let size = match instance {
        Value::String(text) => text.chars().count(),
        Value::Array(items) => items.len(),
        Value::Object(properties) => properties.len(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    };
    format!("must have {relation} {limit} {of}, not {size}")
}

/// The names of types.
fn names(types: JsonTypeSet) -> String {
    let names: Vec<&str> = types.iter().map(JsonType::as_str).collect();
    names.join(" or ")
}

/// What usually helps against a value of the wrong type.
fn hint(wanted: JsonTypeSet, instance: &Value) -> &'static str {
    let is_number = |text: &str| text.parse::<f64>().is_ok_and(f64::is_finite);
    let wants_number = wanted.contains(JsonType::Number) || wanted.contains(JsonType::Integer);
    match instance {
        Value::Null => " (leave the property out if there is no value for it)",
        Value::String(text) if wants_number && is_number(text) => " (leave out the quotes)",
        Value::String(text)
            if wanted.contains(JsonType::Boolean) && matches!(text.as_str(), "true" | "false") =>
        {
            " (leave out the quotes)"
        }
        Value::String(_) | Value::Number(_) | Value::Bool(_) | Value::Object(_)
            if wanted == JsonTypeSet::from(JsonType::Array) =>
        {
            " (put it in an array)"
        }
        Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Array(_)
        | Value::Object(_) => "",
    }
}

/// A value of the arguments; of an array or object only that it is one.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(truth) => truth.to_string(),
        Value::Number(number) => {
            format!("the number {}", cut(&number.to_string(), VALUE_BYTES_MAX))
        }
        Value::String(text) => format!("the string {}", quoted(text)),
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

/// A value of the schema, as JSON.
fn literal(value: &Value) -> String {
    cut(&value.to_string(), VALUE_BYTES_MAX)
}

/// A text in quotation marks.
fn quoted(text: &str) -> String {
    Value::from(cut(text, VALUE_BYTES_MAX)).to_string()
}

/// A list that is cut when it is long.
fn listed(all: impl Iterator<Item = String>) -> String {
    let mut all = all.peekable();
    let mut list: Vec<String> = all.by_ref().take(LIST_MAX).collect();
    if all.peek().is_some() {
        list.push("…".to_owned());
    }
    list.join(", ")
}

/// At most that many bytes of a text, the mark of a cut included.
pub(super) fn cut(text: &str, bytes_max: usize) -> String {
    if text.len() <= bytes_max {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(bytes_max.saturating_sub('…'.len_utf8()));
    format!("{}…", text.get(..end).unwrap_or_default())
}
