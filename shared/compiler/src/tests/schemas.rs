//! Schemas that are made by code: evaluated alone, in the real engine, and frozen.

use serde_json::json;

use super::{Agent, compiled_with_schemas};

/// A library of schemas as small as one can be.
const LIBRARY: &str = "export const plain = { type: 'object' };\nconst schema = (json) => ({ ...json, '~standard': { vendor: 'mini', version: 1, jsonSchema: { input: () => ({ $schema: 'x', ...json }) } } });\nexport const string = () => ({ type: 'string' });\nexport const object = (properties) => schema({ type: 'object', properties, required: Object.keys(properties) });\n";

fn agent(before: &str, schema: &str) -> Agent {
    let text = format!(
        "import {{ defineTool }} from \"@openeve/core\";\nimport * as m from \"mini\";\n{before}\nexport default defineTool({{\n  description: \"Echo.\",\n  {schema}\n  execute: (input) => input,\n}});\n"
    );
    Agent::new()
        .with("tools/echo.ts", &text)
        .with("node_modules/mini/package.json", "{\"name\": \"mini\", \"version\": \"1.0.0\", \"type\": \"module\", \"main\": \"index.js\"}")
        .with("node_modules/mini/index.js", LIBRARY)
}

#[test]
fn a_schema_object_is_frozen_into_the_manifest_as_json_schema() {
    let expected =
        json!({"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]});
    for (before, schema) in [
        ("", "inputSchema: m.object({ text: m.string() }),"),
        (
            "const inputSchema = m.object({ text: m.string() });",
            "inputSchema,",
        ),
        (
            "import { echo } from \"../lib/schemas\";",
            "inputSchema: echo,",
        ),
        (
            "function make() { return m.object({ text: m.string() }); }",
            "inputSchema: make(),",
        ),
    ] {
        let agent = agent(before, schema).with(
            "lib/schemas.ts",
            "import { object, string } from \"mini\";\nexport const echo = object({ text: string() });",
        );
        let compilation = compiled_with_schemas(&agent);
        let tool = &compilation.manifest.as_ref().unwrap().tools[0];
        assert_eq!(tool.input_schema, expected, "{schema}");
        assert!(
            compilation.diagnostics.is_empty(),
            "{}",
            compilation.render()
        );
    }
}

#[test]
fn nothing_of_the_tool_runs_but_its_schema() {
    let before = "import { boom } from \"../lib/boom\";\nconst other = boom();";
    let agent = agent(before, "inputSchema: m.object({}), outputSchema: m.object({ a: m.string() }), toModelOutput: () => other,")
        .with("lib/boom.ts", "export const boom = () => { return 1; };");
    let compilation = compiled_with_schemas(&agent);
    assert_eq!(
        compilation.metadata["tools/echo.ts"]["outputSchema"]["required"],
        json!(["a"])
    );
}

#[test]
fn an_import_that_the_schema_does_not_use_keeps_it_from_nothing() {
    let before =
        "import { createHash } from \"node:crypto\";\nexport const hash = () => createHash(\"x\");";
    let agent = agent(
        before,
        "inputSchema: m.object({}), outputSchema: { anyOf: [{ type: \"string\" }] },",
    );
    let text = agent.compile_with_schemas().render();
    assert!(!text.contains("schema-failed"), "{text}");
}

#[test]
fn a_schema_that_fails_says_why_at_its_place() {
    for (schema, words) in [
        ("inputSchema: m.string(),", "must be an object with type"),
        (
            "inputSchema: m.object({ at: Date.now() }),",
            "must not depend on the time",
        ),
        ("inputSchema: m.object(m.gone.x),", "gone"),
        ("inputSchema: (() => { for (;;) {} })(),", "processor time"),
    ] {
        let text = agent("", schema).compile_with_schemas().render();
        assert!(text.contains(words), "{schema}: {text}");
        assert!(text.contains("tools/echo.ts:6:16"), "{text}");
    }
}

#[test]
fn without_evaluation_a_schema_that_is_made_by_code_is_refused() {
    let agent = agent("", "inputSchema: m.object({}),");
    assert_eq!(agent.findings(), ["not-static tools/echo.ts:6:16"]);
    let text = agent.compile().render();
    assert!(text.contains("evaluating schemas is turned off"), "{text}");
}

#[test]
fn what_the_provider_refuses_is_told_of_an_evaluated_schema_too() {
    let agent = agent("", "inputSchema: { ...m.plain, anyOf: [] },");
    let found = [
        "not-static tools/echo.ts:6:18",
        "schema-refused tools/echo.ts:6:30",
    ];
    assert_eq!(agent.findings(), found, "as far as it can be read");
    let text = agent.compile_with_schemas().render();
    assert!(
        text.contains("warning[schema-refused]: OpenAI refuses"),
        "{text}"
    );
    assert!(text.contains("tools/echo.ts:6:16"), "{text}");
}
