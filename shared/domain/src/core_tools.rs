//! Tools that every agent has and no author writes [E.04].
//!
//! `ask_question` is the first of them: it runs no code, its call is a pause and its answer is the
//! result. It is sequential, since whatever comes behind it may depend on the answer [C.10].

use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::manifest::{Execution, Manifest, ModuleRef, ToolSpec};
use crate::pause::{PauseKind, PauseRequest};
use crate::status::SideEffects;

/// The tool that asks a person.
pub const ASK_QUESTION: &str = "ask_question";

/// Answers to choose from, at most.
pub const QUESTION_OPTIONS_MAX: usize = 20;

static CORE: LazyLock<[ToolSpec; 1]> = LazyLock::new(|| {
    [ToolSpec {
        name: ASK_QUESTION.to_owned(),
        description: "Asks the person you work for one question and waits for the answer, which \
                      is this tool's result. Use it only when you cannot go on without knowing."
            .to_owned(),
        input_schema: json!({
            "type": "object",
            "properties": {
                "question": {
                    "type": "string",
                    "minLength": 1,
                    "maxLength": 4000,
                    "description": "What you ask, in one or two sentences."
                },
                "options": {
                    "type": "array",
                    "items": {"type": "string", "minLength": 1, "maxLength": 200},
                    "maxItems": QUESTION_OPTIONS_MAX,
                    "description": "Answers to choose from, if there are only a few."
                }
            },
            "required": ["question"],
            "additionalProperties": false
        }),
        side_effects: SideEffects::None,
        execution: Execution::Sequential,
        timeout_ms: None,
        approval: None,
        module: ModuleRef {
            path: String::new(),
            sha256: String::new(),
        },
        source: String::new(),
    }]
});

/// Every core tool.
pub fn all() -> &'static [ToolSpec] {
    CORE.as_slice()
}

/// A tool as the model may call it: the agent's own or a core one.
pub fn find<'a>(manifest: &'a Manifest, name: &str) -> Option<&'a ToolSpec> {
    manifest
        .tool(name)
        .or_else(|| all().iter().find(|tool| tool.name == name))
}

/// What `ask_question` asks, from arguments that fit its schema.
pub fn question(input: &Value) -> PauseRequest {
    let options = input.get("options").and_then(Value::as_array);
    PauseRequest {
        kind: PauseKind::Input,
        prompt: input
            .get("question")
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned(),
        options: options
            .into_iter()
            .flatten()
            .filter_map(|option| option.as_str().map(str::to_owned))
            .collect(),
        approvers: Vec::new(),
        url: None,
    }
}
