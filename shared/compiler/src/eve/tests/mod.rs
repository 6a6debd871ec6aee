//! Small projects in the forms that eve documents, moved over and compiled.

mod parts;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Entry, Fate, MoveError, Moved, move_over};
use crate::Compilation;
use crate::tests::Agent;

const AGENT: &str = "import { defineAgent } from \"eve\";\n\nexport default defineAgent({\n  model: \"anthropic/claude-opus-5.5\",\n});\n";
const TOOL: &str = "import { defineTool } from \"eve/tools\";\n\nexport default defineTool({\n  description: \"Weather.\",\n  inputSchema: { type: \"object\", properties: { city: { type: \"string\" } }, required: [\"city\"] },\n  async execute({ city }) {\n    return { city };\n  },\n});\n";

/// The files of an eve project.
#[derive(Default)]
struct Project(BTreeMap<String, Vec<u8>>);

impl Project {
    fn new() -> Self {
        Self::default()
            .with("package.json", r#"{ "name": "@acme/weather-desk", "dependencies": { "eve": "0.80.1", "zod": "4.4.3" } }"#)
            .with("agent/agent.ts", AGENT)
            .with("agent/instructions.md", "Be kind.\n")
    }

    fn with(mut self, path: &str, text: &str) -> Self {
        self.0.insert(path.to_owned(), text.as_bytes().to_vec());
        self
    }

    fn without(mut self, path: &str) -> Self {
        self.0.remove(path);
        self
    }

    fn moved(&self) -> Moved {
        move_over(&self.0).unwrap()
    }
}

fn text<'m>(moved: &'m Moved, path: &str) -> &'m str {
    let found = moved.files.get(path);
    let found = found.unwrap_or_else(|| panic!("{path} is not among {:?}", moved.files.keys()));
    std::str::from_utf8(found).unwrap()
}

fn entry<'m>(moved: &'m Moved, from: &str) -> &'m Entry {
    let found = moved
        .entries
        .iter()
        .find(|entry| entry.from.as_deref() == Some(from));
    found.unwrap_or_else(|| panic!("{from} is not in the report: {:#?}", moved.entries))
}

/// What the compiler makes of a moved folder.
fn compiled(moved: &Moved) -> Compilation {
    let mut agent = Agent::new();
    for (path, bytes) in &moved.files {
        agent = agent.with(path, std::str::from_utf8(bytes).unwrap());
    }
    agent.compile_with_schemas()
}

#[track_caller]
fn builds(moved: &Moved) -> Value {
    let compilation = compiled(moved);
    assert!(compilation.is_ok(), "{}", compilation.render());
    serde_json::to_value(compilation.manifest.unwrap()).unwrap()
}

#[test]
fn the_smallest_agent_builds_under_its_own_name_with_every_tool_in_sight() {
    let moved = Project::new()
        .with("agent/tools/get_weather.ts", TOOL)
        .moved();
    let manifest = builds(&moved);
    assert_eq!(
        manifest["agent"],
        json!({ "id": "weather-desk", "model": "anthropic/claude-opus-5.5", "reasoning": "medium", "defaultTools": ["get_weather"] })
    );
    assert_eq!(manifest["tools"][0]["name"], "get_weather");
    assert_eq!(entry(&moved, "agent/instructions.md").fate, Fate::Copied);
    assert_eq!(
        entry(&moved, "agent/tools/get_weather.ts").fate,
        Fate::Rewritten
    );
    assert!(text(&moved, "IMPORT.md").contains("Nothing is left to do by hand."));
}

#[test]
fn an_agent_without_a_file_gets_the_one_that_eve_would_take() {
    let moved = Project::new().without("agent/agent.ts").moved();
    let manifest = builds(&moved);
    assert_eq!(manifest["agent"]["model"], "openai/gpt-6-luna-fast");
    assert_eq!(manifest["agent"]["reasoning"], "high");
}

#[test]
fn the_layout_without_a_folder_of_its_own_is_known() {
    let moved = Project::default()
        .with("agent.ts", AGENT)
        .with("instructions.md", "Be kind.\n")
        .with("tools/get_weather.ts", TOOL)
        .moved();
    assert_eq!(builds(&moved)["tools"][0]["name"], "get_weather");
}

#[test]
fn a_provider_s_own_call_and_a_fallback_become_the_model_s_name() {
    for (keys, model) in [
        (
            "model: anthropic(\"claude-sonnet-5\")",
            "anthropic/claude-sonnet-5",
        ),
        (
            "model: anthropic(process.env.M || \"claude-sonnet-5\")",
            "anthropic/claude-sonnet-5",
        ),
        (
            "model: process.env.M ?? \"openai/gpt-5.5\"",
            "openai/gpt-5.5",
        ),
        ("model", "openai/gpt-5.4-mini"),
    ] {
        let agent = format!(
            "import {{ anthropic }} from \"@ai-sdk/anthropic\";\nimport {{ defineAgent }} from \"eve\";\nconst model = process.env.M || \"openai/gpt-5.4-mini\";\nexport default defineAgent({{ {keys}, reasoning: \"none\" }});\n"
        );
        let moved = Project::new().with("agent/agent.ts", &agent).moved();
        let manifest = builds(&moved);
        assert_eq!(manifest["agent"]["model"], model, "{keys}");
        assert_eq!(manifest["agent"]["reasoning"], "off");
    }
}

#[test]
fn keys_without_a_counterpart_are_removed_and_said_with_their_line() {
    let agent = "import { defineAgent } from \"eve\";\nexport default defineAgent({\n  model: \"a/b\",\n  compaction: { thresholdPercent: 0.75 },\n  limits: { maxInputTokensPerSession: 5 },\n  reasoning: \"provider-default\",\n  shiny: true,\n});\n";
    let moved = Project::new().with("agent/agent.ts", agent).moved();
    builds(&moved);
    let notes: Vec<(Option<u32>, bool)> = entry(&moved, "agent/agent.ts")
        .notes
        .iter()
        .map(|note| (note.line, note.todo))
        .collect();
    assert_eq!(
        notes,
        [
            (Some(4), false),
            (Some(5), true),
            (Some(6), false),
            (Some(7), true)
        ]
    );
}

#[test]
fn a_model_that_is_made_while_it_runs_is_left_for_the_compiler_to_refuse() {
    let agent = "import { defineAgent, defineDynamic } from \"eve\";\nexport default defineAgent({ model: defineDynamic({ events: {} }) });\n";
    let moved = Project::new().with("agent/agent.ts", agent).moved();
    assert!(
        entry(&moved, "agent/agent.ts")
            .notes
            .iter()
            .any(|note| note.todo)
    );
    assert!(compiled(&moved).render().contains("not-static"));
}

#[test]
fn every_form_of_approval_becomes_a_gate() {
    let tool = |import: &str, approval: &str| {
        format!(
            "{import}import {{ defineTool }} from \"eve/tools\";\nexport default defineTool({{\n  description: \"Pays.\",\n  inputSchema: {{ type: \"object\" }},\n  {approval}\n  execute: () => null,\n}});\n"
        )
    };
    let helpers = "import { always, auto, never, once } from \"eve/tools/approval\";\n";
    for (import, approval, gate) in [
        (helpers, "approval: always(),", json!({})),
        (helpers, "needsApproval: always(),", json!({})),
        (helpers, "approval: once(),", json!({})),
        (helpers, "approval: auto(),", json!({})),
        (helpers, "approval: never(),", Value::Null),
        (helpers, "approval: { request: always() },", json!({})),
        (
            "",
            "approval: ({ toolInput }) => toolInput.amount > 5 ? \"user-approval\" : \"approved\",",
            json!({ "predicate": true }),
        ),
        (
            "",
            "async approval(asked) { return asked.toolInput === null; },",
            json!({ "predicate": true }),
        ),
        (
            "const policy = () => true;\n",
            "approval: policy,",
            json!({ "predicate": true }),
        ),
    ] {
        let moved = Project::new()
            .with("agent/tools/pay.ts", &tool(import, approval))
            .moved();
        let manifest = builds(&moved);
        assert_eq!(
            manifest["tools"][0]["approval"],
            gate,
            "{approval}\n{}",
            text(&moved, "tools/pay.ts")
        );
        assert!(
            !text(&moved, "tools/pay.ts").contains("\"eve/"),
            "{approval}"
        );
    }
}

#[test]
fn a_call_s_context_has_our_names_and_what_it_lacks_is_said() {
    let tool = "import { defineTool, type ToolContext } from \"eve/tools\";\nexport default defineTool({\n  description: \"a\",\n  inputSchema: { type: \"object\" },\n  deferred: true,\n  label: { start: () => \"Go\" },\n  async execute(input, ctx: ToolContext) {\n    await fetch(\"https://example.com\", { headers: { key: ctx.callId, to: ctx.session.id }, signal: ctx.abortSignal });\n    const sandbox = await ctx.getSandbox();\n    return ctx.session.auth.current?.principalId;\n  },\n});\n";
    let moved = Project::new().with("agent/tools/a.ts", tool).moved();
    let made = text(&moved, "tools/a.ts");
    assert!(
        made.contains(
            "key: ctx.toolCallId, to: ctx.conversationId }, signal: new AbortController().signal }"
        ),
        "{made}"
    );
    assert!(
        made.contains("import { defineTool, type ToolContext } from \"@openeve/core\";"),
        "{made}"
    );
    assert!(
        made.contains("capability: { visibility: \"deferred\" }"),
        "{made}"
    );
    let manifest = builds(&moved);
    assert_eq!(manifest["agent"]["defaultTools"], json!([]));
    let todo: Vec<Option<u32>> = entry(&moved, "agent/tools/a.ts")
        .notes
        .iter()
        .filter(|note| note.todo)
        .map(|note| note.line)
        .collect();
    assert_eq!(todo, [Some(9), Some(10)]);
}

#[test]
fn tools_that_are_no_tools_of_ours_are_left_out_with_the_reason() {
    let moved = Project::new()
        .with("agent/tools/bash.ts", "import { disableTool } from \"eve/tools\";\nexport default disableTool();\n")
        .with("agent/tools/sleep.ts", "export { default } from \"eve/tools/sleep\";\n")
        .with("agent/tools/flow.ts", "import { defineWorkflowTool } from \"eve/tools\";\nexport default defineWorkflowTool({});\n")
        .with("agent/tools/grep.ts", TOOL)
        .with("agent/tools/a.test.ts", "test();\n")
        .moved();
    let manifest = builds(&moved);
    assert_eq!(manifest["tools"].as_array().unwrap().len(), 1);
    assert_eq!(manifest["tools"][0]["name"], "my_grep");
    assert_eq!(entry(&moved, "agent/tools/bash.ts").fate, Fate::LeftOut);
    assert_eq!(entry(&moved, "agent/tools/a.test.ts").fate, Fate::LeftOut);
    for path in ["agent/tools/sleep.ts", "agent/tools/flow.ts"] {
        assert_eq!(entry(&moved, path).fate, Fate::Unsupported);
    }
}

#[test]
fn code_beside_the_agent_comes_along_under_whatever_name_it_is_imported() {
    let tool = TOOL.replace("export default", "import { a } from \"../lib/a.js\";\nimport { b } from \"#lib/b\";\nimport { c } from \"../../src/c\";\nimport { d } from \"@/d\";\nexport const all = [a, b, c, d];\n\nexport default");
    let moved = Project::new()
        .with(
            "package.json",
            r##"{ "name": "a", "imports": { "#lib/*": "./agent/lib/*" } }"##,
        )
        .with(
            "tsconfig.json",
            r#"{ "compilerOptions": { "paths": { "@/*": ["./src/*"] } } }"#,
        )
        .with("agent/lib/a.ts", "export const a = 1;\n")
        .with("agent/lib/b.ts", "export const b = 2;\n")
        .with("agent/lib/unused.ts", "export const no = 0;\n")
        .with("src/c.ts", "export { e as c } from \"./e\";\n")
        .with("src/d.ts", "export const d = 4;\n")
        .with("src/e.ts", "export const e = 3;\n")
        .with("src/unused.ts", "export const no = 0;\n")
        .with("agent/tools/get_weather.ts", &tool)
        .moved();
    builds(&moved);
    let made = text(&moved, "tools/get_weather.ts");
    for name in [
        "\"../lib/a.ts\"",
        "\"../lib/b.ts\"",
        "\"../project/src/c.ts\"",
        "\"../project/src/d.ts\"",
    ] {
        assert!(made.contains(name), "{name} in {made}");
    }
    assert_eq!(
        text(&moved, "project/src/c.ts"),
        "export { e as c } from \"./e\";\n"
    );
    assert!(moved.files.contains_key("project/src/e.ts"));
    assert_eq!(entry(&moved, "agent/lib/unused.ts").fate, Fate::LeftOut);
    assert!(!moved.files.contains_key("project/src/unused.ts"));
}

#[test]
fn packages_that_the_code_imports_keep_their_versions() {
    let tool = TOOL.replace("export default", "import { z } from \"zod\";\nimport x from \"@acme/x\";\nimport fs from \"node:fs\";\nimport { connect } from \"@vercel/connect/eve\";\nexport default");
    let moved = Project::new().with("agent/tools/a.ts", &tool).moved();
    let package: Value = serde_json::from_str(text(&moved, "package.json")).unwrap();
    assert_eq!(
        package["dependencies"],
        json!({ "@acme/x": "*", "@vercel/connect": "*", "zod": "4.4.3" })
    );
    let notes = &entry(&moved, "agent/tools/a.ts").notes;
    assert!(
        notes
            .iter()
            .any(|note| note.todo && note.text.contains("made for eve"))
    );
}
