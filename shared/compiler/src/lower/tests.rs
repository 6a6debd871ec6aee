//! Every form that can be read statically, and what becomes of the others.

use std::path::Path;

use serde_json::{Value, json};

use super::definition::definition;
use super::modules::Modules;
use super::value::{Kind, Node};
use crate::diagnostic::Diagnostic;
use crate::discover::SourceFile;

const IMPORT: &str = "import { defineAgent, env } from \"@openeve/core\";\n";

fn read(text: &str) -> Result<Value, Vec<Diagnostic>> {
    let file = SourceFile::new("agent.ts", text);
    let modules = Modules::new(Path::new("/nowhere"));
    let found = definition(&file, "defineAgent", &modules)?;
    let node = Node::new(found.span, Kind::Object(found.object));
    Ok(node
        .to_json()
        .unwrap_or_else(|error| json!({ "unreadable": error.reason })))
}

/// The value of `x` in `defineAgent({ x: … })`, with these lines before it.
fn value(before: &str, expression: &str) -> Value {
    let text = format!("{IMPORT}{before}\nexport default defineAgent({{ x: {expression} }});");
    let read = read(&text).unwrap();
    read.get("x")
        .or(read.get("unreadable"))
        .cloned()
        .unwrap_or(Value::Null)
}

#[test]
fn literals_are_read() {
    assert_eq!(value("", "'a'"), json!("a"));
    assert_eq!(value("", "1_000"), json!(1000));
    assert_eq!(value("", "0.5"), json!(0.5));
    assert_eq!(value("", "-3"), json!(-3));
    assert_eq!(value("", "true"), json!(true));
    assert_eq!(value("", "null"), json!(null));
    assert_eq!(value("", "`a\nb`"), json!("a\nb"));
    assert_eq!(value("", "\"a\" + 'b' + `c`"), json!("abc"));
    assert_eq!(value("", "[1, 'a', [true]]"), json!([1, "a", [true]]));
    assert_eq!(
        value("", "{ a: 1, 'b-c': 2, ['d']: 3, 4: 5, e: undefined }"),
        json!({ "a": 1, "b-c": 2, "d": 3, "4": 5 })
    );
}

#[test]
fn calculations_templates_and_enums_are_read() {
    assert_eq!(value("", "5 * 60 * 1_000"), json!(300_000));
    assert_eq!(value("", "2 ** 10 - 24 / 3 + 7 % 4"), json!(1019));
    assert_eq!(value("", "1 << 4 | 3 & 2"), json!(18));
    assert_eq!(value("", "!true"), json!(false));
    assert_eq!(
        value("", "['a', 'b'].join('-') + ['c'].join()"),
        json!("a-bc")
    );
    assert_eq!(value("", "'a' + 1 + 0.5"), json!("a10.5"));
    let before = "const who = 'Ada'; const n = 3;";
    assert_eq!(value(before, "`${who} has ${n * 2}`"), json!("Ada has 6"));
    let before = "enum Hard { Low = 'low', High = 'high' } const enum Size { Small, Big = 5, Bigger, Same = Big } const list = ['x', 'y'];";
    assert_eq!(value(before, "Hard.High"), json!("high"));
    assert_eq!(
        value(before, "[Size.Small, Size.Big, Size.Bigger, Size['Same']]"),
        json!([0, 5, 6, 5])
    );
    assert_eq!(
        value(before, "[list[1], list[2], { a: 1 }['a']]"),
        json!({"unreadable": "undefined"})["unreadable"].clone()
    );
}

#[test]
fn types_and_parentheses_do_not_hide_a_value() {
    for expression in [
        "('a')",
        "'a' as const",
        "'a' as string",
        "('a' satisfies string)",
        "'a'!",
        "(('a' as any) as string)",
    ] {
        assert_eq!(value("", expression), json!("a"), "{expression}");
    }
}

#[test]
fn a_const_stands_for_its_value_wherever_it_is_declared() {
    let before = "const one = 'a'; export const list = [one, two] as const; const two = { three }; const three = 3;";
    assert_eq!(value(before, "list"), json!(["a", { "three": 3 }]));
    assert_eq!(value(before, "two.three"), json!(3));
    assert_eq!(
        value(before, "two.absent"),
        json!(null),
        "an absent member is undefined"
    );
}

#[test]
fn shorthand_and_spread_are_read_and_the_later_key_wins() {
    let before = "const a = 1; const base = { a: 0, b: 2 }; const rest = [2, 3];";
    assert_eq!(
        value(before, "{ ...base, a, c: [1, ...rest] }"),
        json!({ "a": 1, "b": 2, "c": [1, 2, 3] })
    );
    assert_eq!(value(before, "{ a, ...base }"), json!({ "a": 0, "b": 2 }));
}

#[test]
fn helpers_are_known_under_any_name_and_in_a_namespace() {
    let expected = json!({ "x": { "$env": "A" } });
    for text in [
        "import { defineAgent as agent, env as variable } from '@openeve/core'; export default agent({ x: variable('A') });",
        "import * as oe from '@openeve/core'; export default oe.defineAgent({ x: oe.env('A') });",
        "import { defineAgent, env } from 'openeve'; export default defineAgent({ x: env('A') });",
    ] {
        assert_eq!(read(text).unwrap(), expected, "{text}");
    }
}

#[test]
fn a_definition_is_found_wherever_it_is_exported() {
    let expected = json!({ "x": 1 });
    for rest in [
        "export default defineAgent({ x: 1 });",
        "const agent = defineAgent({ x: 1 }); export default agent;",
        "const agent = defineAgent({ x: 1 }); export { agent as default };",
        "export const agent = defineAgent({ x: 1 });",
        "const agent = defineAgent({ x: 1 }); export { agent };",
        "const config = { x: 1 } as const; export default defineAgent(config);",
        "const config = { x: 1 } satisfies Agent; export default config;",
        "export default { x: 1 };",
        "export default (defineAgent<Agent>({ x: 1 }) as Agent);",
        "export const other = 2; export const agent = defineAgent({ x: 1 });",
    ] {
        assert_eq!(
            read(&format!("{IMPORT}{rest}")).unwrap(),
            expected,
            "{rest}"
        );
    }
}

#[test]
fn a_file_without_its_definition_says_what_it_exports() {
    let message = |rest: &str| {
        let found = read(&format!("{IMPORT}{rest}")).unwrap_err();
        format!("{}: {}", found[0].code, found[0].message)
    };
    assert_eq!(
        message(""),
        "missing-definition: agent.ts exports no defineAgent({ … })"
    );
    assert!(message("export const a = 1;").starts_with("missing-definition"));
    assert!(
        message("export const a = defineAgent({}); export const b = defineAgent({});")
            .contains("more than one")
    );
    assert!(message("export default 3;").contains("but that is a number"));
    assert!(message("export default env('A');").contains("a call of env()"));
    assert!(message("export default defineAgent();").contains("gets nothing"));
    assert!(message("export default defineAgent(make());").starts_with("not-static"));
    assert!(message("export default make();").starts_with("not-static"));
    assert!(message("export default class {}").starts_with("not-static"));
    assert!(message("export { default } from './other';").contains("where there is no file"));
    assert!(message("export * as default from './other';").contains("a whole module"));
}

#[test]
fn a_const_that_leads_back_to_itself_is_named_with_its_way() {
    let reason = value("const a = [b]; const b = { c }; const c = a;", "a");
    assert_eq!(
        reason,
        json!("a, which is defined by itself (a → b → c → a)")
    );
}

#[test]
fn whatever_only_running_the_code_can_tell_is_unreadable_with_its_reason() {
    let before = "import x, { y } from './y'; import * as z from './z'; import { w } from 'w'; let a = 1; var b = 2; const { c } = { c: 3 }; declare const d: string;";
    for (expression, reason) in [
        ("a", "a, which is declared with let, so it can change"),
        ("b", "b, which is declared with var, so it can change"),
        ("c", "c, which is taken apart from another value"),
        ("d", "d, which is declared without a value"),
        ("f", "f, which this file does not define"),
        ("y", "y from \"./y\", where there is no file"),
        ("x", "default from \"./y\", where there is no file"),
        ("w", "w, which is imported from \"w\""),
        ("z", "the whole module \"./z\""),
        ("y()", "a call of y() from \"./y\""),
        ("make()", "a call of make()"),
        ("a.b.c()", "a call"),
        ("() => 1", "a function"),
        (
            "process.env.KEY",
            "the environment variable KEY, read while the file runs",
        ),
        ("a ? 1 : 2", "a choice between two values"),
        ("`a${make()}`", "a template with a call of make()"),
        ("`a${[]}`", "a template with an array"),
        ("1 + make()", "a calculation with a call of make()"),
        (
            "1 + true",
            "a calculation with other values than numbers and strings",
        ),
        ("1 < 2", "a comparison"),
        ("`${1e-9}`", "a template with a number"),
        ("new Date()", "a new object"),
        ("1n", "a BigInt"),
        ("/a/", "a regular expression"),
        ("~1", "an expression with ~"),
        ("[1][make()]", "a computed member"),
        ("[...make()]", "a spread of a call of make()"),
        (
            "{ ...y }",
            "a spread of y from \"./y\", where there is no file",
        ),
        ("{ [make()]: 1 }", "a computed key"),
        ("{ get k() { return 1; } }", "an accessor"),
    ] {
        assert_eq!(value(before, expression), json!(reason), "{expression}");
    }
}

#[test]
fn a_small_file_cannot_become_a_huge_manifest() {
    let mut before = "const a0 = ['x'];".to_owned();
    for index in 1..30 {
        let last = index - 1;
        before = format!("{before} const a{index} = [a{last}, a{last}];");
    }
    assert!(
        value(&before, "a29")
            .as_str()
            .unwrap()
            .contains("more than 50000 values")
    );
}
