//! Which schemas are usable.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;

use super::*;

#[test]
fn formats_are_asserted_where_the_draft_asserts_them() {
    let modern = json!({"properties": {"at": {"format": "date"}}});
    let input = json!({"at": "tomorrow"});
    assert_eq!(read(&modern, &input), Ok(input.clone()));
    let older = json!({"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"at": {"format": "date"}}});
    assert_eq!(
        problems(&older, &input),
        [r#"- /at: must be text of the format "date", not the string "tomorrow""#]
    );
}

#[test]
fn the_draft_is_the_one_the_schema_names() {
    let items = |draft: &str| json!({"$schema": draft, "properties": {"x": {"items": [{"type": "string"}]}}});
    let input = json!({"x": [1]});
    assert_eq!(
        problems(&items("http://json-schema.org/draft-07/schema#"), &input).len(),
        1
    );
    let closed = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "properties": {"x": {"items": [true], "additionalItems": false}},
    });
    assert_eq!(
        problems(&closed, &json!({"x": [1, 2]})),
        ["- /x: has more items than the 1 that are allowed"]
    );
    // In 2020-12 an array of schemas is no value of `items`: the schema cannot be used.
    let modern = items("https://json-schema.org/draft/2020-12/schema");
    assert_eq!(read(&modern, &input), Ok(input));
}

#[test]
fn references_inside_the_schema_are_followed() {
    let schema = json!({
        "$defs": {"a b~": {"type": "object", "properties": {"next": {"$ref": "#/$defs/a%20b~0"}}, "additionalProperties": false}},
        "$ref": "#/$defs/a%20b~0",
    });
    assert!(read(&schema, &json!({"next": {"next": {}}})).is_ok());
    assert_eq!(
        problems(&schema, &json!({"next": {"next": {"nxt": 1}}})),
        [
            r#"- /next/next: has the unknown property "nxt" (did you mean "next"?); known are "next""#
        ]
    );
}

#[test]
fn a_property_may_be_named_as_a_keyword_is() {
    let schema = json!({"properties": {"$ref": {"type": "string"}, "$id": {"type": "string"}, "id": {"type": "integer"}}});
    assert!(read(&schema, &json!({"$ref": "x", "id": 1})).is_ok());
    assert_eq!(problems(&schema, &json!({"$ref": 1})).len(), 1);
}

#[test]
fn an_unusable_schema_keeps_no_tool_from_running() {
    let chain: serde_json::Map<String, Value> = (0..100)
        .map(|index| {
            (
                format!("a{index}"),
                json!({"$ref": format!("#/$defs/a{}", (index + 1).min(99))}),
            )
        })
        .collect();
    let multiplied: serde_json::Map<String, Value> = (0..30)
        .map(|index| {
            let next = json!({"$ref": format!("#/$defs/a{}", index + 1)});
            (format!("a{index}"), json!({"allOf": [next, next]}))
        })
        .chain([("a30".to_owned(), json!({"required": ["zz"]}))])
        .collect();
    // Built by hand: `json!` recurses over what it is given.
    let deep = (0..1_000).fold(json!({"type": "string"}), |schema, index| {
        let name = if index % 2 == 0 { "a" } else { "properties" };
        Value::Object(serde_json::Map::from_iter([(name.to_owned(), schema)]))
    });
    let unusable = [
        json!(null),
        json!("string"),
        json!([]),
        json!({"type": "strin"}),
        json!({"properties": {"a": {"pattern": "("}}}),
        json!({"properties": {"a": {"pattern": "(a{1000}){1000}"}}}),
        json!({"$schema": "https://example.com/draft"}),
        json!({"$ref": "https://example.com/schema.json"}),
        json!({"$ref": "file:///etc/passwd"}),
        json!({"properties": {"a": {"$ref": "other.json"}}}),
        json!({"$ref": "#/$defs/none"}),
        json!({"$ref": "#anchor", "$defs": {"a": {"$anchor": "anchor"}}}),
        json!({"$dynamicRef": "#node"}),
        json!({"$ref": "#"}),
        json!({"allOf": [{"$ref": "#"}]}),
        json!({"$ref": "#/$defs/a", "$defs": {"a": {"$id": "https://example.com/a", "$ref": "#/$defs/b"}, "b": {}}}),
        json!({"$defs": chain, "$ref": "#/$defs/a0"}),
        json!({"$defs": multiplied, "properties": {"a": {"$ref": "#/$defs/a0"}}}),
        deep,
    ];
    let input = json!({"a": "x"});
    for schema in unusable {
        assert!(
            matches!(Check::new(&schema), Check::Unusable(_)),
            "{schema}"
        );
        assert_eq!(read(&schema, &input), Ok(input.clone()));
    }
}

#[test]
fn an_unusable_schema_is_reported_once_per_tool() {
    struct Warnings(Arc<AtomicUsize>);
    impl tracing::Subscriber for Warnings {
        fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
            *metadata.level() == tracing::Level::WARN && metadata.target().contains("arguments")
        }
        fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
            tracing::span::Id::from_u64(1)
        }
        fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
        fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
        fn event(&self, _: &tracing::Event<'_>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
        fn enter(&self, _: &tracing::span::Id) {}
        fn exit(&self, _: &tracing::span::Id) {}
    }
    let warnings = Arc::new(AtomicUsize::new(0));
    tracing::subscriber::with_default(Warnings(Arc::clone(&warnings)), || {
        let arguments = Arguments::new();
        let mut tool = tool(json!({"type": "strin"}));
        for _ in 0..3 {
            arguments.clone().read(&tool, "{}").unwrap();
        }
        assert_eq!(warnings.load(Ordering::Relaxed), 1);
        tool.name = "other".to_owned();
        arguments.read(&tool, "{}").unwrap();
        assert_eq!(warnings.load(Ordering::Relaxed), 2);
    });
}

#[test]
fn another_revision_of_a_tool_is_held_to_its_own_schema() {
    let arguments = Arguments::new();
    let wants = |kind: &str| tool(json!({"properties": {"a": {"type": kind}}}));
    for _ in 0..2 {
        assert!(arguments.read(&wants("string"), r#"{"a":"x"}"#).is_ok());
        assert!(arguments.read(&wants("integer"), r#"{"a":"x"}"#).is_err());
    }
}

#[test]
fn the_cache_is_bounded() {
    let arguments = Arguments::new();
    for index in 0..=CHECKS_MAX {
        arguments
            .read(
                &tool(json!({"title": index.to_string(), "type": "x"})),
                "{}",
            )
            .unwrap();
    }
    assert_eq!(arguments.entries.lock().unwrap().len(), 1);
}
