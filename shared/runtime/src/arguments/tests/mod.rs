//! What a model is told, which schemas are usable, and what is refused before it is begun.

mod bounds;
mod properties;
mod schemas;
mod told;

use openeve_domain::manifest::ModuleRef;
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
