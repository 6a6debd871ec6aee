use std::sync::atomic::{AtomicUsize, Ordering};

use openeve_domain::manifest::ModuleRef;
use proptest::prelude::*;
use serde_json::json;

use super::*;

fn tool(schema: Value) -> ToolSpec {
    ToolSpec {
        name: "write".to_owned(),
        description: String::new(),
        input_schema: schema,
        side_effects: openeve_domain::status::SideEffects::default(),
        execution: openeve_domain::manifest::Execution::default(),
        timeout_ms: None,
        approval: None,
        module: ModuleRef {
            path: String::new(),
            sha256: String::new(),
        },
        source: "tools/write.ts".to_owned(),
    }
}

fn read(schema: &Value, input: &Value) -> Result<Value, String> {
    Arguments::new().read(&tool(schema.clone()), &input.to_string())
}

/// The problems of a refusal, one a line.
fn problems(schema: &Value, input: &Value) -> Vec<String> {
    let why = read(schema, input).unwrap_err();
    assert!(why.len() <= 2_000, "{} bytes", why.len());
    let (heading, problems) = why.split_once('\n').unwrap();
    assert!(heading.contains("call the tool again"), "{heading}");
    problems.lines().map(str::to_owned).collect()
}

fn nested(levels: usize) -> Value {
    (1..levels).fold(json!({}), |value, _| json!({ "a": value }))
}

fn file() -> Value {
    json!({
        "type": "object",
        "properties": {
            "path": {"type": "string", "minLength": 2},
            "line_count": {"type": "integer", "minimum": 1},
            "mode": {"enum": ["append", "replace"]},
            "tags": {"type": "array", "items": {"type": "string"}},
            "owner": {"anyOf": [{"type": "object", "properties": {"id": {"type": "integer"}}}, {"type": "null"}]},
        },
        "required": ["path", "mode"],
        "additionalProperties": false,
    })
}

#[test]
fn blank_arguments_are_an_empty_object() {
    let arguments = Arguments::new();
    for blank in ["", "  ", "\n", "{}"] {
        assert_eq!(arguments.read(&tool(json!({})), blank), Ok(json!({})));
    }
}

#[test]
fn truncated_arguments_never_run_a_tool() {
    let arguments = Arguments::new();
    let read = |text| arguments.read(&tool(json!({})), text).unwrap_err();
    let error = read(r#"{"path":"/tmp/x", "recur"#);
    assert!(error.contains("not valid JSON"), "{error}");
    for text in ["[1]", "null", "7", "true", "\"x\"", "\"[1]\""] {
        assert!(read(text).contains("not a JSON object"), "{text}");
    }
}

#[test]
fn blank_arguments_are_held_to_the_schema_too() {
    let why = Arguments::new().read(&tool(file()), "").unwrap_err();
    assert!(
        why.ends_with(r#"- lacks the required properties "path" (string), "mode""#),
        "{why}"
    );
}

#[test]
fn arguments_that_fit_are_passed_as_they_are() {
    let input = json!({"path": "/x", "mode": "append", "tags": [], "owner": null, "line_count": 3});
    assert_eq!(read(&file(), &input), Ok(input));
}

#[test]
fn every_problem_is_told_with_its_place_and_what_is_expected() {
    let input = json!({"paht": "/x", "mode": "Apend", "line_count": "7", "tags": ["a", 7]});
    assert_eq!(
        problems(&file(), &input),
        [
            r#"- lacks the required property "path" (string)"#,
            r#"- /line_count: must be integer, not the string "7" (leave out the quotes)"#,
            r#"- /mode: must be one of "append", "replace", not the string "Apend"; did you mean "append"?"#,
            "- /tags/1: must be string, not the number 7",
            r#"- has the unknown property "paht" (did you mean "path"?); known are "line_count", "mode", "owner", "path", "tags""#,
        ]
    );
}

#[test]
fn more_than_five_problems_are_counted() {
    let schema = json!({"properties": {"list": {"items": {"type": "string"}}}});
    let told = problems(&schema, &json!({"list": [1, 2, 3, 4, 5, 6, 7]}));
    assert_eq!(told.len(), 6);
    assert_eq!(told[0], "- /list/0: must be string, not the number 1");
    assert_eq!(told[5], "and 2 more");
}

#[test]
fn values_names_and_places_are_cut() {
    let long = "é".repeat(5_000);
    let schema = json!({
        "properties": {long.clone(): {"type": "integer"}, "n": {"const": long.clone()}},
        "patternProperties": {"^x": false},
        "additionalProperties": false,
    });
    let x = format!("x{long}");
    let unknown = (0..300).map(|index| (format!("{index}{long}"), json!(1)));
    let mut input: serde_json::Map<String, Value> = unknown.collect();
    input.extend([
        (long.clone(), json!(long)),
        (x, json!(1)),
        ("n".to_owned(), json!(long)),
    ]);
    for told in problems(&schema, &Value::Object(input)) {
        assert!(told.len() <= 352, "{told}");
        assert!(told.contains('…'), "{told}");
    }
}

#[test]
fn a_property_is_suggested_however_it_is_spelt() {
    let input = json!({"path": "/x", "mode": "append", "lineCount": 3, "colour": 1});
    assert_eq!(
        problems(&file(), &input),
        [
            r#"- has the unknown properties "colour", "lineCount" (did you mean "line_count"?); known are "line_count", "mode", "owner", "path", "tags""#
        ]
    );
}

#[test]
fn nothing_but_packed_json_is_coerced() {
    let schema = json!({"properties": {
        "number": {"type": "number"}, "truth": {"type": "boolean"}, "text": {"type": "string"},
        "list": {"type": "array"}, "maybe": {"type": "integer"},
    }});
    let input = json!({"number": "7", "truth": "true", "text": 7, "list": "a", "maybe": null});
    assert_eq!(
        problems(&schema, &input),
        [
            r#"- /list: must be array, not the string "a" (put it in an array)"#,
            "- /maybe: must be integer, not null (leave the property out if there is no value for it)",
            r#"- /number: must be number, not the string "7" (leave out the quotes)"#,
            "- /text: must be string, not the number 7",
            r#"- /truth: must be boolean, not the string "true" (leave out the quotes)"#,
        ]
    );
}

#[test]
fn a_string_stands_for_the_array_or_object_it_holds() {
    let packed =
        json!({"path": "/x", "mode": "append", "tags": r#"["a"]"#, "owner": r#"{"id": 1}"#});
    let meant = json!({"path": "/x", "mode": "append", "tags": ["a"], "owner": {"id": 1}});
    assert_eq!(read(&file(), &packed), Ok(meant.clone()));
    // The arguments as a whole, too.
    assert_eq!(read(&file(), &json!(meant.to_string())), Ok(meant));
    // And what is packed in what was packed.
    let schema = json!({"properties": {"a~/b": {"items": {"type": "object"}, "type": "array"}}});
    let packed = json!({"a~/b": json!([json!({"x": 1}).to_string()]).to_string()});
    assert_eq!(read(&schema, &packed), Ok(json!({"a~/b": [{"x": 1}]})));
}

#[test]
fn a_string_that_may_be_a_string_is_left_alone() {
    for schema in [
        json!({}),
        json!({"properties": {"a": {"type": ["string", "array"]}}}),
    ] {
        let input = json!({"a": "[1]"});
        assert_eq!(read(&schema, &input), Ok(input));
    }
    let schema = json!({"properties": {"a": {"type": "object"}}});
    for text in ["[1]", "{\"a\":", "{", " x"] {
        let told = problems(&schema, &json!({ "a": text }));
        assert!(told[0].starts_with("- /a: must be object"), "{told:?}");
    }
}

#[test]
fn what_was_packed_is_held_to_the_schema() {
    let input = json!({"path": "/x", "mode": "append", "tags": "[1]"});
    assert_eq!(
        problems(&file(), &input),
        ["- /tags/0: must be string, not the number 1"]
    );
}

#[test]
fn one_alternative_is_told_as_if_it_were_the_only_one() {
    let input = json!({"path": "/x", "mode": "append", "owner": {"id": "x"}});
    assert_eq!(
        problems(&file(), &input),
        [r#"- /owner/id: must be integer, not the string "x""#]
    );
    let input = json!({"path": "/x", "mode": "append", "owner": 7});
    assert_eq!(
        problems(&file(), &input),
        ["- /owner: must be null or object, not the number 7"]
    );
}

#[test]
fn the_alternative_with_the_fixed_property_is_the_one_that_was_meant() {
    let branch = |kind: &str, field: &str| json!({"type": "object", "properties": {"kind": {"const": kind}, field: {"type": "string"}}, "required": ["kind", field]});
    let schema =
        json!({"properties": {"x": {"oneOf": [branch("a", "left"), branch("b", "right")]}}});
    assert_eq!(
        problems(&schema, &json!({"x": {"kind": "b"}})),
        [r#"- /x: lacks the required property "right" (string)"#]
    );
    let told = problems(
        &schema,
        &json!({"x": {"kind": "c", "left": "", "right": ""}}),
    );
    assert!(
        told[0].contains(r#"(1) /x/kind: must be "a", not the string "c""#),
        "{told:?}"
    );
    assert!(told[0].contains(r#"(2) /x/kind: must be "b""#), "{told:?}");
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table, one keyword a line")]
fn every_keyword_has_words_of_its_own() {
    let cases = [
        (json!({"const": 1}), json!(2), "must be 1, not the number 2"),
        (json!({"maximum": 1}), json!(2), "must be at most 1, not"),
        (json!({"minimum": 3}), json!(2), "must be at least 3, not"),
        (
            json!({"exclusiveMaximum": 2}),
            json!(2),
            "must be less than 2, not",
        ),
        (
            json!({"exclusiveMinimum": 2}),
            json!(2),
            "must be more than 2, not",
        ),
        (
            json!({"multipleOf": 2}),
            json!(3),
            "must be a multiple of 2, not",
        ),
        (
            json!({"maxLength": 1}),
            json!("éé"),
            "must have at most 1 characters, not 2",
        ),
        (
            json!({"minLength": 1}),
            json!(""),
            "must have at least 1 characters, not 0",
        ),
        (
            json!({"maxItems": 1}),
            json!([1, 2]),
            "must have at most 1 items, not 2",
        ),
        (
            json!({"minItems": 1}),
            json!([]),
            "must have at least 1 items, not 0",
        ),
        (
            json!({"maxProperties": 0}),
            json!({"a": 1}),
            "must have at most 0 properties, not 1",
        ),
        (
            json!({"minProperties": 1}),
            json!({}),
            "must have at least 1 properties, not 0",
        ),
        (
            json!({"pattern": "^a$"}),
            json!("b"),
            r#"must match the regular expression ^a$, which the string "b" does not"#,
        ),
        (
            json!({"uniqueItems": true}),
            json!([1, 1]),
            "has an item twice",
        ),
        (
            json!({"contains": {"const": 1}}),
            json!([2]),
            "does not contain the items it must",
        ),
        (
            json!({"prefixItems": [true], "items": false}),
            json!([1, 2]),
            "is not allowed here",
        ),
        (
            json!({"prefixItems": [true], "unevaluatedItems": false}),
            json!([1, 2]),
            "has items that are not allowed",
        ),
        (
            json!({"unevaluatedProperties": false}),
            json!({"b": 1}),
            r#"has the unknown property "b"; no property is known here"#,
        ),
        (
            json!({"not": {"type": "null"}}),
            json!(null),
            r#"must not be what the schema excludes: {"type":"null"}"#,
        ),
        (
            json!({"oneOf": [true, {}]}),
            json!(1),
            "fits more than one of the alternatives",
        ),
        (
            json!({"propertyNames": {"maxLength": 1}}),
            json!({"ab": 1}),
            r#"has the property "ab"; a name here must have at most 1"#,
        ),
        (json!(false), json!(1), "is not allowed here; leave it out"),
        (
            json!({"dependentRequired": {"a": ["b"]}}),
            json!({"a": 1}),
            r#"lacks the required property "b""#,
        ),
    ];
    for (schema, value, expected) in cases {
        let schema = json!({"properties": {"x": schema}});
        let told = problems(&schema, &json!({ "x": value }));
        assert!(told[0].starts_with("- /x"), "{told:?}");
        assert!(told[0].contains(expected), "{told:?} has no {expected:?}");
    }
}

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

#[test]
fn nesting_is_bounded() {
    assert_eq!(read(&json!({}), &nested(64)), Ok(nested(64)));
    assert!(
        read(&json!({}), &nested(65))
            .unwrap_err()
            .contains("more than 64 levels")
    );
    let arguments = Arguments::new();
    for (open, close) in [("{\"a\":", "}"), ("[", "]"), ("[", "")] {
        let text = open.repeat(1_000_000) + "1" + &close.repeat(1_000_000);
        assert!(arguments.read(&tool(json!({})), &text).is_err());
    }
    // Brackets in strings are no levels.
    let text = json!({"a": format!("\\\"{}", "[{".repeat(100))});
    assert_eq!(read(&json!({}), &text), Ok(text));
}

#[test]
fn packing_gets_around_no_bound() {
    let list = json!({"$defs": {"list": {"type": "array", "items": {"$ref": "#/$defs/list"}}},
        "properties": {"a": {"$ref": "#/$defs/list"}}});
    let lists = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
    assert!(read(&list, &json!({"a": lists(63)})).is_ok());
    assert!(problems(&list, &json!({"a": lists(64)}))[0].contains("must be array, not the string"));
    let mut packed = json!([]);
    for _ in 0..8 {
        packed = json!([packed.to_string()]);
    }
    assert!(read(&list, &json!({"a": packed.to_string()})).is_err());
    let whole = json!(nested(65).to_string());
    assert!(read(&json!({}), &whole).is_err());
}

#[test]
fn a_recursive_schema_holds_for_the_deepest_arguments() {
    // In a test's thread, which has two mebibytes of stack.
    let chain: serde_json::Map<String, Value> = (0..6)
        .map(|index| {
            (
                format!("a{index}"),
                json!({"allOf": [{"$ref": format!("#/$defs/a{}", index + 1)}]}),
            )
        })
        .chain([(
            "a6".to_owned(),
            json!({"properties": {"a": {"$ref": "#/$defs/a0"}}, "required": ["a"]}),
        )])
        .collect();
    let schema = json!({"$defs": chain, "$ref": "#/$defs/a0"});
    let told = problems(&schema, &nested(64));
    assert!(
        told[0].ends_with(r#"lacks the required property "a""#),
        "{told:?}"
    );
}

#[test]
fn work_that_multiplies_with_depth_is_refused_before_it_is_begun() {
    let call = |op: &str| json!({"properties": {"a": {"$ref": "#/$defs/e"}, "op": {"const": op}}, "required": ["op"]});
    let alternatives = json!({"$defs": {"e": {"oneOf": [call("x"), call("y"), {"type": "string"}]}}, "$ref": "#/$defs/e"});
    let expression =
        |levels: usize| (1..levels).fold(json!(5), |value, _| json!({"a": value, "op": "x"}));
    let told = problems(&alternatives, &expression(8));
    assert!(
        told[0].contains("fits more than one of the alternatives"),
        "{told:?}"
    );
    assert_eq!(
        read(&alternatives, &expression(60)),
        Err(words::TOO_COSTLY.to_owned())
    );

    let unevaluated = json!({
        "$defs": {"e": {
            "anyOf": [{"oneOf": [{"properties": {"a": {
                "if": {"$ref": "#/$defs/e"}, "then": {"$ref": "#/$defs/e"}, "unevaluatedProperties": false,
            }}}]}],
            "unevaluatedProperties": false,
        }},
        "$ref": "#/$defs/e",
    });
    assert!(read(&unevaluated, &nested(2)).is_ok());
    assert_eq!(
        read(&unevaluated, &nested(20)),
        Err(words::TOO_COSTLY.to_owned())
    );
}

#[test]
fn many_values_are_checked_and_too_many_to_explain_are_refused() {
    let schema = json!({"properties": {"list": {"items": {"type": "string"}}}});
    let fits = json!({"list": vec!["x"; 200_000]});
    assert!(read(&schema, &fits).is_ok());
    assert_eq!(
        read(&schema, &json!({"list": vec![1; 50_000]}))
            .unwrap_err()
            .lines()
            .last(),
        Some("and 49995 more")
    );
    assert_eq!(
        read(&schema, &json!({"list": vec![1; 200_000]})),
        Err(words::UNEXPLAINED.to_owned())
    );
    assert_eq!(
        read(&schema, &json!({"list": vec!["x"; 400_000]})),
        Err(words::TOO_COSTLY.to_owned())
    );
}

#[test]
fn no_regular_expression_hangs() {
    let long = "a".repeat(100_000);
    for pattern in [
        "^(a+)+$",
        "^(?=(a+)+$)",
        r"^(a|a)*\1$",
        r"(a+a+)+b(?<!c)",
        r"^(?!.*\.\.)(a*)*[b]\1$",
    ] {
        let schema = json!({"properties": {"list": {"items": {"pattern": pattern}}}});
        let input = json!({"list": vec![format!("{}!", &long[..40]); 4_000]});
        // Either refused, or, where the expression gives up, passed unchecked.
        if let Err(why) = read(&schema, &input) {
            assert!(why.contains("must match the regular expression"), "{why}");
        }
        let _ = read(&schema, &json!({"list": [format!("{long}!")]}));
    }
}

#[test]
fn an_expression_that_gives_up_hides_no_other_problem() {
    let schema = json!({"properties": {"a": {"pattern": r"^(a|a)*\1$"}, "b": {"type": "string"}}});
    let hard = format!("{}!", "a".repeat(40));
    assert!(read(&schema, &json!({"a": hard, "b": "x"})).is_ok());
    assert_eq!(
        problems(&schema, &json!({"a": hard, "b": 1})),
        ["- /b: must be string, not the number 1"]
    );
}

#[test]
fn arguments_can_be_shared_between_threads() {
    fn shared<T: Send + Sync + Clone>() {}
    shared::<Arguments>();
}

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
