//! Subagents: each with parts of its own, read and bundled as the agent's are.

use serde_json::{Value, json};

use super::{Agent, compiled, compiled_with_schemas};
use crate::artifact;

const TOOL: &str = "import { defineTool } from \"@openeve/core\";\nimport { word } from \"../../../lib/word\";\nexport default defineTool({ description: \"Digs.\", inputSchema: { type: \"object\" }, execute: () => word });\n";
const DEEP_TOOL: &str = "import { defineTool } from \"@openeve/core\";\nexport default defineTool({ description: \"Digs.\", inputSchema: { type: \"object\" }, execute: () => \"deep\" });\n";

fn subagent(keys: &str) -> String {
    format!(
        "import {{ adapter, defaultContext, defineAgent }} from \"@openeve/core\";\nexport default defineAgent({{\n  description: \"Digs things up.\",\n{keys}\n}});\n"
    )
}

/// An agent with a subagent that has one, too.
fn agent() -> Agent {
    Agent::new()
        .tool("dig", "")
        .with("lib/word.ts", "export const word = \"found\";")
        .with(
            "subagents/digger/agent.ts",
            &subagent("  model: \"openai/gpt-5.4-nano\", reasoning: \"low\", defaultTools: [\"dig\"], harness: adapter(\"codex\"), context: defaultContext(),"),
        )
        .with("subagents/digger/instructions.md", "Dig.\n")
        .with("subagents/digger/tools/dig.ts", TOOL)
        .with(
            "subagents/digger/skills/shovels/SKILL.md",
            "---\nname: shovels\ndescription: Which shovel to take.\ntools: [dig]\n---\nThe big one.\n",
        )
        .with("subagents/digger/sandbox/workspace/a.txt", "A.\n")
        .with("subagents/digger/subagents/deep/agent.ts", &subagent(""))
        .with("subagents/digger/subagents/deep/instructions.md", "Dig deeper.\n")
        .with("subagents/digger/subagents/deep/tools/dig.ts", DEEP_TOOL)
}

fn manifest(agent: &Agent) -> Value {
    serde_json::to_value(compiled(agent).manifest).unwrap()
}

#[test]
fn a_subagent_has_everything_that_its_directory_holds() {
    let manifest = manifest(&agent());
    let digger = &manifest["subagents"][0];
    for (key, value) in [
        ("name", json!("digger")),
        ("description", json!("Digs things up.")),
        ("model", json!("openai/gpt-5.4-nano")),
        ("reasoning", json!("low")),
        ("defaultTools", json!(["dig"])),
        ("harness", json!({ "kind": "codex" })),
        ("context", json!({ "kind": "default" })),
        ("instructions", json!("Dig.\n")),
        ("source", json!("subagents/digger/agent.ts")),
    ] {
        assert_eq!(digger[key], value, "{key}");
    }
    assert_eq!(digger["tools"][0]["name"], "dig");
    assert_eq!(digger["capabilities"]["dig"]["visibility"], "always");
    assert_eq!(
        digger["skills"][0]["source"],
        "subagents/digger/skills/shovels/SKILL.md"
    );
    let deep = &digger["subagents"][0];
    assert_eq!(deep["name"], "deep");
    assert_eq!(deep["instructions"], "Dig deeper.\n");
    assert!(
        deep.get("model").is_none(),
        "it has the model of the agent above it"
    );
    assert_eq!(manifest["tools"][0]["source"], "tools/dig.ts");
}

#[test]
fn tools_of_one_name_are_modules_of_their_own() {
    let agent = agent();
    let compilation = compiled(&agent);
    let paths: Vec<&str> = compilation
        .modules
        .iter()
        .map(|module| module.path.as_str())
        .collect();
    assert_eq!(
        paths,
        [
            "server/modules/tools/dig.js",
            "server/modules/subagents/digger/tools/dig.js",
            "server/modules/subagents/digger/subagents/deep/tools/dig.js",
        ]
    );
    let code = |at: usize| &compilation.modules[at].code;
    assert!(code(1).contains("\"found\"") && code(2).contains("\"deep\""));
    let manifest = compilation.manifest.as_ref().unwrap();
    let deep = &manifest.subagents[0].subagents[0].tools[0];
    assert_eq!(
        deep.module.sha256,
        openeve_domain::canonical::sha256_hex(code(2).as_bytes())
    );
    let hashed: Vec<&str> = manifest
        .modules()
        .iter()
        .map(|module| module.path.as_str())
        .collect();
    assert_eq!(
        hashed, paths,
        "whoever checks the artifact knows every module"
    );
    let files = artifact(&compilation).unwrap();
    for path in [
        "server/modules/subagents/digger/subagents/deep/tools/dig.js.map",
        "assets/subagents/digger/skills/shovels/SKILL.md",
        "assets/subagents/digger/sandbox/workspace/a.txt",
    ] {
        assert!(files.contains_key(path), "{path}");
    }
    let metadata: Value = serde_json::from_slice(&files["server/source-metadata.json"]).unwrap();
    assert_eq!(metadata["subagents/digger/agent.ts"]["kind"], "subagent");
    assert_eq!(metadata["subagents/digger/tools/dig.ts"]["kind"], "tool");
}

#[test]
fn every_file_of_a_subagent_counts_for_the_revision() {
    let before = manifest(&agent())["revision"].clone();
    for (path, text) in [
        ("subagents/digger/instructions.md", "Dig well.\n"),
        (
            "subagents/digger/agent.ts",
            &subagent("  reasoning: \"high\","),
        ),
        ("subagents/digger/tools/dig.ts", DEEP_TOOL),
        ("subagents/digger/sandbox/workspace/a.txt", "B.\n"),
        (
            "subagents/digger/skills/shovels/SKILL.md",
            "---\ndescription: Another.\n---\n",
        ),
        ("subagents/digger/subagents/deep/tools/dig.ts", TOOL),
        ("lib/word.ts", "export const word = \"lost\";"),
    ] {
        let text = text.replace(
            "../../../lib",
            if path.contains("deep") {
                "../../../../../lib"
            } else {
                "../../../lib"
            },
        );
        let after = manifest(&agent().with(path, &text))["revision"].clone();
        assert_ne!(after, before, "{path}");
    }
}

#[test]
fn names_mean_what_stands_beside_them() {
    let agent = agent()
        .tool("sing", "")
        .with("subagents/digger/agent.ts", &subagent("  defaultTools: [\"sing\"],"))
        .with(
            "subagents/digger/skills/shovels/SKILL.md",
            "---\ndescription: Which.\ntools: [sing, crm__find]\n---\n",
        )
        .with("subagents/digger/tools/read.ts", DEEP_TOOL)
        .with(
            "connections/crm.ts",
            "import { defineConnection } from \"@openeve/core\";\nexport default defineConnection({ kind: \"http\", description: \"a\", baseUrl: \"https://a.b\" });",
        );
    let compilation = agent.compile();
    let errors: Vec<String> = compilation
        .errors()
        .map(|found| format!("{} {}", found.code, found.place().unwrap()))
        .collect();
    assert_eq!(
        errors,
        [
            "unknown-tool subagents/digger/agent.ts:4:18",
            "unknown-connection subagents/digger/skills/shovels/SKILL.md:3:1",
            "unknown-tool subagents/digger/skills/shovels/SKILL.md:3:1",
            "bad-name subagents/digger/tools/read.ts",
        ]
    );
    let text = compilation.render();
    for words in [
        "there is no subagents/digger/tools/sing.ts",
        "there is no subagents/digger/connections/crm.ts",
        "such as to subagents/digger/tools/my_read.ts",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
}

#[test]
fn what_only_the_agent_itself_has_is_refused_in_a_subagent() {
    let agent = agent()
        .with("subagents/digger/channels/door.ts", "")
        .with("subagents/digger/schedules/dawn.ts", "")
        .with("subagents/digger/routines/watch.ts", "")
        .with("subagents/digger/gateway.ts", "")
        .with("subagents/digger/instrumentation.ts", "")
        .with("subagents/digger/subagents/deep/channels/door.ts", "");
    let errors: Vec<String> = agent
        .compile()
        .errors()
        .map(|found| format!("{} {}", found.code, found.place().unwrap()))
        .collect();
    assert_eq!(
        errors,
        [
            "misplaced-part subagents/digger/channels",
            "misplaced-part subagents/digger/gateway.ts",
            "misplaced-part subagents/digger/instrumentation.ts",
            "misplaced-part subagents/digger/routines",
            "misplaced-part subagents/digger/schedules",
            "misplaced-part subagents/digger/subagents/deep/channels",
        ]
    );
}

#[test]
fn subagents_nest_four_deep_and_no_deeper() {
    let mut agent = Agent::new();
    let mut base = String::new();
    for name in ["one", "two", "three", "four"] {
        base = format!("{base}subagents/{name}/");
        agent = agent
            .with(&format!("{base}agent.ts"), &subagent(""))
            .with(&format!("{base}instructions.md"), "Dig.");
    }
    compiled(&agent);
    let agent = agent.with(&format!("{base}subagents/five/agent.ts"), &subagent(""));
    let findings: Vec<String> = agent
        .findings()
        .into_iter()
        .filter(|found| !found.starts_with("not-yet"))
        .collect();
    assert_eq!(findings, [format!("misplaced-part {base}subagents")]);
}

#[test]
fn both_files_of_a_subagent_are_asked_for_with_their_paths() {
    let agent = Agent::new().with("subagents/digger/tools/dig.ts", DEEP_TOOL);
    assert_eq!(
        agent.findings(),
        [
            "missing-agent subagents/digger/agent.ts",
            "missing-instructions subagents/digger/instructions.md",
        ]
    );
}

#[test]
fn a_subagents_schema_that_is_made_by_code_is_frozen_in_its_place() {
    let text = "import { defineTool } from \"@openeve/core\";\nconst made = (properties: object) => ({ type: \"object\", properties });\nexport default defineTool({ description: \"Digs.\", inputSchema: made({ deep: { type: \"number\" } }), execute: () => 1 });\n";
    let agent = agent().with("subagents/digger/tools/dig.ts", text);
    let manifest = compiled_with_schemas(&agent).manifest.unwrap();
    assert_eq!(
        manifest.subagents[0].tools[0].input_schema,
        json!({ "type": "object", "properties": { "deep": { "type": "number" } } })
    );
    assert_eq!(manifest.tools[0].input_schema, json!({ "type": "object" }));
}

#[test]
fn an_import_that_leads_nowhere_is_told_with_the_subagents_path() {
    let text = TOOL.replace("../../../lib/word", "../lib/word");
    let agent = agent().with("subagents/digger/tools/dig.ts", &text);
    let text = agent.compile().render();
    assert!(
        text.contains("subagents/digger/tools/dig.ts imports \"../lib/word\""),
        "{text}"
    );
}
