//! What is refused before it is begun.

use serde_json::json;

use super::*;

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
