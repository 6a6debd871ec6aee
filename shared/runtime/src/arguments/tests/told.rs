//! What the model is told.

use serde_json::json;

use super::*;

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
