//! Whatever is asked, nothing panics and every message is short.

use proptest::prelude::*;
use serde_json::json;

use super::*;

/// JSON of any kind, made of few names so that schemas and arguments meet.
fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[ab\\[\\]{}\":,é]{0,6}".prop_map(Value::from),
        prop::sample::select(vec!["[]", "{}", "[\"a\"]", "{\"a\":[1]}", "7", "true"])
            .prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec(
                (prop::sample::select(vec!["a", "b", "c", "a~/b"]), inner),
                0..4
            )
            .prop_map(|all| all
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect()),
        ]
    })
}

/// A schema of most keywords, recursion included.
fn schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::from),
        prop::sample::select(vec![
            "null", "boolean", "integer", "number", "string", "array", "object"
        ])
        .prop_map(|kind| json!({ "type": kind })),
        Just(json!({"type": ["object", "null"]})),
        Just(json!({"$ref": "#"})),
        Just(json!({"enum": ["a", 1, null, [1]]})),
        Just(json!({"const": {"a": 1}})),
        Just(
            json!({"maxLength": 1, "minimum": 3, "multipleOf": 2, "maxItems": 1, "uniqueItems": true})
        ),
        Just(json!({"minProperties": 2, "minLength": 2, "minItems": 2, "exclusiveMaximum": 0})),
        Just(json!({"pattern": "^(a|b)*\\1$", "required": ["a", "b"]})),
        json_value(),
    ];
    leaf.prop_recursive(4, 32, 3, |inner| {
        let names = prop::sample::select(vec!["a", "b", "c", "a~/b"]);
        let single = prop::sample::select(vec![
            "not", "if", "then", "else", "additionalProperties", "unevaluatedProperties",
            "propertyNames", "items", "contains", "unevaluatedItems",
        ]);
        let several = prop::sample::select(vec!["allOf", "anyOf", "oneOf", "prefixItems", "items"]);
        let properties = prop::collection::btree_map(names, inner.clone(), 0..3);
        let single = prop::collection::btree_map(single, inner.clone(), 0..3);
        let several = prop::collection::btree_map(several, prop::collection::vec(inner, 1..3), 0..2);
        (properties, single, several).prop_map(|(properties, single, several)| {
            let mut schema = json!({"properties": properties, "patternProperties": properties, "dependentSchemas": properties});
            let keywords = schema.as_object_mut().unwrap();
            keywords.extend(single.into_iter().map(|(name, value)| (name.to_owned(), value)));
            keywords.extend(several.into_iter().map(|(name, value)| (name.to_owned(), json!(value))));
            schema
        })
    })
}

proptest! {
    #[test]
    fn no_text_panics(text in "\\PC*", json_like in "[\\[\\]{}\",:0-9a\\\\ ]{0,40}") {
        for text in [text, json_like] {
            let answer = Arguments::new().read(&tool(file()), &text);
            prop_assert!(answer.err().is_none_or(|why| why.len() <= 2_000));
        }
    }

    #[test]
    fn no_schema_and_no_arguments_panic(
        schema in schema(),
        properties in prop::collection::btree_map(prop::sample::select(vec!["a", "b", "c", "A"]), json_value(), 0..4),
    ) {
        let input = json!(properties);
        match read(&schema, &input) {
            // What was let through fits, or could not be checked.
            Ok(passed) => match Check::new(&schema).run(passed) {
                Verdict::Fits(_) | Verdict::Unchecked(..) => {}
                Verdict::Refused(why) => prop_assert!(false, "{}", why),
            },
            Err(why) => prop_assert!(why.len() <= 2_000 && !why.is_empty()),
        }
    }
}
