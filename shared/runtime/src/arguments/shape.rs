//! What a schema looks like: its subschemas, and whether it is one that can be used.
//!
//! A schema is used only if validating against it is known to end soon and with little stack.
//! That rules out what no author writes by hand and a generator should not: references that lead
//! round in a circle, or out of the document, and compositions that multiply.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

/// Levels of objects and arrays in a schema; each property takes two.
const NESTING_MAX: usize = 128;
/// Subschemas of one schema.
const SUBSCHEMAS_MAX: usize = 5_000;
/// Subschemas one after another that apply to the same value, as `$ref` and `allOf` chain them.
const CHAIN_MAX: usize = 64;
/// Subschemas in all that apply to the same value.
const SPREAD_MAX: usize = 10_000;

/// To what of a value a subschema applies.
#[derive(Debug, Clone, Copy)]
pub(super) enum To<'s> {
    /// To the value itself.
    Itself,
    /// To the property of that name.
    Property(&'s str),
    /// To the properties that are not among these.
    OtherProperties(Option<&'s Map<String, Value>>),
    /// To some properties, or all.
    Properties,
    /// To the name of every property.
    Names,
    /// To the item at that place.
    Item(usize),
    /// To some items, or all.
    Items,
}

/// Calls `visit` with each direct subschema that may apply to a value or a part of it, those that
/// `$ref` names included.
pub(super) fn subschemas<'s>(
    root: &'s Value,
    schema: &'s Value,
    visit: &mut impl FnMut(To<'s>, &'s Value),
) {
    let Value::Object(keywords) = schema else {
        return;
    };
    for (keyword, value) in keywords {
        match keyword.as_str() {
            "$ref" => {
                if let Some(target) = value.as_str().and_then(|name| target(root, name)) {
                    visit(To::Itself, target);
                }
            }
            "not" | "if" | "then" | "else" => visit(To::Itself, value),
            "allOf" | "anyOf" | "oneOf" => list(value, |_| To::Itself, visit),
            "dependentSchemas" | "dependencies" => map(value, |_| To::Itself, visit),
            "properties" => map(value, To::Property, visit),
            "patternProperties" => map(value, |_| To::Properties, visit),
            "additionalProperties" => {
                let known = keywords.get("properties").and_then(Value::as_object);
                visit(To::OtherProperties(known), value);
            }
            "unevaluatedProperties" => visit(To::Properties, value),
            "propertyNames" => visit(To::Names, value),
            "prefixItems" => list(value, To::Item, visit),
            "items" if value.is_array() => list(value, To::Item, visit),
            "items" | "additionalItems" | "contains" | "unevaluatedItems" => {
                visit(To::Items, value);
            }
            _ => {}
        }
    }
}

fn list<'s>(
    value: &'s Value,
    to: impl Fn(usize) -> To<'s>,
    visit: &mut impl FnMut(To<'s>, &'s Value),
) {
    for (index, subschema) in value.as_array().into_iter().flatten().enumerate() {
        visit(to(index), subschema);
    }
}

fn map<'s>(
    value: &'s Value,
    to: impl Fn(&'s str) -> To<'s>,
    visit: &mut impl FnMut(To<'s>, &'s Value),
) {
    for (name, subschema) in value.as_object().into_iter().flatten() {
        visit(to(name), subschema);
    }
}

/// What a reference of the form `#` or `#/…` names.
fn target<'s>(root: &'s Value, reference: &str) -> Option<&'s Value> {
    let pointer = percent_decoded(reference.strip_prefix('#')?)?;
    root.pointer(&pointer)
}

/// The text with `%20` and its like decoded; None if they decode to no text.
fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = text.bytes();
    let mut decoded = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        decoded.push(if byte == b'%' {
            let mut digit = || char::from(bytes.next()?).to_digit(16);
            u8::try_from(digit()? * 16 + digit()?).ok()?
        } else {
            byte
        });
    }
    String::from_utf8(decoded).ok()
}

/// Says why a schema cannot be used, if so.
pub(super) fn usable(root: &Value) -> Result<(), String> {
    if !is_shallow(root) {
        return Err(format!(
            "the schema is nested more than {NESTING_MAX} levels deep"
        ));
    }
    let mut seen = HashSet::new();
    let mut all = Vec::new();
    let mut waiting = vec![root];
    let (mut has_references, mut has_bases) = (false, false);
    while let Some(schema) = waiting.pop() {
        if !seen.insert(std::ptr::from_ref(schema)) {
            continue;
        }
        if seen.len() > SUBSCHEMAS_MAX {
            return Err(format!(
                "the schema has more than {SUBSCHEMAS_MAX} subschemas"
            ));
        }
        all.push(schema);
        has_references |= references(root, schema)?;
        has_bases |= !std::ptr::eq(schema, root)
            && ["$id", "id"]
                .iter()
                .any(|keyword| schema.get(keyword).is_some_and(Value::is_string));
        subschemas(root, schema, &mut |_, subschema| waiting.push(subschema));
        for keyword in ["$defs", "definitions"] {
            let definitions = schema.get(keyword).and_then(Value::as_object);
            waiting.extend(definitions.into_iter().flat_map(Map::values));
        }
    }
    if has_references && has_bases {
        return Err("the schema has `$ref` beside an `$id` below its root".to_owned());
    }
    let mut reaches = HashMap::new();
    for schema in all {
        reach(root, schema, 0, &mut reaches)?;
    }
    Ok(())
}

/// Whether the schema refers to another, which must be one in the same document.
fn references(root: &Value, schema: &Value) -> Result<bool, String> {
    for keyword in ["$dynamicRef", "$recursiveRef"] {
        if schema.get(keyword).is_some_and(Value::is_string) {
            return Err(format!("the schema has `{keyword}`"));
        }
    }
    let Some(reference) = schema.get("$ref").and_then(Value::as_str) else {
        return Ok(false);
    };
    match target(root, reference) {
        Some(_) => Ok(true),
        None => Err(format!(
            "the schema's reference {reference:?} is not the place of something in the schema itself"
        )),
    }
}

/// How many subschemas apply to the same value as this one.
#[derive(Debug, Clone, Copy)]
struct Reach {
    chain: usize,
    spread: usize,
}

fn reach(
    root: &Value,
    schema: &Value,
    depth: usize,
    known: &mut HashMap<*const Value, Reach>,
) -> Result<Reach, String> {
    let key = std::ptr::from_ref(schema);
    if let Some(reach) = known.get(&key) {
        return Ok(*reach);
    }
    let too_long = || {
        format!(
            "the schema's references lead in a circle, or over more than {CHAIN_MAX} subschemas"
        )
    };
    if depth > CHAIN_MAX {
        return Err(too_long());
    }
    let mut below = Vec::new();
    subschemas(root, schema, &mut |to, subschema| {
        if matches!(to, To::Itself) {
            below.push(subschema);
        }
    });
    let mut own = Reach {
        chain: 1,
        spread: 1,
    };
    for subschema in below {
        let next = reach(root, subschema, depth + 1, known)?;
        own.chain = own.chain.max(next.chain + 1);
        own.spread = own.spread.saturating_add(next.spread);
    }
    if own.chain > CHAIN_MAX {
        return Err(too_long());
    }
    if own.spread > SPREAD_MAX {
        return Err(format!(
            "more than {SPREAD_MAX} subschemas apply to one value"
        ));
    }
    known.insert(key, own);
    Ok(own)
}

/// Whether a schema is nested no deeper than one may be.
pub(super) fn is_shallow(schema: &Value) -> bool {
    is_nested_within(schema, NESTING_MAX)
}

/// Whether a value has at most that many levels; looks no deeper.
fn is_nested_within(value: &Value, levels: usize) -> bool {
    let mut below: Box<dyn Iterator<Item = &Value>> = match value {
        Value::Array(items) => Box::new(items.iter()),
        Value::Object(properties) => Box::new(properties.values()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return true,
    };
    levels
        .checked_sub(1)
        .is_some_and(|levels| below.all(|value| is_nested_within(value, levels)))
}
